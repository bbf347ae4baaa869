#!/usr/bin/env python3
"""Opens what only the machine's owner may set; without setting it."""

import os

from attack import attack

attack(lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
