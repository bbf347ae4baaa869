"""The result of a fight of several games, for a terminal: the score, a table, Elo and SPRT.

Pure. The lines fit a width, except commands: each command has one unbroken line, so that it can be
copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judge.contest.ledger.ledger import Repeated
from judge.contest.seeds import spelled
from judge.contest.standings.summary import (
    BotTotals,
    FightSummary,
    mean,
)
from judge.contest.window import Fault
from judge.documents.game import Termination
from judge.show.evidence import fault_lines, forfeit_lines, naming_verbose, quantile
from judge.show.one_game import again_lines, rerun_lines, short_name
from judge.show.text import (
    WIDTH,
    Style,
    clean,
    hanging,
    in_a_list,
    paint,
    painted,
    plural,
    right,
    wrap,
)
from judge.stats.intervals import EloDifference
from judge.stats.sprt import Sprt, Verdict

_LABEL = 18  # cells of a label in a table
_LEAST_COLUMN = 16  # cells of a bot's column in a table of two


def many_games(
    summary: FightSummary,
    *,
    seed: int | None = None,
    again: str | None = None,
    reruns: Sequence[str] = (),
    failed: int = 0,
    points: str | None = None,
    sprt: Sprt | None = None,
    faults: Sequence[Fault] = (),
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The text of a fight's result: the score, a table, the verdict, and forfeits and faults.
    ``reruns`` are commands that run again the moves by which bots forfeited; ``failed`` is the
    number of these moves."""
    if faults and not summary.games:
        return "\n".join([*fault_lines(faults, "game", width), *again_lines(again)])
    names = [short_name(name) for name in summary.names]
    elo = summary.elo()
    lines = painted(score(summary), Style.BOLD, colour, width)
    if of_match := match_result(summary):
        lines += wrap(of_match, width=width)
    lines += ["", *_table_of_bots(summary, width, colour)]
    strength = [] if elo is None else _strength(summary, elo, width)
    if means := [*strength, *_first_mover_row(summary)]:
        lines += ["", *means]
    if said := verdict(summary):
        lines += ["", *painted(said, Style.BOLD, colour, width)]
    if sprt is not None:
        lines += wrap(sprt_state(sprt, summary), width=width)
    evidence: list[str] = []
    for name, bot in zip(names, summary.bots, strict=True):
        for cause, first in sorted(bot.first_forfeits.items()):
            count = bot.counts.forfeits.get(cause, 0)
            often = "" if count == 1 else f"{count} games, first "
            where = f" ({often}{clean(first.game)})"
            why = forfeit_lines(name, first, colour, where, width=width, verbose=verbose)
            evidence += ["", *why]
    lines += naming_verbose(evidence, width, verbose=verbose)
    if faults:
        lines += ["", *fault_lines(faults, "game", width)]
    lines += ["", *wrap(points, width=width)] if points else []
    if seed is not None:
        lines += ["", f"Seed {spelled(seed)}."]
    return "\n".join([*lines, *rerun_lines(reruns, failed), *again_lines(again)])


def score(summary: FightSummary) -> str:
    """The score so far in a clause, also for a progress bar."""
    extra = "".join(
        f", {count} {what}"
        for count, what in ((summary.ties, "tied"), (summary.void, "void"))
        if count
    )
    played = f"{summary.games} {plural('game', summary.games)}"
    if summary.is_duel:
        a, b = summary.bots
        wins = f"{short_name(a.name)} {a.counts.won} : {b.counts.won} {short_name(b.name)}"
    else:
        wins = ", ".join(f"{short_name(bot.name)} {bot.counts.won}" for bot in summary.bots)
    return f"{wins} in {played}{extra}"


def match_result(summary: FightSummary) -> str | None:
    """A sentence on who has won the match; None if the games are not a match."""
    if not summary.match_games:
        return None
    names = [short_name(name) for name in summary.names]
    if ended_by := summary.match_ended_by:
        at = f"in game {summary.games:,} of {summary.match_games:,}"
        if ended_by.winner is None:
            return f"{in_a_list(names, len(names), 'bot')} tie the match: both failed {at}."
        loser = names[1 - ended_by.winner]
        return f"{names[ended_by.winner]} wins the match, which {loser} forfeited {at}."
    wins = [bot.counts.won for bot in summary.bots]
    best = [name for name, won in zip(names, wins, strict=True) if won == max(wins)]
    who = in_a_list(best, len(best), "bot")
    return f"{who} tie the match." if len(best) > 1 else f"{who} wins the match."


def points_line(summary: FightSummary, ledger: str, repeats: Sequence[Repeated] = ()) -> str | None:
    """A line on the bots' points in the ledger before and after the games, and on games that the
    ledger had already. None if there are neither points nor such games."""
    moved = [
        f"{short_name(bot.name)} {bot.points_before:.2f} to {bot.points_after:.2f}"
        for bot in summary.bots
        if bot.points_before is not None
    ]
    kept = clean(ledger)
    said = [_repeats(summary.games, repeats, kept)] if repeats else []
    if moved and len(repeats) < summary.games:
        said.append(f"Points: {', '.join(moved)}; kept in {kept}.")
    return " ".join(said) or None


def _repeats(games: int, repeats: Sequence[Repeated], ledger: str) -> str:
    """A line on the games that the ledger has already, and on whether they went the same way."""
    otherwise = [one for one in repeats if one.difference]
    first, *_ = otherwise or repeats
    if games == 1:
        way = "and it went the same way"
        if otherwise:
            way = f"but it went otherwise: {clean(first.difference or '')}"
        return f"This is game #{first.number} of {ledger}, {way}; it is not counted again."
    which = "All" if len(repeats) == games else f"{len(repeats):,} of the"
    way = "all of them went the same way"
    if otherwise:
        way = (
            f"{len(otherwise):,} of them went otherwise, such as #{first.number}: "
            f"{clean(first.difference or '')}"
        )
    return f"{which} {games:,} games are in {ledger} already and are not counted again; {way}."


def verdict(summary: FightSummary) -> str | None:
    """A sentence on which bot is stronger, with a caution if the other bot lost most of its lost
    games by forfeit; or that no game counts. None for more than two bots and for a match, if games
    count."""
    if not summary.counted:
        return "No game counts, so nothing can be said about who is stronger."
    elo = summary.elo()
    if elo is None:
        return None
    first, second = (short_name(name) for name in summary.names)
    winner = summary.stronger()
    if winner is None:
        return f"Not yet decided: {_lead(elo, first, second)}. More games will tell."
    loser = 1 - winner
    names = (first, second)
    said = f"{names[winner]} is stronger than {names[loser]} (LOS {_los(elo, winner)})."
    bot = summary.bots[loser]
    lost_by_forfeit = bot.counts.lost - summary.bots[winner].counts.won_by_play
    if 2 * lost_by_forfeit > bot.counts.lost:
        said += (
            f" But {names[loser]} lost {lost_by_forfeit} of {bot.counts.lost} by forfeit: "
            "that says little about how well it shoots."
        )
    return said


def _lead(elo: EloDifference, first: str, second: str) -> str:
    if elo.los == 0.5:
        return f"{first} and {second} are level"
    leader, who = (first, 0) if elo.los > 0.5 else (second, 1)
    return f"{leader} leads (LOS {_los(elo, who)})"


def sprt_state(sprt: Sprt, summary: FightSummary) -> str:
    """A sentence on the present state of the sequential test."""
    pairs = summary.pairs
    first, second = (short_name(name) for name in summary.names)
    state = {
        Verdict.CONTINUE: "not yet decided",
        Verdict.H0: f"H0 accepted: {first} against {second} is nearer to {sprt.elo0:+g} Elo "
        f"than to {sprt.elo1:+g}",
        Verdict.H1: f"H1 accepted: {first} against {second} is nearer to {sprt.elo1:+g} Elo "
        f"than to {sprt.elo0:+g}",
    }[sprt.verdict(pairs)]
    lower, upper = sprt.bounds
    return (
        f"SPRT [{sprt.elo0:g}, {sprt.elo1:g}]: LLR {sprt.llr(pairs):+.2f} "
        f"({lower:.2f} to {upper:.2f}) after {sum(pairs)} {plural('pair', sum(pairs))}, {state}."
    )


def _table_of_bots(summary: FightSummary, width: int, colour: bool) -> list[str]:
    """A table with a column for each bot and a row for each measure. More than two bots, or two in
    a narrow terminal, may take several tables, one below the other."""
    room = width - _LABEL
    if summary.is_duel and room >= 2 * _LEAST_COLUMN:
        return _columns_of_bots(summary, (0, 1), min(28, room // 2), colour)
    numbers = range(len(summary.bots))
    abreast = room // 20
    lines: list[str] = []
    for begin in range(0, len(numbers), abreast):
        table = _columns_of_bots(summary, numbers[begin : begin + abreast], 20, colour)
        lines += ["", *table] if lines else table
    return lines


def _columns_of_bots(
    summary: FightSummary, numbers: Sequence[int], width: int, colour: bool
) -> list[str]:
    """The table of some bots. All tables of a fight have the same rows."""
    bots = [summary.bots[number] for number in numbers]
    title = "".join(f"  {right(clean(bot.name), width - 2)}" for bot in bots)
    rows: list[tuple[str, list[str]]] = [("wins", [str(bot.counts.won) for bot in bots])]
    if summary.ties:
        rows.append(("ties", [str(bot.counts.tied) for bot in bots]))
    rows += [
        ("win rate", [_percent(summary.win_rate(number)) for number in numbers]),
        *(
            []
            if summary.match_games  # a match is only one result
            else [("  95% interval", [_range_of_rates(summary, number) for number in numbers])]
        ),
        *_effort(summary, bots),
        ("ms a move, median", [quantile(bot.times, 0.5) for bot in bots]),
        ("  99 of 100 within", [quantile(bot.times, 0.99) for bot in bots]),
        ("  worst", [quantile(bot.times, 1) for bot in bots]),
    ]
    causes = [
        cause
        for cause in Termination
        if any(bot.counts.forfeits.get(cause, 0) for bot in summary.bots)
    ]
    rows.append(("forfeits", [str(sum(bot.counts.forfeits.values()) or "none") for bot in bots]))
    rows += [
        (f"  {cause}", [str(bot.counts.forfeits.get(cause, 0) or "-") for bot in bots])
        for cause in causes
    ]
    return [
        paint(f"{'':{_LABEL}}{title}", Style.BOLD, colour),
        *(f"{label:<{_LABEL}}" + "".join(f"{one:>{width}}" for one in row) for label, row in rows),
    ]


def _effort(summary: FightSummary, bots: Sequence[BotTotals]) -> Iterable[tuple[str, list[str]]]:
    """The rows on shots, and the rows on volleys if any volley has several shots."""
    salvos = any(bot.volleys != bot.shots for bot in summary.bots)
    yield "shots to win", [_mean(bot.counts.shots_to_win, bot.counts.won_by_play) for bot in bots]
    if salvos:
        yield (
            "volleys to win",
            [_mean(bot.counts.volleys_to_win, bot.counts.won_by_play) for bot in bots],
        )
    yield "shots a game", [_mean(bot.shots, summary.counted) for bot in bots]
    if salvos:
        yield "volleys a game", [_mean(bot.volleys, summary.counted) for bot in bots]
    yield "misses a game", [_mean(bot.misses, summary.counted) for bot in bots]


def _strength(summary: FightSummary, elo: EloDifference, width: int) -> list[str]:
    low, high = elo.interval_95
    pairs = sum(summary.pairs)
    basis = f", counted in {pairs} swapped {plural('pair', pairs)}" if pairs else ""
    rows = [
        ("Elo difference", f"{_elo(elo.difference)}, 95% from {_elo(low)} to {_elo(high)}{basis}"),
        ("LOS", f"{_los(elo, 0)} that {short_name(summary.names[0])} is the stronger one"),
    ]
    return [line for label, value in rows for line in hanging(f"{label:<{_LABEL}}", value, width)]


def _first_mover_row(summary: FightSummary) -> list[str]:
    """The row on how often the first mover won; empty if no decided game has a first mover."""
    if not summary.first_moved:
        return []
    share = _percent(summary.first_mover_wins / summary.first_moved)
    won = f"{share} ({summary.first_mover_wins} of {summary.first_moved})"
    return [f"{'first mover won':<{_LABEL}}{won}"]


# Words and numbers


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def _range_of_rates(summary: FightSummary, bot: int) -> str:
    low, high = summary.win_rate_95(bot)
    return f"{_percent(low)} – {_percent(high)}"


def _elo(value: float) -> str:
    return f"{round(value):+d}"


def _los(elo: EloDifference, bot: int) -> str:
    """The likelihood that a bot is the stronger one, as text; never 0% or 100%."""
    los = elo.los if bot == 0 else 1 - elo.los
    if los > 0.999:
        return "over 99.9%"
    return "under 0.1%" if los < 0.001 else _percent(los)


def _mean(total: int, count: int) -> str:
    value = mean(total, count)
    return "-" if value is None else f"{value:.1f}"
