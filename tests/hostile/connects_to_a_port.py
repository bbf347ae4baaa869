#!/usr/bin/env python3
"""Connects to a port of this machine."""

import socket

from attack import attack, target

attack(lambda: socket.create_connection(("127.0.0.1", int(target("port"))), 5))
