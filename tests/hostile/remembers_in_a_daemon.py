#!/usr/bin/env python3
"""Leaves a daemon that listens, for three seconds, where no file shows it."""

import socket
import time

from attack import bounded_daemon, remember, target

NAME = "\0remembered-" + target("token")


def listen() -> None:
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(NAME)
        here.listen()
        time.sleep(3)


there = socket.socket(socket.AF_UNIX)
remember(lambda: bounded_daemon(listen) and time.sleep(0.3), lambda: there.connect(NAME) is None)
