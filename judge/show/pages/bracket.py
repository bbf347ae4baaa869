"""The bracket of a knock-out as text: who meets whom, results, places still open. Pure.

A decider follows a tied match. Its points stand in parentheses beside those of the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judge.contest.formats.format import BracketRound, BracketSide
from judge.contest.formats.units import NOTHING_YET
from judge.contest.people import Person
from judge.show.columns import SHORTEST_NAME
from judge.show.match import in_words
from judge.show.text import cells, clean, cut, left, right

LONGEST_NAME = 24
_LINE = 3  # cells between two columns


def bracket_notes(
    rounds: Sequence[BracketRound], by_seed: str, *, has_seeds: bool
) -> Iterator[str]:
    """The notes below a bracket, on deciders and seeds. ``by_seed`` is the format's sentence on
    matches that a seed decided. ``has_seeds`` is whether a seed stands before each name."""
    sides = [side for each in rounds for match in each.matches for side in match if side]
    if any(side.decider for side in sides):
        yield "In parentheses: the points of deciders."
    if any(side.by_seed for side in sides):
        named = " The number before a name is its seed; 1 is the highest." if has_seeds else ""
        yield by_seed + named


def drawn(rounds: Sequence[BracketRound], people: Mapping[str, Person], width: int) -> list[str]:
    """The lines of the bracket. Each round is a column. The winner of a match stands between its
    two bots in the next column, and the last winner is at the right. A bot with a bye first appears
    in the next round. The own name and the author of a bot, from ``people``, stand below its name.
    Empty if ``width`` has no room for short names."""
    last: list[BracketSide | None] = [_winner(rounds)]
    columns = [*map(_column, rounds), last]
    seeds = max(len(str(side.seed or "")) for column in columns for side in column if side)
    scores = [max((cells(side.score) for side in column if side), default=0) for column in columns]
    rest = sum(score + 1 for score in scores if score) + _LINE * (len(columns) - 1)
    rest += (seeds + 1) * len(columns)
    every = [side.name or "" for side in columns[0] + columns[1] if side]
    widest = max(cells(clean(name)) for name in every)
    about = {name: in_words(people.get(name, Person())) for name in every}
    wanted = max(widest, 1, *map(cells, about.values()))
    names = min(LONGEST_NAME, wanted, (width - rest) // len(columns))
    if names < min(SHORTEST_NAME, widest):
        return []
    wide = [seeds + 1 + names + (score + 1 if score else 0) for score in scores]
    height = 2 * len(columns[0])
    lines = ("".join(_row(columns, about, scores, wide, row)) for row in range(height))
    return [line for line in map(str.rstrip, lines) if line]


def _column(of_round: BracketRound) -> list[BracketSide | None]:
    """The sides of a round's matches from top to bottom; None for both sides of a bye."""
    return [
        side
        for match in of_round.matches
        for side in ((match.one, match.other) if match.other else (None, None))
    ]


def _winner(rounds: Sequence[BracketRound]) -> BracketSide:
    """The winner of the final, or an open place before the final is over."""
    if not rounds:
        return BracketSide()
    final = rounds[-1].matches[0]
    won = (side for side in (final.one, final.other) if side and side.is_winner)
    return next((BracketSide(side.name, side.seed) for side in won), BracketSide())


def _row(
    columns: Sequence[Sequence[BracketSide | None]],
    about: Mapping[str, str],
    scores: Sequence[int],
    wide: Sequence[int],
    row: int,
) -> list[str]:
    """The pieces of one line of the drawing: the text of each column, and the branch behind it."""
    pieces = []
    for number, column in enumerate(columns):
        step = 2 ** (number + 1)
        slot, off = divmod(row - (step // 2 - 1), step)
        side = column[slot] if off < 2 and 0 <= slot < len(column) else None
        if side is None:
            pieces.append(" " * wide[number])
        elif off:
            indent = " " * len(f"{side.seed} ")
            pieces.append(left(indent + about.get(side.name or "", ""), wide[number]))
        else:
            pieces.append(_cell(side, scores[number], wide[number]))
        if number + 1 < len(columns):
            pieces.append(_branch(column, row, number))
    return pieces


def _cell(side: BracketSide, score: int, wide: int) -> str:
    if side.name is None:
        return left(NOTHING_YET, wide)
    room = wide - (score + 1 if score else 0)
    named = left(f"{side.seed} {clean(side.name)}", room)
    return f"{named} {right(side.score, score)}" if score else named


def _branch(column: Sequence[BracketSide | None], row: int, number: int) -> str:
    """The piece of the bracket's branches at the right of a column, in one line of the drawing."""
    step = 2 ** (number + 1)
    slot, at = divmod(row - (step // 2 - 1), 2 * step)
    if at > step or not 0 <= 2 * slot < len(column) or column[2 * slot] is None:
        return " " * _LINE
    if at == 0:
        return "─┐ "
    if at == step:
        return "─┘ "
    return " ├─" if at == step // 2 else " │ "


def listed(
    rounds: Sequence[BracketRound], people: Mapping[str, Person], width: int
) -> list[tuple[str, list[str]]]:
    """The name of each round with a known bot, and a line for each of its matches with a known bot,
    the winner first. A bot's own name and author, from ``people``, follow its name if the text
    fits."""

    def named(side: BracketSide, room: int) -> str:
        if side.name is None:
            return NOTHING_YET
        whole = f"{clean(side.name)} {in_words(people.get(side.name, Person()))}".rstrip()
        return whole if cells(whole) <= room else cut(clean(side.name), room)

    known = [side for each in rounds for side in _column(each) if side]
    widest = max((cells(named(side, LONGEST_NAME)) for side in known), default=0)
    score = max((cells(_both(*match)) for each in rounds for match in each.matches), default=0)
    names = max(SHORTEST_NAME, min(widest, (width - score - 4) // 2, LONGEST_NAME))
    found = []
    for each in rounds:
        lines = []
        for one, other in each.matches:
            if other is not None and other.is_winner:
                one, other = other, one  # noqa: PLW2901 - as they are shown
            if other is None:
                lines.append(f"  {right(named(one, names), names)} {'bye':^{score}}".rstrip())
            elif one.name is not None or other.name is not None:
                first, second = (named(side, names) for side in (one, other))
                lines.append(f"  {right(first, names)} {_both(one, other):^{score}} {second}")
        if lines:
            found.append((each.name, lines))
    return found


def _both(one: BracketSide, other: BracketSide | None) -> str:
    """The score of a match: 2½-½, 1½-1½ (1-0) with a decider, "bye", or - before any result."""
    if other is None:
        return "bye"
    if not one.points:
        return "-"
    decider = f" ({one.decider}-{other.decider})" if one.decider else ""
    return f"{one.points}-{other.points}{decider}"
