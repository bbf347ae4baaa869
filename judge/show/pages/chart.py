"""The chart of many bots' curves over the games of a contest, in numbers to be drawn as SVG.

Pure. A template writes the SVG from these numbers. The first `LABELLED` bots have a colour and a
label. Each other bot has a thin line. The more bots there are, the fewer points each thin line has,
so that the picture stays small. Heights are measured from the top.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judge.contest.standings.time_series import Curve
from judge.show.text import clean, cut

LABELLED = 8
"""The number of bots with a colour and a label of their own."""

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 54, 612, 12, 300
FINE = 4  # lines are drawn in quarters of a unit, so that whole numbers are fine enough

_LABEL = 19  # cells of a name beside its line
_LEADING = 15  # units from one label to the next
_POINTS_OF_OTHERS = 6_000  # points of all lines without a label together
_TICKS = 5


class Tick(NamedTuple):
    """A line of the grid: where it lies, and the number beside it."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One bot's curve. ``index`` is the bot's row of the table, from 0. ``path`` is an SVG path in
    quarters of a unit. ``label`` is the height of the bot's label, None for a bot without one."""

    index: int
    name: str
    short: str
    path: str
    label: float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of `WIDTH` × `HEIGHT` units with its curves between `LEFT`, `RIGHT`, `TOP` and
    `BOTTOM`. ``across`` and ``up`` are the grid. ``zero`` is the height of the value 0, None if 0
    is not between the ends of the scale. ``constant`` is the value, written as on the scale, if all
    curves have only one value."""

    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    zero: float | None
    constant: str | None
    labelled: tuple[ChartLine, ...]
    others: tuple[ChartLine, ...]


def chart(
    curves: Sequence[tuple[str, Curve]],
    games: int,
    *,
    first: int = 0,
    signed: bool = False,
    place: int = 0,
) -> Chart | None:
    """The chart of bots' curves from the game ``first`` to the game ``games``.

    ``curves`` are in the order of the table, from its row ``place`` on. The row decides a bot's
    colour. With ``signed``, values on the scale have a sign. None without games or without a curve
    of at least two points.
    """
    values = [value for _, curve in curves for _, value in curve]
    if not games or all(len(curve) < 2 for _, curve in curves):
        return None
    first = min(first, games - 1)
    step = _step(max(values) - min(values))
    low = math.floor(min(values) / step) * step
    high = max(math.ceil(max(values) / step) * step, low + step)

    def x(game: int) -> float:
        return LEFT + (RIGHT - LEFT) * (game - first) / (games - first)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)

    def written(value: float) -> str:
        return f"{value:+,g}" if signed and value else f"{value:,g}"

    def path(curve: Curve) -> str:
        return _path([(round(FINE * x(game)), round(FINE * y(value))) for game, value in curve])

    leading, rest = curves[:LABELLED], curves[LABELLED:]
    heights = _apart([y(curve[-1][1]) if curve else None for _, curve in leading])
    most = max(2, _POINTS_OF_OTHERS // max(1, len(rest)))
    return Chart(
        across=tuple(Tick(x(at), f"{at:,}") for at in _whole_ticks(first, games)),
        up=tuple(
            Tick(round(y(at), 1), written(at))
            for at in (low + number * step for number in range(round((high - low) / step) + 1))
        ),
        zero=round(y(0), 1) if low < 0 < high else None,
        constant=written(round(values[0], 2)) if min(values) == max(values) else None,
        labelled=tuple(
            ChartLine(row, clean(name), cut(clean(name), _LABEL), path(curve), height)
            for row, ((name, curve), height) in enumerate(zip(leading, heights, strict=True), place)
            if curve
        ),
        others=tuple(
            ChartLine(row, clean(name), cut(clean(name), _LABEL), path(_thinned(curve, most)), None)
            for row, (name, curve) in enumerate(rest, place + LABELLED)
            if curve
        ),
    )


def _step(span: float) -> float:
    """The distance of two lines of the grid: 1, 2 or 5 times a power of ten."""
    rough = span / _TICKS or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= rough * 0.999)


def _whole_ticks(first: int, games: int) -> list[int]:
    step = max(1, round(_step(games - first)))
    return [*range(-(-first // step) * step, games + 1, step)]


def _thinned(curve: Curve, most: int) -> Curve:
    """The curve with at most ``most`` of its points, the first and the last among them."""
    if len(curve) <= most:
        return curve
    return [curve[round(number * (len(curve) - 1) / (most - 1))] for number in range(most)]


def _path(points: Sequence[tuple[int, int]]) -> str:
    """The SVG path through these points, in relative steps, which are shorter than absolute
    places."""
    (x, y), *rest = points
    parts = [f"M{x} {y}l"] if rest else [f"M{x} {y}h1"]
    for at_x, at_y in rest:
        dx, dy = at_x - x, at_y - y
        parts.append(f"{dx} {dy} ")
        x, y = at_x, at_y
    return "".join(parts).rstrip().replace(" -", "-")


def _apart(heights: Sequence[float | None]) -> list[float | None]:
    """The ``heights`` of labels, changed so that no two labels overlap; None stays None."""
    order = sorted((height, number) for number, height in enumerate(heights) if height is not None)
    pushed: list[tuple[float, int]] = []
    free = float(TOP)
    for height, number in order:  # from the top, each pushed down by the one above it
        pushed.append((max(free, height), number))
        free = pushed[-1][0] + _LEADING
    placed: list[float | None] = [None] * len(heights)
    free = float(BOTTOM)
    for height, number in reversed(pushed):  # from the bottom, pushed up by the one below it
        placed[number] = round(min(free, height), 1)
        free = min(free, height) - _LEADING
    return placed
