"""The games of one bot in a ledger, as text and as a document; and the findings of verifying a
ledger, as text. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from judge.contest.bot_games import BotGame
from judge.contest.standings.summary import Forfeit
from judge.documents.history import GameEnd, History, OpponentCounts
from judge.documents.reports import Verification
from judge.show.columns import fitting_columns, left_out
from judge.show.evidence import forfeit_lines, naming_verbose
from judge.show.ledger import in_parts
from judge.show.opponents import opponent_lines
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    cut,
    hanging,
    left,
    many,
    paint,
    painted,
    wrap,
)

_BARS = "▁▂▃▄▅▆▇█"
_CURVE = 60  # columns of the curve of points
_NAME = 24
_RESULTS: tuple[GameEnd, ...] = ("won", "lost", "tied", "void")
_COUNTED = (*_RESULTS, "forfeited")


# One bot


def text(
    bot: str,
    games: Sequence[BotGame],
    points: float,
    *,
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The text on a bot's games: points, opponents, results and forfeits. ``games`` has at least
    one game and is in the order of play. ``points`` are the bot's present points."""
    name = cut(clean(bot), _NAME)
    counts = Counter(game.result for game, _ in games if game.voided is None)
    results = ", ".join(f"{counts[what]} {what}" for what in _RESULTS if counts[what])
    said = f"{name} has {points:.2f} points after {many(counts.total(), 'game')}"
    lines = [
        *painted(f"{said}: {results}." if results else f"{said}.", Style.BOLD, colour, width),
        "",
        *_curve(games, width),
        "",
        *opponent_lines(_opponents(games), "game", width, colour),
        "",
        *_list(games, width, colour),
    ]
    evidence: list[str] = []
    for cause, first in _forfeits(games).items():
        count = sum(
            forfeit is not None and forfeit.termination == cause and game.voided is None
            for game, forfeit in games
        )
        often = "" if count == 1 else f"{count} games, first "
        where = f" ({often}{clean(first.game)})"
        evidence += ["", *forfeit_lines(name, first, colour, where, width=width, verbose=verbose)]
    return "\n".join([*lines, *naming_verbose(evidence, width, verbose=verbose)])


def document(bot: str, games: Sequence[BotGame]) -> History:
    """The ``history`` document of a bot."""
    return History(bot=bot, opponents=_opponents(games), games=tuple(game.game for game in games))


def _in_words(opponents: tuple[str, ...]) -> str:
    return ", ".join(map(clean, opponents))


def _curve(games: Sequence[BotGame], room: int) -> list[str]:
    """The bot's points over time: a bar for each game, or for several games if a line has no
    room."""
    points = [games[0].game.points_before, *(game.points_after for game, _ in games)]
    low, high = min(points), max(points)
    width = min(_CURVE, room - len("Points  "), len(points))
    # Each bar shows the points at the end of its share of the games. The last bar shows the present
    # points.
    sampled = [points[(column + 1) * len(points) // width - 1] for column in range(width)]
    steps = len(_BARS) - 1
    bars = "".join(
        _BARS[round(steps * (value - low) / (high - low)) if high > low else 0] for value in sampled
    )
    said = f"from {points[0]:.2f}, between {low:.2f} and {high:.2f}"
    return [f"Points  {bars}", *wrap(said, " " * len("Points  "), room)]


def _opponents(games: Sequence[BotGame]) -> tuple[OpponentCounts, ...]:
    """The results by opponents, sorted by their names. ``voided`` games are not counted."""
    against: dict[tuple[str, ...], Counter[str]] = {}
    for game in games:
        counts = against.setdefault(game.opponents, Counter(dict.fromkeys(_COUNTED, 0)))
        if game.game.voided is None:
            counts[game.game.result] += 1
            counts["forfeited"] += game.forfeit is not None
    return tuple(
        OpponentCounts(names[0] if len(names) == 1 else names, **counts)
        for names, counts in sorted(against.items())
    )


def _list(games: Sequence[BotGame], room: int, colour: bool) -> Iterator[str]:
    """A line for each game with its result, and lines on changed files, resets and ``voided``
    games."""
    names = min(_NAME, max(len("against"), *(cells(_in_words(game.opponents)) for game in games)))
    ids = max(len("game"), *(len(f"#{game.number}") for game, _ in games))
    by, points, result = 15 + 2, 8 + 2, 6 + 2
    is_by_shown = 0 in fitting_columns([by, points, result, len("against") + 2, ids], [0], room)
    rest = points + result + by * is_by_shown + 2 + ids
    width = max(len("against"), min(names, room - rest))

    def ending(text: str) -> str:
        return f"{text:15}  " if is_by_shown else ""

    yield paint(
        f"{'points':>8}  {'result':6}  {ending('by')}{'against':{width}}  game",
        Style.DIM,
        colour,
    )
    for one in games:
        game = one.game
        if game.changed:
            yield f"          (from here on version {game.bot_version}, with other files)"
        if game.reset:
            yield "          (its points were reset)"
        line = (
            f"{game.points_after:>8.2f}  {game.result:6}  {ending(game.termination)}"
            f"{left(_in_words(one.opponents), width)}  #{game.number}"
        )
        yield paint(line, Style.RED, colour and one.forfeit is not None)
        if game.voided is not None:
            yield from wrap(f"does not count: {clean(game.voided)}", " " * 10, room)
    yield from left_out([] if is_by_shown else ["by"], room, colour)


def _forfeits(games: Sequence[BotGame]) -> dict[str, Forfeit]:
    """The first forfeit by each termination, without ``voided`` games."""
    firsts: dict[str, Forfeit] = {}
    for game, forfeit in games:
        if forfeit is not None and game.voided is None:
            first = forfeit._replace(game=f"#{game.number}")
            firsts.setdefault(first.termination, first)
    return firsts


# A whole ledger


def verified(name: str, found: Verification, width: int = WIDTH) -> str:
    """The text of a verification: a sentence or two, and a line or more for each problem."""
    judged = f"{clean(name)}: {many(found.games, 'game')} judged again"
    well = "all is as it should be"
    others = (found.unfinished, found.void, found.voided, found.disqualified_games)
    if any(others) and not found.problems:
        judged += f": {in_parts(found.games - sum(others), *others)}"
    if found.broken_off:
        which = "the game" if found.games == 1 else many(found.broken_off, "game")
        judged += f"; {which} {'breaks' if found.broken_off == 1 else 'break'} off before the end"
        well = "what there is of it is as it should be" if found.games == 1 else well
    if found.problems:
        lines = wrap(f"{judged}. {many(len(found.problems), 'problem')}:", width=width)
        for problem in found.problems:
            lines += hanging("  - ", clean(problem), width)
    else:
        lines = wrap(f"{judged}; {well}.", width=width)
    behind = [f"the table lacks the last {many(found.behind, 'game')}"] if found.behind else []
    torn = [f"the journal ends in {found.torn} bytes of a line that is not whole"] * bool(
        found.torn
    )
    if found.problems and torn:
        lines += wrap(f"Further, {torn[0]}.", width=width)
    elif behind or torn:
        said = f"When a game is next added this is mended: {', and '.join(behind + torn)}."
        lines += wrap(said, width=width)
    return "\n".join(lines)
