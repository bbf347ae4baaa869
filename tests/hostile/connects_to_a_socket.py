#!/usr/bin/env python3
"""Connects to a socket in the file system."""

import socket

from attack import attack, target

there = socket.socket(socket.AF_UNIX)
attack(lambda: there.connect(target("socket")) is None)
