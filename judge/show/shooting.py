"""The report on how well bots shoot, as text for a terminal and as CSV.

Pure. The lines fit a width of 55 cells or more, except commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judge.contest.seeds import spelled
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary
from judge.contest.window import Fault
from judge.documents.game import Termination
from judge.documents.rules import Turn
from judge.documents.shooting import FleetsFrom
from judge.game.variants import name_of
from judge.show.columns import comma_separated, fitting_columns, left_out
from judge.show.evidence import fault_lines, forfeit_lines, quantile
from judge.show.text import (
    WIDTH,
    Style,
    clean,
    cut,
    hanging,
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
NARROWEST = 60  # columns that the tables fit
_PARTS = "▏▎▍▌▋▊▉█"  # a cell that is an eighth full, two eighths, …


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
    width = max(width, NARROWEST)
    lines = [*_table_of_shots(summary, width, colour), ""]
    if shooting.conditions.rules.turn is Turn.SALVO:  # without salvos, turns follow from shots
        lines += [*_table_of_turns(summary, colour), ""]
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


def _table_of_shots(summary: ShootingSummary, width: int, colour: bool) -> Iterator[str]:
    """A row for each bot: its shots, its misses while it searched for ships and while it sank a
    ship that it had hit, and its perfect boards."""
    # Widths of spread, misses, perfect boards and names. Perfect boards are left out first, then
    # misses.
    fits = fitting_columns([37, 17, 8, _NAME], [2, 1], width)
    blank = " " * _NAME
    above = [f"{'shots a board':<37}", f"{'misses':<17}", f"{'perfect':>8}"]
    heading = f"{'mean ± error':<15}{'sd':>5}{'median':>8}{'range':>9}"
    below = [heading, f"{'search':>8}{'destroy':>9}", f"{'boards':>8}"]
    for line in (above, below):
        shown = "".join(line[place] for place in fits if place < len(line))
        yield paint(f"{blank}{shown}".rstrip(), Style.DIM, colour)
    for bot in summary.bots:
        misses = bot.misses()
        parts = [_spread(bot.spread()), f"{'-':>8}{'-':>9}", f"{'-':>8}"]
        if misses is not None:
            parts[1:] = [f"{misses[0]:>8.1f}{misses[1]:>9.1f}", f"{bot.perfect:>8}"]
        name = paint(left(clean(bot.name), _NAME), Style.BOLD, colour)
        yield name + "".join(parts[place] for place in fits if place < len(parts))
    missing = [what for place, what in ((1, "misses"), (2, "perfect boards")) if place not in fits]
    yield from left_out(missing, width, colour)


def _table_of_turns(summary: ShootingSummary, colour: bool) -> Iterator[str]:
    """A row for each bot: the turns that it took for a board."""
    blank = " " * _NAME
    yield paint(f"{blank}turns a board", Style.DIM, colour)
    heading = f"{blank}{'mean ± error':<15}{'sd':>5}{'median':>8}{'range':>9}"
    yield paint(heading, Style.DIM, colour)
    for bot in summary.bots:
        yield paint(left(clean(bot.name), _NAME), Style.BOLD, colour) + _spread(
            bot.spread_of_turns()
        )


def _table_of_times(summary: ShootingSummary, width: int, colour: bool) -> Iterator[str]:
    """A row for each bot: the times of its moves, and its forfeits by termination."""
    worst = 9 if width >= WIDTH else 0  # cells of the column of worst times
    heading = f"{'ms a move':<{_NAME}}{'median':>8}{'99 of 100':>12}{'worst'[:worst]:>{worst}}"
    yield paint(f"{heading}   forfeits", Style.DIM, colour)
    for bot in summary.bots:
        times = [quantile(bot.times, share) for share in (0.5, 0.99, 1)]
        causes = [f"{bot.forfeits[cause]} {cause}" for cause in Termination if bot.forfeits[cause]]
        name = paint(left(clean(bot.name), _NAME), Style.BOLD, colour)
        head = f"{name}{times[0]:>8}{times[1]:>12}{times[2][:worst]:>{worst}}   "
        yield from hanging(head, ", ".join(causes) or "none", width)
    yield from left_out([] if worst else ["worst"], width, colour)


def _histogram(bots: Sequence[BotShooting], room: int, colour: bool) -> Iterator[str]:
    """The histograms of some bots, side by side. Each row is a range of shots. A bar is as long as
    the number of boards in that range."""
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
    yield paint(f"{'boards':<{_LABEL}}{names}".rstrip(), Style.BOLD, colour)
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


def _differences(
    pairs: Sequence[tuple[BotShooting, BotShooting, Difference]], width: int, colour: bool
) -> Iterator[str]:
    """A row for every two bots: the difference of their shots a board, its 95% interval, and the
    better bot."""
    is_wide = width >= WIDTH
    names = 36 if is_wide else width - 10 - 3 - 17
    each = names // 2 - 2
    heading = f"{'on the same boards':<{names}}{'difference':>10}   {'95% interval':<20}"
    yield paint(f"{heading}better" if is_wide else heading.rstrip(), Style.DIM, colour)
    for one, other, found in pairs:
        both = f"{cut(clean(one.name), each)} - {cut(clean(other.name), each)}"
        between = "-"
        if found.interval_95 is not None:
            between = "{:+.2f} to {:+.2f}".format(*found.interval_95)
        better = {-1: one.name, 0: "not shown", 1: other.name}[found.sign]
        row = f"{left(both, names)}{found.mean:>+10.2f}   {between:<20}"
        yield cut(f"{row}{clean(better)}", width) if is_wide else row.rstrip()
    yield from left_out([] if is_wide else ["better"], width, colour)


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


def _spread(found: Spread | None) -> str:
    """Mean and error, standard deviation, median and range."""
    if found is None:
        return f"{'-':<15}{'-':>5}{'-':>8}{'-':>9}"
    mean = f"{found.mean:.2f}" if found.se is None else f"{found.mean:.2f} ± {found.se:.2f}"
    sd = "-" if found.sd is None else f"{found.sd:.1f}"
    between = f"{found.min:.0f}–{found.max:.0f}"
    return f"{mean:<15}{sd:>5}{found.median:>8.1f}{between:>9}"
