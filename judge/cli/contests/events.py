"""Plays a contest, and yields its events for the sinks of a command. Notes say how the contest stands
before the first game of a run, and which bots' games are put off."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import click

from judge.cli.ledgers.game_logs import GameLogs
from judge.cli.ledgers.ledger_option import is_ledger_named, keeping, say_what_has_changed
from judge.cli.ledgers.which_ledger import is_kept
from judge.cli.output import columns, several
from judge.cli.settings import Settings
from judge.cli.sinks import Ended, Event, Failed, RoundOver, Started, StepDone
from judge.cli.web import Audience, NoAudience
from judge.contest import contest as contests
from judge.contest.contest import Added, Contest, NotAdded
from judge.contest.deferrals import Deferral
from judge.contest.formats.registry import format_of
from judge.contest.ledger.ledger import Ledger, Rated
from judge.contest.plan import Asked, Where, planned
from judge.contest.seeds import GUESSABLE
from judge.contest.setup import Setup
from judge.contest.standings.fight_documents import fault_note
from judge.contest.standings.standings import RankedBy
from judge.contest.standings.summary import forfeits
from judge.contest.window import Fault
from judge.documents.codec import builtins
from judge.documents.game import GameRecord
from judge.documents.standings import RankDeferral, RankEnd, RankGame, RankStart
from judge.errors import Interrupted, RunsNowhere
from judge.process.bots.bot import LeftOut
from judge.quoting import line
from judge.show.contest import leaderboard
from judge.show.evidence import forfeit_lines
from judge.show.standings import leaders, table
from judge.show.text import clean, many


def contest_events(
    setup: Setup,
    folder: Path,
    left_out: Sequence[LeftOut],
    asked: Asked,
    logs: GameLogs,
    shown: AbstractContextManager[Audience | NoAudience],
    settings: Settings,
    *,
    insist: bool,
    by: RankedBy,
) -> Generator[Event, None, None]:
    """Play the games that the ledger is missing, and yield the events of the run. The event of a
    game comes once the game is in the ledger."""
    mends: dict[str, str] = {}
    is_new = settings.ledger is not None and not is_kept(settings.ledger)
    where = Where(str(settings.ledger), str(folder))
    with (
        keeping(settings.ledger, setup) as ledger,
        setup.learning(ledger),
        contextlib.ExitStack() as stack,
    ):
        # An option that is wrong is refused before the page is served, and a port that is taken
        # before the ledger is written.
        names = [bot.name for bot in setup.bots]
        planned(asked, ledger.tally, names, setup.conditions.rules, where)
        seen_by = stack.enter_context(shown)
        contest = Contest(
            setup,
            ledger,
            asked,
            where,
            left_out=left_out,
            insist=insist,
            tell=settings.tell,
            clock=time.monotonic,
        )
        if is_new and not is_ledger_named():
            settings.tell(f"the games of this contest are kept in {settings.ledger}")
        start = contest.start_event()
        logs.begin(contest.run, ledger)
        if isinstance(ledger, Ledger) and not settings.quiet:
            _say_how_it_stands(ledger, contest, start, folder, settings)
        standing = partial(leaders, ledger.tally)
        watch_of = partial(seen_by.watch_of, so_far=contest.run.match_so_far)

        def take(event: contests.ContestEvent) -> Event:
            """Log and show the game of a contest's event. Return the event for the sinks."""
            match event:
                case Added(rated=rated):
                    logs.keep(rated.record)
                    seen_by.keep(rated.record)
                    _note_mends(rated.record, mends)
                    return StepDone(standing=standing, line=lambda: _game_event(rated))
                case NotAdded(result=result, is_known=is_known):
                    if isinstance(result, Fault):
                        seen_by.lose(result.pairing)
                    else:
                        if is_known:
                            logs.keep(result)
                        seen_by.keep(result)
                    return StepDone(standing=standing, steps=int(is_known))
                case Deferral(games=games):
                    more = [lambda: RankDeferral(bot=event.name, row=event.row, games=games)]
                    return StepDone(standing=standing, steps=games, more=more)
                case Fault(pairing=pairing):
                    seen_by.lose(pairing)
                    return Failed(fault=event, standing=standing)
                case contests.RoundOver(table=table, last_round=last):
                    return RoundOver(text=leaderboard(table, last))

        yield Started(
            steps=start.missing or 0,
            seconds=(asked.budget_ms or 0) / 1000,
            at_once=setup.jobs * setup.conditions.rules.match,
            workers=setup.workers,
            line=lambda: start,
        )
        _say_deferrals(contest.at_once, settings)
        seen_by.hold(contest, by)
        try:
            for event in contest.playing(logs.following, watch_of):
                step = take(event)
                seen_by.hold(contest, by)
                yield step
        except Interrupted:
            _say_deferrals(contest.deferrals.new, settings)
            known = None if contest.run.has_another_batch else start.missing
            raise Interrupted(_how_to_go_on(contest.added, known, settings.ledger)) from None
        seen_by.hold(contest, by, is_over=True)
    yield Ended(
        text=lambda colour: table(
            contest.standings(by),
            width=columns(),
            ledger=None if settings.ledger is None else str(settings.ledger),
            colour=colour,
            not_in_run=contest.not_in_run,
            mends=mends,
            deferrals=contest.deferrals.bots,
        ),
        document=lambda: contest.standings(by).document,
        line=lambda: RankEnd(standings=contest.standings(by).document),
        notes=[*setup.notes, *_notes(contest.faults)],
    )
    _say_deferrals(contest.deferrals.new, settings)


def _note_mends(record: GameRecord, mends: dict[str, str]) -> None:
    """Add each bot's first advice on a forfeit (its ``mend``) to ``mends``, by the bot's name."""
    for seat, forfeit in forfeits(record).items():
        if forfeit.mend:
            mends.setdefault(record.seats[seat].name, forfeit.mend)


def _game_event(rated: Rated) -> RankGame:
    return RankGame(
        record=builtins(rated.record), points_before=rated.before, points_after=rated.after
    )


def _notes(faults: Sequence[Fault]) -> list[str]:
    if not faults:
        return []
    last = "that costs no bot anything; the same command tries again"
    if all(isinstance(fault.error, RunsNowhere) for fault in faults):
        last = (
            "that is nobody's loss; once a worker can run them, the same command plays these games"
        )
    return [*(fault_note(fault, "game") for fault in faults), last]


def _how_to_go_on(added: int, missing: int | None, path: Path | None) -> str:
    if not added:
        return "interrupted before the first game was over; the same command begins again"
    of_all = "" if missing is None else f" of {missing:,}"
    said = f"interrupted after {added:,}{of_all} games"
    if path is None:
        return f"{said}; without a ledger none of them is kept"
    return f"{said}, all kept in {path}; the same command goes on from there"


def _say_how_it_stands(
    ledger: Ledger, contest: Contest, start: RankStart, folder: Path, settings: Settings
) -> None:
    """Print the notes on a contest before it goes on, unless the user wants quiet."""
    if gone := contest.gone():
        has = line(["judge", "standings", str(ledger.path)])
        settings.tell(
            f"gone from the folder {folder}, and so not in the table: {several(gone)}; `{has}` has their "
            "games"
        )
    say_what_has_changed(ledger, {bot.name: bot.digest for bot in contest.setup.bots}, settings)
    plan = contest.run.plan
    if start.missing == 0 and not format_of(plan).has_places and plan.match == 1:
        count = plan.units // 2
        rounds = "the round" if count == 1 else f"all {count} rounds"
        settings.tell(
            f"every game of {rounds} is in {ledger.path} already; --rounds {count + 1} would play more"
        )
    elif start.missing == 0:
        settings.tell(
            f"this contest ({plan.format}) is over, and every game of it is in {ledger.path}"
        )
    # Before the first game and not again.
    if start.missing == start.games and settings.seed is not None and contest.run.seed < GUESSABLE:
        settings.tell(
            f"seed {contest.run.seed} is so short that a bot could guess it, and with it its opponents' "
            "luck; one that the judge draws cannot be guessed"
        )


def _say_deferrals(bots: Iterable[Deferral], settings: Settings) -> None:
    """Note the bots whose games are put off, why, and the option that plays these games. If a bot's
    last forfeit came in this run, show the evidence of that forfeit."""
    for deferral in () if settings.quiet else bots:
        verb = "is" if deferral.games == 1 else "are"
        left = many(deferral.games, "game")
        why = ""
        if deferral.last is None and settings.ledger is not None:
            shows = line(["judge", "ledger", "show", str(settings.ledger), deferral.name])
            why = f". `{shows}` shows why"
        settings.tell(
            f"{deferral.name} has forfeited {deferral.row} games in a row by time-out or crash. Its "
            f"{left} left in this run {verb} put off until its files have changed. --insist plays "
            f"what is put off{why}"
        )
        if deferral.last is not None:
            seat = [seat.name for seat in deferral.last.seats].index(deferral.name)
            colour = settings.color.on(sys.stderr)
            for text in forfeit_lines(clean(deferral.name), forfeits(deferral.last)[seat], colour):
                click.echo(f"  {text}", err=True, color=colour)
