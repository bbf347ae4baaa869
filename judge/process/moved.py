"""A copy of a bot in another place: what a bot relies on, beside its own files, is not there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from judge.process.bot import Bot
from judge.process.files import IGNORED

PLACE = "elsewhere ü"  # with what a path may hold, and a careless script cannot take


@contextlib.contextmanager
def moved(bot: Bot) -> Iterator[Bot | None]:
    """The bot in a folder of another name, gone at the end; None if it cannot be moved.

    That is a bot which is a command line without files of its own, or with some that lie outside
    of its folder. Raises `OSError` if its files cannot be copied.
    """
    whole = bot.files == (bot.folder,)
    if not bot.files or not (whole or all(file.parent == bot.folder for file in bot.files)):
        yield None
        return
    parent = tempfile.mkdtemp(prefix="judge-")
    try:
        place = Path(parent).resolve() / PLACE
        if whole:
            left = shutil.ignore_patterns(*IGNORED)
            shutil.copytree(bot.folder, place, symlinks=True, ignore=left)
        else:
            place.mkdir()
            for file in bot.files:
                shutil.copy(file, place, follow_symlinks=False)
        yield replace(
            bot,
            command=tuple(_there(word, bot, place) for word in bot.command),
            folder=place,
            files=(place,) if whole else tuple(place / file.name for file in bot.files),
        )
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _there(word: str, bot: Bot, place: Path) -> str:
    """A word of the command, of which the paths of the bot's files are those of their copies."""
    if not word.startswith("/"):
        return word
    if bot.files != (bot.folder,):
        real = Path(word).resolve()
        return str(place / real.name) if real in bot.files else word
    path = Path(os.path.normpath(word))
    return str(place / path.relative_to(bot.folder)) if path.is_relative_to(bot.folder) else word
