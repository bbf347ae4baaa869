#!/usr/bin/env python3
"""Connects to a socket that is in no file system."""

import socket

from attack import attack, target

there = socket.socket(socket.AF_UNIX)
attack(lambda: there.connect("\0" + target("token")) is None)
