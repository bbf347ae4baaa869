#!/usr/bin/env python3
"""Allows itself longer files than it was given."""

import resource

from attack import attack

attack(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)) is None)
