"""The report on how well bots shoot, as text for a terminal and as CSV.

Pure. The lines fit a width of 40 cells or more, except commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from judge.contest.seeds import spelled
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary
from judge.contest.window import Fault
from judge.documents.game import Termination
from judge.documents.rules import Turn
from judge.documents.shooting import FleetsFrom
from judge.game.variants import name_of
from judge.show.columns import Column, comma_separated, told_table
from judge.show.evidence import fault_lines, forfeit_lines, quantile
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    cut,
    left,
    many,
    paint,
    right,
    wrap,
)
from judge.stats.samples import Difference, Spread

CSV_HEADER = comma_separated(
    [("board", "bot", "shots", "turns", "misses", "search", "destroy", "termination")]
)

_NAME = 18  # the cells of a name in a table
_LABEL = 9  # cells of a range of shots in a histogram
_BINS = 14  # the most rows of a histogram
_ABREAST = 3  # bots side by side in a histogram
_LEAST_BAR = 22  # cells for a bot in a histogram
_LONGEST_BAR = 50
_PARTS = "▏▎▍▌▋▊▉█"  # a cell that is an eighth full, two eighths, …

_Pair = tuple[BotShooting, BotShooting, Difference]


def report(
    shooting: ShootingTest,
    summary: ShootingSummary,
    *,
    again: str,
    checks: Sequence[str],
    played: int | None = None,
    faults: Sequence[Fault] = (),
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The report of a test of shooting: tables, histograms, differences between bots, and faults.

    ``again`` is the command that repeats the test, and ``checks`` has the command that checks each
    bot. ``played`` is the number of boards that were played when the test was interrupted. None
    stands for a whole test, whose report ends with the command that repeats the test.
    """
    lines = [*_table_of_shots(summary, width, colour), ""]
    if shooting.conditions.rules.turn is Turn.SALVO:  # without salvos, turns follow from shots
        lines += [*_table_of_turns(summary, width, colour), ""]
    lines += _table_of_times(summary, width, colour)
    cleared = [bot for bot in summary.bots if bot.efforts]
    abreast = min(_ABREAST, (width - _LABEL) // _LEAST_BAR)
    for start in range(0, len(cleared), abreast):
        lines += ["", *_histogram(cleared[start : start + abreast], width, colour)]
    if compared := [(one, other, by) for one, other, by in summary.pairs() if by is not None]:
        lines += ["", *_differences(compared, width, colour)]
    for bot, check, found in zip(summary.bots, checks, shooting.bots, strict=True):
        lines += _forfeits(bot, check, str(found.folder), colour, width=width, verbose=verbose)
    if faults:
        lines += ["", *fault_lines(faults, "board", width)]
    rules = clean(name_of(shooting.conditions.rules))
    boards = many(shooting.boards, "board")
    if played is not None:
        whole = many(shooting.boards * len(summary.bots), "board")
        boards = f"Interrupted after {played:,} of {whole}"
    lines += [
        "",
        *wrap(
            f"{boards}, {_origin(shooting.origin)}. Rules {rules}, seed {spelled(shooting.seed)}.",
            width=width,
        ),
    ]
    if played is None:
        lines += ["Do it again:", f"  {again}"]
    return "\n".join(lines)


def standing(summary: ShootingSummary) -> str:
    """The bots' mean shots so far, in a few words, also for a progress bar."""
    said = [
        f"{cut(clean(bot.name), _NAME)} {bot.total / len(bot.efforts):.2f}"
        for bot in summary.bots
        if bot.efforts
    ]
    return f"{', '.join(said)} shots a board" if said else "no board cleared"


def csv_row(board: int, bot: str, effort: Effort | None, termination: Termination) -> str:
    """A line of CSV with the columns of `CSV_HEADER`."""
    numbers: Sequence[int | None] = (None,) * 5
    if effort is not None:
        numbers = (effort.shots, effort.turns, effort.misses, effort.search, effort.destroy)
    return comma_separated([(board, bot, *numbers, termination)])


# Tables


def _table_of_shots(summary: ShootingSummary, width: int, colour: bool) -> list[str]:
    """A row for each bot: its shots, its misses while it searched for ships and while it sank a
    ship that it had hit, and its perfect boards."""
    columns = [
        *_spread_columns("shots", BotShooting.spread),
        Column("misses in|search", partial(_mean_misses, 0), spare=3),
        Column("misses in|destroying", partial(_mean_misses, 1), spare=2),
        Column("perfect|boards", lambda bot: str(bot.perfect) if bot.efforts else None, spare=1),
    ]
    return told_table(columns, summary.bots, width, colour)


def _table_of_turns(summary: ShootingSummary, width: int, colour: bool) -> list[str]:
    """A row for each bot: the turns that it took for a board."""
    columns = _spread_columns("turns", BotShooting.spread_of_turns)
    return told_table(columns, summary.bots, width, colour)


def _table_of_times(summary: ShootingSummary, width: int, colour: bool) -> list[str]:
    """A row for each bot: the times of its moves and the number of its forfeits. Their causes stand
    below."""

    def causes(bot: BotShooting) -> str:
        return ", ".join(f"{bot.forfeits[one]} {one}" for one in Termination if bot.forfeits[one])

    columns = [
        Column("ms|a move", _name, is_name=True),
        *(
            Column(heading, partial(_time, share), spare=spare)
            for heading, share, spare in (
                ("median", 0.5, 2),
                ("99 of 100", 0.99, 1),
                ("worst", 1, 0),
            )
        ),
        Column("forfeits", lambda bot: str(bot.forfeits.total())),
    ]
    return told_table(columns, summary.bots, width, colour, causes)


def _differences(pairs: Sequence[_Pair], width: int, colour: bool) -> list[str]:
    """A row for every two bots: the difference of their shots a board, its 95% interval, and the
    better bot. If there is no room for whole names and all columns, the names stand below."""

    def names(pair: _Pair) -> str:
        return f"{_name(pair[0])} - {_name(pair[1])}"

    def better(pair: _Pair) -> str:
        return (_name(pair[0]), "not shown", _name(pair[1]))[pair[2].sign + 1]

    def interval(pair: _Pair) -> str | None:
        between = pair[2].interval_95
        return None if between is None else "{:+.2f} to {:+.2f}".format(*between)

    numbers: list[Column[_Pair]] = [
        Column("difference", lambda pair: f"{pair[2].mean:+.2f}"),
        Column("95%|interval", interval),
    ]
    columns = [
        Column("on the|same boards", names, is_name=True),
        *numbers,
        Column("better", better),
    ]
    lines = told_table(columns, pairs, None, colour)
    if max(map(cells, map(clean, lines))) <= width:
        return lines
    return told_table(
        [Column("better", better, is_name=True), *numbers], pairs, width, colour, names
    )


def _spread_columns(
    number: str, spread: Callable[[BotShooting], Spread | None]
) -> list[Column[BotShooting]]:
    """The columns with the name of a bot and the mean, its error, the standard deviation, the
    median and the range of a ``number``."""

    def of(text: Callable[[Spread], str | None]) -> Callable[[BotShooting], str | None]:
        return lambda bot: text(found) if (found := spread(bot)) else None

    return [
        Column(f"{number}|a board", _name, is_name=True),
        Column("mean ± error", of(_mean)),
        Column("sd", of(lambda found: None if found.sd is None else f"{found.sd:.1f}"), spare=5),
        Column("median", of(lambda found: f"{found.median:.1f}"), spare=6),
        Column("range", of(lambda found: f"{found.min:.0f}–{found.max:.0f}"), spare=4),
    ]


def _name(bot: BotShooting) -> str:
    return cut(clean(bot.name), _NAME)


def _mean(found: Spread) -> str:
    return f"{found.mean:.2f}" if found.se is None else f"{found.mean:.2f} ± {found.se:.2f}"


def _mean_misses(which: int, bot: BotShooting) -> str | None:
    misses = bot.misses()
    return None if misses is None else f"{misses[which]:.1f}"


def _time(share: float, bot: BotShooting) -> str:
    return quantile(bot.times, share)


def _histogram(bots: Sequence[BotShooting], room: int, colour: bool) -> Iterator[str]:
    """The histograms of some bots, side by side. Each row is a range of shots. A bar is as long as
    the number of boards in that range, which stands behind it."""
    shots = [effort.shots for bot in bots for effort in bot.efforts.values()]
    least, most = min(shots), max(shots)
    step = -(-(most - least + 1) // _BINS)
    counts = [
        [
            sum(boards for shot, boards in bot.histogram() if start <= shot < start + step)
            for start in range(least, most + 1, step)
        ]
        for bot in bots
    ]
    width = (room - _LABEL) // len(bots)
    digits = len(str(max(map(max, counts))))
    longest = min(_LONGEST_BAR, width - digits - 3)
    scale = longest / max(map(max, counts))
    names = "".join(left(clean(bot.name), width - 2) + "  " for bot in bots)
    yield paint(f"{right('shots', _LABEL - 2)}  {names}".rstrip(), Style.BOLD, colour)
    for number, start in enumerate(range(least, most + 1, step)):
        label = f"{start}–{start + step - 1}" if step > 1 else f"{start}"
        row = [
            left(f"{_bar(count[number] * scale)} {count[number]}" if count[number] else "", width)
            for count in counts
        ]
        yield f"{right(label, _LABEL - 2)}  {''.join(row)}".rstrip()


def _bar(length: float) -> str:
    """A bar of ``length`` cells, rounded to eighths of a cell; at least one eighth."""
    eighths = max(1, round(8 * length))
    return _PARTS[-1] * (eighths // 8) + (_PARTS[eighths % 8 - 1] if eighths % 8 else "")


# What went wrong


def _forfeits(
    bot: BotShooting, check: str, folder: str, colour: bool, *, width: int, verbose: bool
) -> Iterator[str]:
    name = cut(clean(bot.name), _NAME)
    failed = bot.forfeits.total()
    if failed and not bot.efforts:
        yield ""
        none = f"{name} cleared none of {many(failed, 'board')}; this says what to mend:"
        yield from wrap(none, width=width)
        yield f"  {clean(check)}"
    elif failed:
        boards = many(len(bot.efforts) + failed, "board")
        some = f"{name} did not clear {failed:,} of {boards}, which are in no mean:"
        yield ""
        yield from wrap(some, width=width)
    for cause, (board, forfeit) in sorted(bot.first_forfeits.items()):
        count = bot.forfeits[cause]
        where = f"board {board}" if count == 1 else f"{count} boards, first board {board}"
        yield from forfeit_lines(
            name,
            forfeit,
            colour,
            f" ({where})",
            folder=folder,
            width=width,
            verbose=verbose,
        )


# Words and numbers


def _origin(origin: Origin) -> str:
    match origin.kind:
        case FleetsFrom.AGAINST:
            return f"fleets placed by {cut(clean(origin.bot or ''), _NAME)}"
        case FleetsFrom.PLACEMENTS:
            return "fleets from a file"
        case _:
            return "fleets drawn by the seed"
