"""By which name a client joins."""

from __future__ import annotations

import re

from judge.errors import UsageError
from judge.join.address import Game
from judge.wire.messages import Lobby
from judge.wire.xbs.notation import name_flaw

LONGEST = 10  # letters: a published table takes no longer ones, unless its boards are wider
_OF_BSP = re.compile("[!-~]{1,20}")


def name_at(game: Game, lobby: Lobby | None, given: str | None, usual: str) -> str:
    """The name that was ``given``, or else the ``usual`` one as far as the table has room for it;
    at BSP, where published servers take no name, only the first. Raises `UsageError` for a name
    that cannot be had there."""
    if lobby is None:
        if given is not None and not _OF_BSP.fullmatch(given):
            raise UsageError(
                f"--name {given!r}: at {game.title} a name is 1 to 20 visible ASCII characters"
            )
        return given or ""
    columns = lobby.rules.columns
    name = usual[: min(LONGEST, columns)].rstrip() if given is None else given
    if flaw := name_flaw(name, columns):
        raise UsageError(
            f"nobody at the table {lobby.title!r} can be called {name!r}: {flaw}; --name gives "
            f"another name, of 2 to {columns} characters, which begins with a letter from A to Z and "
            "has none of <>[]{}()|"
        )
    return name
