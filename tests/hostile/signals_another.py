#!/usr/bin/env python3
"""Sends a signal to a process that is not its own."""

import os
import signal

from attack import attack, target

attack(lambda: os.kill(int(target("victim")), signal.SIGUSR1) is None)
