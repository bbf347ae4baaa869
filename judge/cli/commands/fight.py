"""judge fight: bots against each other, one game or many."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

import click

from judge.cli.configuration import Command, is_typed
from judge.cli.failing_moves import FailingMoves
from judge.cli.ledgers.game_logs import GameLogs, logs_of
from judge.cli.ledgers.ledger_option import keeping, say_what_has_changed
from judge.cli.options import GAME_LOG_GAMES, for_games, option, playing
from judge.cli.output import width
from judge.cli.reproduction import again
from judge.cli.settings import OutputFormat, Settings
from judge.cli.setup import set_up
from judge.cli.sinks import Ended, Event, Failed, Started, StepDone, tell
from judge.cli.values.games import BOT
from judge.cli.values.numbers import PAUSE, SPRT, count
from judge.cli.web import Audience, NoAudience, audience
from judge.contest.fight import MOST_GAMES, FightRun, fight_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Fight, First, MatchSoFar
from judge.contest.seeds import begin
from judge.contest.setup import Setup
from judge.contest.standings import fight_documents as documents
from judge.contest.standings.summary import FightSummary
from judge.contest.window import Fault
from judge.documents.fight import FightEnd
from judge.documents.game import GameRecord
from judge.errors import Interrupted, UsageError
from judge.show.many_games import many_games, points_line, score
from judge.show.one_game import one_game
from judge.show.page_words import FIGHT
from judge.stats.sprt import Sprt

if TYPE_CHECKING:
    from judge.cli.interactive.watch import Watching


@click.command(cls=Command, usual=("games", "rules", "seed", "watch", "no_ledger"))
@click.argument("bots", metavar="A B [C …]", type=BOT, nargs=-1)
@option(
    "--games",
    "How many games to play.",
    type=count(1, MOST_GAMES),
    show_default="1, or with --sprt as many as it takes",
)
@option(
    "--sprt",
    "Stop once it is decided whether A is nearer to ELO0 or to ELO1 above B.",
    type=SPRT,
    metavar="ELO0,ELO1[,ALPHA,BETA]",
)
@option("--watch", "Show all boards on stderr, shot by shot.", is_flag=True)
@option(
    "--delay",
    "How long --watch shows each shot, and --web if this is given.",
    type=PAUSE,
    default="250ms",
)
@for_games(GAME_LOG_GAMES)
@playing
def fight(
    *,
    bots: tuple[str, ...],
    games: int | None,
    sprt: Sprt | None,
    watch: bool,
    delay: int,
    settings: Settings,
) -> None:
    """Play A against B, or as many bots as the rules allow.

    A, B and C are bots: a folder with a run.sh or a bot.json, a script, a program, a quoted command
    line, or the name of a bundled bot (judge bots); NAME=BOT gives a bot another name. With more
    than one game they take turns to move first: a round has a game for each bot, all with the same
    seeds. A round of two bots is a pair. In a game of more, a single winner gains points from each
    of the others.

    \b
    Examples:
      judge fight hunter random --watch      one game, shown shot by shot
      judge fight hunter random --games 100  a match and its margins
    """
    has_delay = is_typed("delay")
    if has_delay and not watch and settings.web is None:
        raise UsageError("--delay needs --watch or --web")
    if watch:
        settings.require_here("--watch")
    _require_enough(bots, sprt)
    schedule = _schedule(len(bots), games, sprt, settings)
    setup = set_up(bots, settings, seats=len(bots)).expecting(len(schedule))
    logs = logs_of(settings, setup.bots, games=len(schedule), seats=len(bots))
    names = [bot.name for bot in setup.bots]
    watching = None
    if watch:
        # Here, so that a fight that nobody watches does not load the terminal.
        from judge.cli.interactive.watch import Watching

        watching = Watching(names, settings, delay, len(schedule))
    # Watching in the terminal shows each shot for that long already.
    pause = delay if has_delay and not watch else 0
    shown = audience(settings.web, " – ".join(names), names, FIGHT, pause_ms=pause)
    tell(_events(setup, bots, schedule, sprt, watching, shown, logs, settings), settings)


def _events(
    setup: Setup,
    specs: Sequence[str],
    schedule: Fight,
    sprt: Sprt | None,
    watching: Watching | None,
    shown: AbstractContextManager[Audience | NoAudience],
    logs: GameLogs,
    settings: Settings,
) -> Generator[Event, None, None]:
    """Play the schedule, and yield the fight's events. A game's event comes once the game is
    kept."""
    names = [bot.name for bot in setup.bots]
    records: list[GameRecord] = []  # all records if the document lists them, else the first two
    failing = FailingMoves(specs)
    yield Started(
        steps=0 if watching or len(schedule) == 1 else None if sprt else len(schedule),
        at_once=len(schedule) if schedule.is_match else setup.jobs,
        workers=setup.workers,
        line=lambda: documents.start_event(
            names, games=len(schedule), seed=schedule.seed, conditions=setup.conditions
        ),
    )
    with (
        keeping(settings.ledger, setup) as ledger,
        setup.learning(ledger),
        contextlib.ExitStack() as stack,
    ):
        is_kept = isinstance(ledger, Ledger)
        if isinstance(ledger, Ledger):
            say_what_has_changed(ledger, {bot.name: bot.digest for bot in setup.bots}, settings)
        run = FightRun(setup, schedule, ledger, sprt)
        summary, faults = run.summary, run.faults
        standing = partial(score, summary)
        seen_by = stack.enter_context(shown)
        watch_of = partial(seen_by.watch_of, so_far=lambda _: _match(schedule, sprt))
        try:
            with contextlib.closing(run.playing(logs.following, watching, watch_of)) as games:
                for game in games:
                    if isinstance(game, Fault):
                        seen_by.lose(game.pairing)
                        yield Failed(fault=game, standing=standing)
                        continue
                    record, repeated = game.record, game.repeated
                    logs.keep(game.played)
                    failing.add(record, repeated)
                    seen_by.keep(record, game.played.id)
                    if watching:
                        watching.keep(record)
                    if settings.report is OutputFormat.JSON or len(records) < 2:
                        records.append(record)
                    yield StepDone(
                        standing=standing,
                        line=partial(documents.game_event, summary, record, repeated),
                    )
        except Interrupted:
            learns = setup.data.keeps and is_kept
            raise _interrupted(summary, schedule, sprt, settings, learns=learns) from None
    totals = partial(
        documents.totals_of,
        summary,
        seed=schedule.seed,
        faults=faults,
        repeats=run.repeats,
        sprt=sprt,
    )

    def text(colour: bool) -> str:
        if settings.ledger is not None:
            reruns = failing.in_ledger(settings.ledger)
        else:
            reruns = failing.in_document(again(schedule.seed, "--json"), summary.games)
        words = partial(many_games, summary, sprt=sprt, faults=faults)
        if len(records) == 1 and not faults and not summary.match_games:
            words = partial(one_game, records[0])
        return words(
            seed=schedule.seed,
            # With a ledger, players that learn have other data by now.
            again=None if setup.data.keeps and is_kept else again(schedule.seed),
            reruns=reruns,
            failed=len(failing),
            points=points_line(summary, str(settings.ledger), run.repeats),
            colour=colour,
            width=width(),
            verbose=settings.verbose,
        )

    yield Ended(
        text=text,
        document=lambda: documents.fight(totals(), records),
        line=lambda: FightEnd(fight=totals()),
        notes=setup.notes,
        notes_of_text=[documents.fault_note(fault, "game") for fault in faults],
    )


def _match(schedule: Fight, sprt: Sprt | None) -> MatchSoFar | None:
    """Return the match that a fight of several games is, as it stands before the first game.
    Returns None if the fight is a single game."""
    if len(schedule) == 1:
        return None
    return MatchSoFar("fight", 0 if sprt else len(schedule), [0] * schedule.seats)


def _require_enough(bots: Sequence[str], sprt: Sprt | None) -> None:
    """Raise `UsageError` if fewer than two bots are named, or more than two with --sprt."""
    seats = len(bots)
    if seats < 2:
        named = f"only {bots[0]} is named" if bots else "none is named"
        raise UsageError(f"a fight takes at least two bots, and {named}: judge fight A B")
    if sprt and seats > 2:
        raise UsageError(f"--sprt compares two bots, and {seats} are named: leave it out")


def _schedule(seats: int, games: int | None, sprt: Sprt | None, settings: Settings) -> Fight:
    seed = settings.drawn_seed()
    schedule = fight_of(
        settings.rules, seats, games=games, sprt=sprt, seed=seed, first=settings.first
    )
    if schedule.first is First.ALTERNATE and len(schedule) == 1:
        raise UsageError("--first alternate needs more than one game: add --games N")
    if sprt and schedule.first is not First.ALTERNATE:
        raise UsageError(
            "--sprt counts swapped pairs, so it needs --first alternate and more than one game"
        )
    begin(seed)  # in a thread, while bots are found and their isolation is probed
    return schedule


def _interrupted(
    summary: FightSummary, schedule: Fight, sprt: Sprt | None, settings: Settings, *, learns: bool
) -> Interrupted:
    """Return the interruption with a sentence on the games so far and how to go on. ``learns`` says
    that players keep what they learn, so that no game is played twice."""
    if not summary.games:
        said = "interrupted before the first game was over"
        return Interrupted(said, again=again(schedule.seed))
    of_all = "" if sprt else f" after {summary.games:,} of {len(schedule):,} games"
    done = f"interrupted{of_all}: {score(summary)}"
    if settings.ledger is None:
        return Interrupted(f"{done}, none of them kept", again=again(schedule.seed))
    kept = f"{done}, all kept in {settings.ledger}"
    if (sprt or settings.seed is not None) and not learns:
        return Interrupted(
            f"{kept}; with the same seed they are played again, none is counted twice, and the "
            "others follow",
            again=again(schedule.seed),
        )
    if sprt:
        return Interrupted(f"{kept}; another --seed begins a new test")
    left = len(schedule) - summary.games
    other = "" if settings.seed is None else " and another --seed"
    return Interrupted(f"{kept}; for the other {left:,}, type the same with --games {left}{other}")
