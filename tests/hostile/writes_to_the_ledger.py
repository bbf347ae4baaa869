#!/usr/bin/env python3
"""Adds a line to the games that were played."""

from pathlib import Path

from attack import attack, target


def add() -> int:
    with Path(target("ledger")).open("r+") as ledger:
        return ledger.write("x")


attack(add)
