"""Numbering the games of a journal anew, from which somebody has removed lines.

A game's number is its place among the games, and orders name games by it. So the journal is written
anew, with other numbers on the games and in the orders; as it was it is kept in a file beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import writing
from judge.contest.game_lines import GameLines, twice
from judge.contest.journal import Journal, Line, as_line
from judge.contest.orders import OrderKind
from judge.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Renumbered:
    """``changed`` games have another number now, ``gone`` games are missing, as far as the numbers
    tell, and ``before`` is the journal as it was."""

    changed: int
    gone: int
    before: Path


def renumber(journal: Journal) -> Renumbered | None:
    """Give each game the number of its place, and have orders name games by these; None if all have
    it already. The caller holds the lock.

    Raises `LedgerError`, with nothing changed, for a line that stands there twice or is no entry,
    and for an order of which it cannot be told what games it means.
    """
    places: dict[int, int] = {}  # by the number that is written on a game
    several: set[int] = set()
    changed = count = 0
    seen = GameLines()
    for number, line in enumerate(journal.lines(), 1):
        entry = journal.parse(line)
        if "kind" in entry:
            continue
        count += 1
        if first := seen.earlier(line.data, number):
            raise journal.damaged(line, twice(first))
        written = entry.get("number")
        written = count if written is None else written
        changed += written != count
        if type(written) is int:
            if written in places:
                several.add(written)
            places[written] = count
    last = max(places, default=0)
    lines = list[bytes]()
    is_as_before = True
    count = 0
    for line in journal.lines():
        entry = journal.parse(line)
        if "kind" not in entry:
            count += 1
            if entry.get("number") not in (None, count):
                lines.append(as_line({**entry, "number": count}))
                is_as_before = False
                continue
        elif entry["kind"] == OrderKind.VOID and isinstance(entry.get("games"), list):
            games = _meant(journal, line, entry, places, several)
            if games != entry["games"]:
                last = max(last, *entry["games"])
                lines.append(as_line({**entry, "games": games}))
                is_as_before = False
                continue
        lines.append(line.data + b"\n")
    if is_as_before:
        return None
    before = _free(journal.path)
    try:
        writing.replace(before.parent, before.name, journal.path.read_bytes(), durable=True)
        writing.replace(journal.path.parent, journal.path.name, b"".join(lines), durable=True)
    except OSError as error:
        raise LedgerError(
            f"{journal.path} cannot be numbered anew: {error.strerror}; it is as it was"
        ) from error
    return Renumbered(changed, max(last - count, 0), before)


def _meant(
    journal: Journal,
    line: Line,
    entry: Mapping[str, Any],
    places: Mapping[int, int],
    several: set[int],
) -> list[int]:
    """The games that an order voids, by their new numbers, without those that are gone."""
    if not all(type(game) is int for game in entry["games"]):
        raise journal.damaged(line, "it voids games without numbers")
    if doubtful := sorted(several.intersection(entry["games"])):
        raise journal.damaged(
            line,
            f"it voids game {doubtful[0]}, and several games have that number",
            "bring back a copy of the file",
        )
    return [places[game] for game in entry["games"] if game in places]


def _free(journal: Path) -> Path:
    """A name beside the journal that no file has."""
    number = 1
    while (path := journal.with_name(f"{journal.name}.before{number}")).exists():
        number += 1
    return path
