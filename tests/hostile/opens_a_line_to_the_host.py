#!/usr/bin/env python3
"""Opens a socket of the family between a virtual machine and its host, which is no network's."""

import socket

from attack import attack

attack(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
