"""A contest by its format, for a terminal: the cross table of a tournament, the rounds of a Swiss
contest, the bracket of a knock-out, the lives that are left.

Pure. Every line fits the width that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from judge.contest.contest_table import ContestTable
from judge.contest.formats.knockout import DECIDERS
from judge.contest.formats.units import Pair, PlaceInFormat, Stage
from judge.show.text import WIDTH, Style, cells, clean, cut, left, paint, right, wrap

LEADERS = 10  # of a table after each round
LONGEST_NAME = 24
SHORTEST_NAME = 8
ANY = 10**6  # cells, where nothing says how many there are
NOTHING_YET = "·"


def contest_lines(contest: ContestTable, width: int | None, colour: bool) -> list[str]:
    """What there is to see of a contest besides the table of its bots; without a ``width`` all."""
    room = ANY if width is None else width
    lines = [*_TABLES[contest.plan.format](contest, room, colour)]
    return [*lines, "", *wrap(how_it_stands(contest), width=min(room, WIDTH))]


def leaderboard(contest: ContestTable) -> str:
    """Who stands where after the last round that is over, the first few."""
    stage = next(
        (
            stage
            for stage in reversed(contest.stages)
            if all(pair.result(contest.results) is not None for pair in stage.pairs)
        ),
        None,
    )
    width = max((cells(_short(place.name)) for place in contest.places[:LEADERS]), default=0)
    lines = [f"After {stage.name[:1].lower()}{stage.name[1:]}:" if stage else "Before the games:"]
    lines += [
        f"{place.rank:>3}{_shared(place, contest) or ' '} {left(_short(place.name), width)}  {_stands(place)}"
        for place in contest.places[:LEADERS]
    ]
    if (more := len(contest.places) - LEADERS) > 0:
        lines.append(f"     and {more} more")
    return "\n".join(lines)


def ranked_as(place: PlaceInFormat, contest: ContestTable) -> str:
    """The rank of a bot, and whether others share it."""
    return f"{place.rank}{_shared(place, contest)}"


def _shared(place: PlaceInFormat, contest: ContestTable) -> str:
    return "=" if sum(other.rank == place.rank for other in contest.places) > 1 else ""


def _stands(place: PlaceInFormat) -> str:
    """What decides about a place, in words."""
    if place.out is not None:
        return "out"
    if place.lives is not None:
        return "1 life" if place.lives == 1 else f"{place.lives} lives"
    return f"{whole(place.points)} point{'s' * (place.points != 1)}"


def told(contest: ContestTable) -> str:
    """How the bots are ranked, in a sentence."""
    return _RANKED_BY[contest.plan.format]


def how_it_stands(contest: ContestTable) -> str:
    """Who has won, or why nobody has, in a sentence."""
    if not contest.is_over:
        return "The contest is not over; the same command goes on."
    if contest.winner is not None:
        return f"{_short(contest.winner)} has won."
    first = [_short(place.name) for place in contest.places if place.rank == 1]
    if contest.plan.format == "lives":
        return f"Nobody has won: {' and '.join(first)} lost their last lives in one tie."
    return f"{' and '.join(first)} share the first place."


def _short(name: str) -> str:
    return cut(clean(name), LONGEST_NAME)


def _cross_table(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """Points of the row's bot against the column's; without the columns where they do not fit."""
    places = contest.places
    points = {
        **{couple: total.points[0] for couple, total in contest.crossed.items()},
        **{couple[::-1]: total.points[1] for couple, total in contest.crossed.items()},
    }
    grid = [["#", "bot", "points", *(str(at) for at in range(1, len(places) + 1))]]
    for at, place in enumerate(places):
        against = (
            "" if at == other else halves(points.get((place.name, places[other].name)))
            for other in range(len(places))
        )
        grid.append([ranked_as(place, contest), clean(place.name), whole(place.points), *against])
    if contest.plan.match > 1:
        grid = [
            [*row[:3], games, *row[3:]] for row, games in zip(grid, _games(places), strict=True)
        ]
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    widths[1] = min(widths[1], SHORTEST_NAME)
    fits = sum(widths) + len(widths) - 1 <= width
    if not fits:
        grid = [row[: 3 + (contest.plan.match > 1)] for row in grid]
    yield from _aligned(grid, width, colour)
    if not fits:
        said = "No room here for who won against whom: a wider terminal has it."
        yield from (paint(line, Style.DIM, colour) for line in wrap(said, width=width))


def _games(places: Sequence[PlaceInFormat]) -> list[str]:
    return ["games won", *(whole(place.tie_break or 0) for place in places)]


def _swiss(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """Round by round who met whom, then the points with what parts those who have equal ones."""
    for stage in contest.stages:
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)
    yield ""
    yield from _aligned(
        [
            ["#", "bot", "points", "opponents' points", "byes"],
            *(
                [
                    ranked_as(place, contest),
                    clean(place.name),
                    whole(place.points),
                    whole(place.tie_break or 0),
                    str(place.byes or "-"),
                ]
                for place in contest.places
            ),
        ],
        width,
        colour,
    )


def _lives(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The last round, and who has how many lives left."""
    if contest.stages:
        stage = contest.stages[-1]
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)
        yield ""
    lives = contest.plan.lives
    yield from _aligned(
        [
            ["#", "bot", "lives", "out in round", "won", "byes"],
            *(
                [
                    ranked_as(place, contest),
                    clean(place.name),
                    _hearts(place.lives or 0, lives),
                    "-" if place.out is None else str(place.out),
                    whole(place.points),
                    str(place.byes or "-"),
                ]
                for place in contest.places
            ),
        ],
        width,
        colour,
    )


def _hearts(alive: int, lives: int) -> str:
    return f"{alive} of {lives}" if lives > 9 else "*" * alive + NOTHING_YET * (lives - alive)


def _pairs(contest: ContestTable, stage: Stage, width: int) -> Iterator[str]:
    """A line for each pair of a round, and for each bye."""
    names = _name_width([name for pair in stage.pairs for name in pair.bots], (width - 12) // 2)
    for pair in stage.pairs:
        one, other = map(clean, pair.bots)
        yield f"  {right(one, names)} {score(contest, pair):^7} {cut(other, names)}".rstrip()
    for bye in stage.byes:
        yield f"  {right(clean(bye), names)}   bye"


def _bracket(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The bracket from the left to the right, as far as it is known; round by round where it does
    not fit."""
    rounds = [stage for stage in contest.stages if not _is_decider(stage)]
    drawn = _drawn(contest, rounds)
    if drawn and max(map(cells, drawn)) <= width:
        yield from drawn
        return
    for stage in contest.stages:
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)


def _drawn(contest: ContestTable, rounds: Sequence[Stage]) -> list[str]:
    """The lines of the bracket: each round a column, a bot between the two that it came from."""
    slots = 2
    while slots < len(contest.plan.bots):
        slots *= 2
    height = 2 * slots - 1
    columns = slots.bit_length()  # rounds, and one for the winner
    seeds = {name: str(seed) for seed, name in enumerate(contest.plan.bots, 1)}
    names = _name_width(contest.plan.bots, LONGEST_NAME) + max(map(len, seeds.values())) + 1
    grid = [[""] * columns for _ in range(height)]
    open_lines = [[False] * columns for _ in range(height)]
    places = _slots(contest, rounds, slots, columns)
    for column, held in enumerate(places):
        step = 2 ** (column + 1)
        for slot, name in enumerate(held):
            row = step // 2 - 1 + slot * step
            if name is None:
                continue
            grid[row][column] = f"{seeds[name]} {clean(name)}"
        if column + 1 < columns:
            for slot in range(0, len(held), 2):
                top = step // 2 - 1 + slot * step
                if held[slot] is None and held[slot + 1] is None:
                    continue
                if column == 0 and None in held[slot : slot + 2]:
                    continue
                for row in range(top, top + step + 1):
                    open_lines[row][column] = True
    lines = []
    for row in range(height):
        line = ""
        for column in range(columns):
            text = grid[row][column]
            line += left(text, names)
            line += _branch(open_lines, row, column) if column + 1 < columns else ""
        lines.append(line.rstrip())
    return [line for line in lines if line]


def _branch(lines: Sequence[Sequence[bool]], row: int, column: int) -> str:
    """The piece of the bracket at the right of a column."""
    if not lines[row][column]:
        return "   "
    step = 2 ** (column + 1)
    at = (row - (step // 2 - 1)) % (2 * step)
    if at == 0:
        return "─┐ "
    if at == step:
        return "─┘ "
    return " ├─" if at == step // 2 else " │ "


def _slots(
    contest: ContestTable, rounds: Sequence[Stage], slots: int, columns: int
) -> list[list[str | None]]:
    """Who stands in each place of each column, as far as that is known."""
    from judge.contest.formats.knockout import bracket

    held: list[list[str | None]] = [bracket(contest.plan.bots)]
    for column in range(columns - 1):
        before = held[-1]
        stage = rounds[column] if column < len(rounds) else None
        by_pair = {pair.bots: pair for pair in stage.pairs} if stage else {}
        following: list[str | None] = []
        for one, other in zip(before[::2], before[1::2], strict=True):
            if column == 0 and (one is None or other is None):
                following.append(one or other)
            elif stage and one and other and (one, other) in by_pair:
                following.append(contest.goes_on(by_pair[one, other], stage))
            else:
                following.append(None)
        held.append(following)
    # Who has a bye is shown where it first plays.
    for at, (one, other) in enumerate(zip(held[0][::2], held[0][1::2], strict=True)):
        if one is None or other is None:
            held[0][2 * at] = held[0][2 * at + 1] = None
    assert len(held[0]) == slots, "a bracket has a power of two of places"
    return held


def _is_decider(stage: Stage) -> bool:
    return any(stage.name.endswith(f", decider {number}") for number in range(1, DECIDERS + 1))


def score(contest: ContestTable, pair: Pair) -> str:
    """The points of two bots that met, as far as they have: 2-1; a dash before that."""
    one, other = pair.so_far(contest.results).points
    is_begun = any(contest.results(meeting) is not None for meeting in pair.meetings)
    return f"{halves(one)}-{halves(other)}" if is_begun else "-"


def _name_width(names: Sequence[str], most: int) -> int:
    widest = max((cells(clean(name)) for name in names), default=0)
    return max(SHORTEST_NAME, min(widest, most, LONGEST_NAME))


def _aligned(grid: Sequence[Sequence[str]], width: int, colour: bool) -> Iterator[str]:
    """The rows with all but the names at the right; names are cut to what is left."""
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    rest = sum(widths) - widths[1] + 2 * (len(widths) - 1)
    gap = 2 if rest + widths[1] <= width else 1
    rest = sum(widths) - widths[1] + gap * (len(widths) - 1)
    widths[1] = min(widths[1], max(SHORTEST_NAME, width - rest))
    for number, row in enumerate(grid):
        placed = [right(text, wide) for text, wide in zip(row, widths, strict=True)]
        placed[1] = left(row[1], widths[1])
        line = (" " * gap).join(placed).rstrip()
        yield paint(line, Style.DIM, colour) if not number else line


def halves(halves: int | None) -> str:
    """Points: 3, 2½, ½; a dot where nothing has been played."""
    if halves is None:
        return NOTHING_YET
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def whole(points: float) -> str:
    """Points, as `halves` has them."""
    return halves(round(2 * points))


_TABLES: dict[str, Callable[[ContestTable, int, bool], Iterator[str]]] = {
    "tournament": _cross_table,
    "swiss": _swiss,
    "knockout": _bracket,
    "lives": _lives,
}
_RANKED_BY = {
    "tournament": "Ranked by the tournament: a point a win, half a point a tie.",
    "swiss": "Ranked by the Swiss contest: points, then the points of the opponents.",
    "knockout": "Ranked by the knock-out: the round in which each went out.",
    "lives": "Ranked by lives: those left, then the round in which the last was lost.",
}
