#!/usr/bin/env python3
"""Reads what the judge has never digested: its version control."""

from pathlib import Path

from attack import attack

attack(Path(".git", "HEAD").read_text)
