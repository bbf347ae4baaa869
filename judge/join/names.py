"""Chooses the name by which a client joins."""

from __future__ import annotations

import re

from judge.errors import UsageError
from judge.join.address import Game
from judge.wire.messages import Lobby
from judge.wire.xbs.notation import name_flaw

LONGEST = 10  # characters of a usual name: tables with boards of 10 columns take no longer one
_OF_BSP = re.compile("[!-~]{1,20}")


def name_at(game: Game, lobby: Lobby | None, given: str | None, usual: str) -> str:
    """The ``given`` name, if any, or else the ``usual`` name cut to a length that the table takes.
    Without a lobby, as at BSP, the name is ``given`` or empty. Raises `UsageError` for a name that
    the server would refuse."""
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
