#!/usr/bin/env python3
"""Reads the judge's own schemas."""

from pathlib import Path

from attack import attack, target

attack(lambda: list(Path(target("schemas")).iterdir()))
