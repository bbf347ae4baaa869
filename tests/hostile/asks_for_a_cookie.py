#!/usr/bin/env python3
"""Asks for the numbers of a socket and of its network, which the kernel counts for all."""

import socket

from attack import attack

SO_COOKIE, SO_NETNS_COOKIE = 57, 71


def number(option: int) -> bool:
    try:
        return bool(ours.getsockopt(socket.SOL_SOCKET, option, 8))
    except OSError:
        return False


ours, _ = socket.socketpair()
attack(lambda: number(SO_COOKIE) or number(SO_NETNS_COOKIE))
