"""The result of one game as text: who won and why, and a row for each seat.

Pure. The lines fit a width, except commands: each command has one unbroken line, so that it can be
copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from judge.contest.seeds import spelled
from judge.contest.standings.summary import Times, forfeits, run_times
from judge.documents.game import GameRecord, Outcome, Termination
from judge.documents.rules import Goal, Rules, Turn
from judge.game.steps import volleys_of
from judge.game.variants import name_of
from judge.show.board import afloat
from judge.show.columns import fitting_columns, left_out
from judge.show.evidence import forfeit_lines, naming_verbose, quantile
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    cut,
    in_a_list,
    left,
    many,
    paint,
    painted,
    plural,
    wrap,
)

_NAME = 24  # the cells of a name in a sentence
_SHORT_NAME = 8  # the least cells of a name in a table
_NARROW = 60  # a narrower table may have no times


class Words(NamedTuple):
    """The words for a termination: ``decided`` for a game with a winner, and ``tied`` for a game
    without a winner. Words for a case that cannot be are empty.

    With more than two seats, ``{both}`` becomes "all", and ``of_many``, if given, takes the place
    of ``decided``.
    """

    decided: str = ""
    tied: str = ""
    of_many: str = ""


WORDS = {
    Termination.FLEET_DESTROYED: Words(
        "{winner} sank the whole fleet",
        "{both} fleets were sunk at once",
        of_many="{winner} was the last with a ship afloat",
    ),
    Termination.GOAL: Words(
        "{winner} was ahead when the goal was reached", "level when the goal was reached"
    ),
    Termination.ROUND_LIMIT: Words(
        "{winner} was ahead when the rounds were over", "level when the rounds were over"
    ),
    Termination.ALL_DEAD: Words(
        "{winner} was ahead when nothing was left to hit", "level when nothing was left to hit"
    ),
    Termination.BAD_OUTPUT: Words("{loser} gave no valid reply"),
    Termination.ILLEGAL_FLEET: Words("{loser} placed an illegal fleet"),
    Termination.ILLEGAL_MOVE: Words("{loser} made an illegal move"),
    Termination.TIMEOUT: Words("{loser} did not reply in time"),
    Termination.CRASH: Words("{loser} crashed"),
    Termination.LEFT: Words("{loser} left"),
    Termination.BOTH_FAILED: Words(tied="{both} failed in the same step"),
    Termination.RESIGNED: Words("{loser} resigned"),
    Termination.VOID: Words(tied="{both} fleets were forfeited"),
    Termination.ABORTED: Words(tied="the game was not played to its end"),
}

_UNRATED = {Termination.VOID: "Void", Termination.ABORTED: "Unfinished"}


def one_game(
    record: GameRecord,
    *,
    seed: int | None = None,
    again: str | None = None,
    reruns: Sequence[str] = (),
    failed: int = 0,
    points: str | None = None,
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The text of one game's result.

    ``seed`` is the seed of the fight, from which the game's own seed is derived. ``again`` is the
    command that plays the game again. ``reruns`` are commands that run again the moves by which
    bots forfeited; ``failed`` is the number of these moves. ``points`` is a line on the bots'
    points. With ``verbose`` nothing is left out of the evidence.
    """
    names = [short_name(seat.name) for seat in record.seats]
    lines = painted(headline(record), Style.BOLD, colour, width)
    evidence: list[str] = []
    for seat, forfeit in forfeits(record).items():
        name = names[seat]
        evidence += ["", *forfeit_lines(name, forfeit, colour, width=width, verbose=verbose)]
    lines += naming_verbose(evidence, width, verbose=verbose, is_usual=not reruns)
    lines += ["", *_table_of_seats(record, width, colour), ""]
    shots, volleys = len(record.shots), ""
    if record.rules.turn is Turn.SALVO and shots:
        volleys = f"{many(sum(1 for _ in volleys_of(record)), 'volley')}, "
    first = "" if record.rules.turn is Turn.BOTH else f"{names[record.first]} moved first. "
    times = [ms for _, ms in run_times(record)]
    taken = f", {duration(times)} of the bots' time" if times else ""
    seeded = "" if seed is None else f", seed {spelled(seed)}"
    lines += wrap(
        f"{first}{volleys}{shots or 'No'} {plural('shot', shots)}{taken}. "
        f"Rules {clean(name_of(record.rules))}{seeded}"
        f"{', moves forked' if any(seat.launch == 'fork' for seat in record.seats) else ''}.",
        width=width,
    )
    lines += wrap(points, width=width) if points else []
    return "\n".join([*lines, *rerun_lines(reruns, failed), *again_lines(again)])


def headline(record: GameRecord, names: Sequence[str] | None = None, *, brief: bool = False) -> str:
    """A sentence on who won and how. ``names`` are by default the names of the seats, cut. With
    ``brief`` the sentence has only the score of the winner, or of those who tied."""
    names = names or [short_name(seat.name) for seat in record.seats]
    effort, winner = "", record.outcome.winner
    if record.outcome.termination is Termination.FLEET_DESTROYED and winner is not None:
        shots = [shot for shot in record.shots if shot.seat == winner]
        misses = sum(not shot.is_hit for shot in shots)
        missed = f"{misses} of them {plural('miss', misses)}" if misses else "without a miss"
        after = " in" if len(names) == 2 else ", after"
        salvos = ""
        if record.rules.turn is Turn.SALVO:
            volleys = sum(one.seat == winner for one in volleys_of(record))
            salvos = f" {many(volleys, 'volley')} with"
        effort = f"{after}{salvos} {many(len(shots), 'shot')}, {missed}"
    return f"{ending(names, record.outcome, record.rules, effort, brief=brief)}."


def ending(
    names: Sequence[str], outcome: Outcome, rules: Rules, effort: str = "", *, brief: bool = False
) -> str:
    """A clause on who won and how, with each player's points or ships if the outcome has scores. A
    name may be "you". ``effort``, such as the number of shots to sink a fleet, is added to the
    reason. ``brief`` is as for `headline`."""
    winner, scores = outcome.winner, outcome.scores
    unrated = _UNRATED.get(outcome.termination)
    first = [] if winner is None else [winner]
    if winner is None and not unrated:
        best = max(scores) if scores else None
        tied = [seat for seat in range(len(names)) if scores is None or scores[seat] == best]
        first = tied if len(tied) > 1 else []  # else the best player had left
    who = unrated or "A tie"
    if winner is not None:
        who = f"{names[winner]} win{'' if names[winner] == 'you' else 's'}"
        if scores is None and outcome.loser is not None and not outcome.termination.is_forfeit:
            verb = "beat" if names[winner] == "you" else "beats"
            who = f"{names[winner]} {verb} {names[outcome.loser]}"
    elif first:
        who = f"{in_a_list([names[seat] for seat in first], len(first), 'player')} tie"
    why = _why(names, outcome) + effort
    if scores is None:
        return f"{who}: {why}"
    if first:
        afloat = "" if rules.goal is Goal.POINTS else " afloat"
        who += f" with {many(scores[first[0]], 'ship' if afloat else 'point')}{afloat}"
    others = set() if brief else {*range(len(names))}.difference(first)
    rest = sorted(others, key=lambda seat: -scores[seat])
    told = ", ".join(f"{names[seat]} {scores[seat]}" for seat in rest)
    return f"{who}{('; ' if first else ': ') + told if told else ''} ({why})"


def _why(names: Sequence[str], outcome: Outcome) -> str:
    """The words on what decided a game, or on why nobody won."""
    words = WORDS[outcome.termination]
    if outcome.winner is None:
        return words.tied.format(both="both" if len(names) == 2 else "all")
    winner = names[outcome.winner]
    loser = "the last opponent" if outcome.loser is None else names[outcome.loser]
    decided = words.of_many if words.of_many and len(names) > 2 else words.decided
    if winner == "you":
        decided = decided.replace("{winner} was", "{winner} were")
    elif outcome.scores is None:  # scores put other names before the reason
        winner = "it"
    return decided.format(winner=winner, loser=loser)


def _table_of_seats(record: GameRecord, width: int, colour: bool) -> list[str]:
    """A table with a row for each seat: its shots, its ships afloat, and its times."""
    headings = {"shots": 8, "hits": 7, "misses": 9, "afloat": 10, "ms a move": 12, "worst": 9}
    names = max(_SHORT_NAME, *(cells(clean(seat.name)) for seat in record.seats))
    wide = [*headings.values(), min(names, _NAME)]
    spare = ("worst", "misses", *(["ms a move"] if width < _NARROW else []))
    fits = fitting_columns(wide, [*map(list(headings).index, spare)], width)[:-1]
    shown = [[*headings][place] for place in fits]
    room = min(_NAME, width - sum(headings[one] for one in shown))
    header = f"{'':{room}}" + "".join(f"{one:>{headings[one]}}" for one in shown)
    lines = [paint(header, Style.DIM, colour)]
    for number, seat in enumerate(record.seats):
        own = [shot for shot in record.shots if shot.seat == number]
        hits = sum(shot.is_hit for shot in own)
        left_over = "no fleet"
        if seat.fleet is not None:
            at_it = [shot for shot in record.shots if shot.target == number]
            left_over = f"{len(afloat(seat.fleet, at_it))} of {len(seat.fleet)}"
        times = Times()
        for one, ms in run_times(record):
            if one == number:
                times.add(ms)
        middle, worst = quantile(times, 0.5), quantile(times, 1)
        style = Style.GREEN if number == record.outcome.winner else Style.BOLD
        row = {
            "shots": str(len(own)),
            "hits": str(hits),
            "misses": str(len(own) - hits),
            "afloat": left_over,
            "ms a move": middle,
            "worst": worst,
        }
        numbers = "".join(f"{row[one]:>{headings[one]}}" for one in shown)
        lines.append(paint(left(clean(seat.name), room), style, colour) + numbers)
    return lines + left_out([one for one in headings if one not in shown], width, colour)


def rerun_lines(commands: Sequence[str], moves: int) -> Iterable[str]:
    """The lines with the commands that run again the moves by which bots forfeited. ``moves`` is
    the number of these moves."""
    if commands:
        yield f"Run {'that move' if moves == 1 else 'those moves'} again:"
        yield from (f"  {command}" for command in commands)


def again_lines(command: str | None) -> Iterable[str]:
    """The lines with the command that plays the game or fight again; empty without a command."""
    return () if command is None else ("Play it again:", f"  {command}")


def short_name(name: str) -> str:
    """A clean name, cut for a sentence."""
    return cut(clean(name), _NAME)


def duration(times: Iterable[float]) -> str:
    seconds = sum(times) / 1000
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
