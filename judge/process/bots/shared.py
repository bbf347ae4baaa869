"""A folder of shared code that single-file players may load.

The user names it for all players (--share), or it lies beside a player by the custom of its
protocol.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.contents import Contents, contents
from judge.process.bots.data_file import stem_of
from judge.process.bots.files import is_folder, quoted


def sharing(bots: Sequence[Bot], folder: Path, most_bytes: int) -> tuple[Bot, ...]:
    """The same bots; each single-file bot may read ``folder``, whose files count as the bot's own.

    Raises `UsageError` if there is no such folder, if it is too large, cannot be read or holds one
    of the single-file bots, or if no bot is a single file.
    """
    shown = f"--share {quoted(folder)}"
    if not is_folder(folder):
        raise UsageError(f"{shown}: there is no such folder")
    folder = folder.resolve()
    single = [bot for bot in bots if stem_of(bot) is not None]
    if not single:
        raise UsageError(f"{shown} is for players that are single files, and none of these is one")
    for bot in single:
        if bot.folder.is_relative_to(folder):
            raise UsageError(f"{shown}: {bot.name} lies in it; share a folder that holds no player")
    inside = contents((folder,), folder, shown=shown, most_bytes=most_bytes)
    return tuple(bot if stem_of(bot) is None else _helped(bot, folder, inside) for bot in bots)


def with_library(bot: Bot, name: str, most_bytes: int) -> Bot:
    """The same bot; a single-file bot may also read the folder ``name`` beside it, unless that is
    missing or a link. Raises `UsageError` if the folder is too large or cannot be read."""
    folder = bot.folder / name
    if stem_of(bot) is None or folder.is_symlink() or not folder.is_dir() or folder in bot.files:
        return bot
    shown = f"{quoted(folder)}, which {bot.name} may load from,"
    return _helped(bot, folder, contents((folder,), folder, shown=shown, most_bytes=most_bytes))


def _helped(bot: Bot, folder: Path, inside: Contents) -> Bot:
    both = hashlib.sha256(f"{bot.digest} {inside.digest}".encode()).hexdigest()
    return replace(
        bot,
        files=(*bot.files, folder),
        digest=f"sha256:{both}",
        size=bot.size + inside.size,
        stamps=(*bot.stamps, *inside.stamps),
    )
