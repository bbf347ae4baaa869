#!/usr/bin/env python3
"""Allows itself more memory than it was given."""

import resource

from attack import attack

attack(lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)) is None)
