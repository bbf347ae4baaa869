#!/usr/bin/env python3
"""Leaves a daemon behind that has nothing open, for three seconds."""

import os

from attack import attack, bounded_daemon

bounded_daemon(lambda: os.execvp("sleep", ["sleep", "3"]))
attack(lambda: False)
