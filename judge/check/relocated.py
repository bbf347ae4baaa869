"""Copies a bot to another folder, to find out whether it needs files other than its own."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from judge.errors import JudgeFault
from judge.process.bots.bot import Bot
from judge.process.bots.contents import ContentPart, parts
from judge.process.run.scratch import of_this_run, remove

PLACE = "elsewhere ü"  # the copy's folder: its space and ü break a careless script
MOST_BYTES = 64 * 2**20  # bytes of files that are copied, unless the bot itself is larger


@contextlib.contextmanager
def elsewhere(bot: Bot) -> Iterator[Bot | None]:
    """Yield what `moved` yields. Raises as `moved`, but `JudgeFault` in place of `OSError`."""
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(moved(bot))
        except OSError as error:
            raise JudgeFault(f"{bot.name} cannot be copied: {error}") from error
        yield copy


def unmoved(bot: Bot) -> str:
    """The reason why `moved` makes no copy of a bot, as a finding says it."""
    if not bot.files:
        return "not tried: the bot is a command line, not files that can be moved"
    return "not tried: it has files outside of its folder, which cannot be moved with it"


@contextlib.contextmanager
def moved(bot: Bot) -> Iterator[Bot | None]:
    """Yield a copy of the bot in a new folder, or None if the bot cannot be moved.

    The new folder is deleted at the end. A command line without files cannot be moved, nor can a
    bot whose ``files`` are neither its folder nor directly in it. Raises `OSError` if a file cannot
    be copied. Raises `UsageError` if the files are not a bot any more.
    """
    whole = bot.files == (bot.folder,)
    if not bot.files or not (whole or all(file.parent == bot.folder for file in bot.files)):
        yield None
        return
    parent = tempfile.mkdtemp(dir=of_this_run())
    try:
        path = Path(parent).resolve() / PLACE
        path.mkdir()
        most = max(bot.size, MOST_BYTES)
        for file in (bot.folder,) if whole else bot.files:
            there = path / file.name if file.is_dir() and not whole else path
            for part in parts((file,), bot.folder, shown=bot.name, most_bytes=most):
                _put(part, there / part.name)
        yield replace(
            bot,
            command=tuple(_there(word, bot, path) for word in bot.command),
            folder=path,
            files=(path,) if whole else tuple(path / file.name for file in bot.files),
        )
    finally:
        remove(Path(parent))


def _put(part: ContentPart, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if part.is_link:
        path.symlink_to(os.fsdecode(part.data))
    else:
        path.write_bytes(part.data)
        path.chmod(0o755 if part.is_executable else 0o644)


def _there(word: str, bot: Bot, place: Path) -> str:
    """A word of the copy's command: a path of one of the bot's files becomes that of its copy."""
    if not word.startswith("/"):
        return word
    if bot.files != (bot.folder,):
        real = Path(word).resolve()
        return str(place / real.name) if real in bot.files else word
    path = Path(os.path.normpath(word))
    return str(place / path.relative_to(bot.folder)) if path.is_relative_to(bot.folder) else word
