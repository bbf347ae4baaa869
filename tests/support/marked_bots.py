"""Bots with a mark in their environment, by which their processes are found wherever they went."""

from __future__ import annotations

import contextlib
from pathlib import Path

from changes import replace
from judge.process.bots.bot import Bot


def marked(bot: Bot, mark: int) -> Bot:
    """The same bot, with a folder on its PATH that no other has."""
    return replace(bot, path=f"{bot.path}:/nowhere/{mark}")


def running(mark: int) -> list[int]:
    """The processes of a bot that is marked so, wherever they went."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f":/nowhere/{mark}\0".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found
