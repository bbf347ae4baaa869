"""A folder of helpers that players may read, where they load more than their own file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.contents import contents
from judge.process.bots.data_file import stem_of
from judge.process.bots.files import is_folder, quoted


def sharing(bots: Sequence[Bot], folder: Path, most_bytes: int) -> tuple[Bot, ...]:
    """The bots, of which those that are single files may read all that is in a folder, at its own
    path; it counts to what they are made of.

    Raises `UsageError` if there is no such folder, a bot lies in it, or it is too large.
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

    def helped(bot: Bot) -> Bot:
        both = hashlib.sha256(f"{bot.digest} {inside.digest}".encode()).hexdigest()
        return replace(
            bot,
            files=(*bot.files, folder),
            digest=f"sha256:{both}",
            size=bot.size + inside.size,
        )

    return tuple(helped(bot) if bot in single else bot for bot in bots)
