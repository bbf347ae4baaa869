"""The matches of a table in the ``ledger`` document, where the rules count these and not games.

A document may be a stranger's, and has to add up before anything is counted on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judge.contest.formats.units import UnitTally
from judge.contest.ledger.played import LONGEST_NAME
from judge.contest.ledger.tally_table import MatchKey, Table

MOST = 10**15  # of anything that is counted
_OPEN_ROW = 10  # parts of what is told of a match that is not over


def to_json(table: Table) -> dict[str, Any]:
    """The games of each stint that are of matches which are over, and the matches that are not."""
    return {
        "games": [[one.games_won, one.games_lost, one.games_tied] for one in table.stints],
        "open": [
            [*match, unit.won, unit.lost, unit.tied, unit.void, unit.forfeits]
            for match, unit in table.open.items()
        ],
    }


def games(table: Mapping[str, Any]) -> Sequence[Sequence[int]]:
    """The games that each stint has won, lost and tied; they are the units where it has no
    matches."""
    if "matches" in table:
        found: Sequence[Sequence[int]] = table["matches"]["games"]
        return found
    return [row[3:6] for row in table["stints"]]


def open_matches(table: Mapping[str, Any]) -> dict[MatchKey, UnitTally]:
    """The matches that are not over."""
    return {
        MatchKey(id_, one, first, other, second): UnitTally((first, second), *counts)
        for id_, one, first, other, second, *counts in _open(table)
    }


def unfinished(table: Mapping[str, Any]) -> int:
    """How many games are of these."""
    return sum(sum(row[5:9]) for row in _open(table))


def problem(table: Mapping[str, Any], versions: Mapping[str, Any]) -> str | None:
    """The first fault of a table's matches, as a sentence; None if they are sound."""
    if (table["rules"].get("match", 1) > 1) != ("matches" in table):
        return "matches: they are there where the rules count matches, and only there"
    if "matches" not in table:
        return None
    of_stints, rows = table["matches"]["games"], _open(table)
    if len(of_stints) != len(table["stints"]):
        return "matches: games: they are of other stints"
    for number, row in enumerate(of_stints):
        if not (isinstance(row, list) and len(row) == 3 and are_counts(row, MOST, least=0)):
            return f"matches: games[{number}]: {str(row)[:80]} is not three counts"
    won, lost, tied = (sum(row[at] for row in of_stints) for at in range(3))
    # Of more than two players, one may win and several lose.
    are_pairs = not table.get("groups")
    if are_pairs and (won != lost or 2 * table["games"] != won + lost + tied):
        return "matches: games: they are not as many as the table has"
    for number, row in enumerate(rows):
        if not _is_open(row, versions):
            return f"matches: open[{number}]: {str(row)[:80]} is no match of two of the bots"
    if len({tuple(row[:5]) for row in rows}) != len(rows):
        return "matches: open: one is there twice"
    return None


def are_counts(values: Iterable[Any], most: int, *, least: int = 1) -> bool:
    """Whether all of these are whole numbers within the bounds."""
    values = list(values)
    return not values or (
        set(map(type, values)) == {int} and min(values) >= least and max(values) <= most
    )


def _open(table: Mapping[str, Any]) -> Sequence[Any]:
    return table["matches"]["open"] if "matches" in table else ()


def _is_open(row: Any, versions: Mapping[str, Any]) -> bool:
    if not isinstance(row, list) or len(row) != _OPEN_ROW:
        return False
    id_, one, first, other, second, *counts = row
    return (
        all(isinstance(text, str) and 0 < len(text) <= LONGEST_NAME for text in (id_, one, other))
        and one < other
        and {one, other} <= versions.keys()
        and are_counts([first, second, *counts], MOST, least=0)
        and 1 <= first <= len(versions[one])
        and 1 <= second <= len(versions[other])
        and any(counts[:4])
        and counts[4] <= 3
    )
