"""judge rank: every bot in a folder against every other, gone on with where it was stopped."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from judge.cli.configuration import Command
from judge.cli.contestants import lying_in, say_left_out, say_who_is_gone, taking_part
from judge.cli.did_you_mean import did_you_mean
from judge.cli.field import Field
from judge.cli.game_logs import GameLogs, LogRequest
from judge.cli.ledger_option import (
    Unkept,
    keeping,
    require_no_contest_elsewhere,
    say_what_has_changed,
)
from judge.cli.ledger_table import table_text
from judge.cli.options import GAME_LOG, GAME_LOG_FORMAT, LEARNING, SHARE, option, ranking
from judge.cli.output import note
from judge.cli.put_off import say_put_off
from judge.cli.settings import Settings
from judge.cli.setup import Setup
from judge.cli.sinks import Ended, Event, Failed, Started, Step, each, tell, telling
from judge.cli.values import count
from judge.cli.which_ledger import is_kept
from judge.contest.arena import keys
from judge.contest.contest_documents import Contest, end_event, game_event, put_off_event
from judge.contest.fight_documents import fault_note
from judge.contest.hopeless import Hopeless, PutOff
from judge.contest.ledger import Ledger, Repeated
from judge.contest.schedule import Gauntlet, Pairing, RoundRobin, without
from judge.contest.seeds import DRAWN_BITS, GUESSABLE, ContestSeed
from judge.contest.tournament import Fault
from judge.errors import Interrupted, UsageError
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.process.bots.bot import Bot, LeftOut
from judge.show.standings import leaders

MOST_ROUNDS = 100_000


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
@option(
    "--rounds",
    "How many pairs of games every two bots are to have played in all.",
    type=count(1, MOST_ROUNDS),
    default="1",
)
@option("--check", "Check every bot first, and leave out each that does not conform.", is_flag=True)
@option("--final", "Leave games that were voided as they are: do not play them anew.", is_flag=True)
@option(
    "--insist", "Play the games of bots that time out or crash game after game too.", is_flag=True
)
@option("--gauntlet", "Play only the games of this bot.", metavar="BOT", show_default="all games")
@LEARNING
@SHARE
@GAME_LOG
@GAME_LOG_FORMAT
@ranking
def rank(
    *,
    folder: Path,
    rounds: int,
    check: bool,
    final: bool,
    insist: bool,
    gauntlet: str | None,
    game_log: str | None,
    game_log_format: str | None,
    settings: Settings,
) -> None:
    """Play every bot in FOLDER against every other, and print the table.

    The bots are what lies in FOLDER: folders with a run.sh or a bot.json, scripts, programs. A bot
    whose protocols cannot express the rules is left out. In a round every two bots play a pair of
    games, in which each moves first once. Games are kept in FOLDER.ledger.json beside the folder,
    and a game that is there is never played again: the same command goes on where it was stopped,
    plays what a new bot is missing, or with more rounds just the new ones. The games of a bot that
    has forfeited five in a row by time-out or crash are put off until its files have changed.
    """
    bots, left_out = _found(folder, settings)
    _check(gauntlet, bots, folder)
    if settings.ledger is not None and not _is_named():
        require_no_contest_elsewhere(settings.ledger, folder, {bot.name for bot in bots})
    bots, taken_out = taking_part(bots, settings)
    left_out = (*left_out, *taken_out)
    _require_two(bots, folder)
    _check(gauntlet, bots, folder)
    if check:
        bots, failed = _conforming(bots, settings)
        _require_two(bots, folder)
        _check(gauntlet, bots, folder)
        left_out = (*left_out, *failed)
    table = Setup.holding(bots, settings)
    logs = LogRequest(game_log, game_log_format).opened(bots, settings.rules, games=None)
    tell(
        _events(
            table, folder, left_out, rounds, gauntlet, logs, settings, final=final, insist=insist
        ),
        settings,
    )


def _conforming(
    bots: tuple[Bot, ...], settings: Settings
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots that conform; and the others, which is said with the checks that each failed."""
    # Here, so that a contest without it does not load them.
    from judge.check.examination import examine
    from judge.show.check_table import failures

    table = Setup.holding(bots, replace(settings, quiet=True))
    # Not the contest's seed: what a bot is asked with tells it nothing of its games.
    seed, left_out = secrets.randbits(DRAWN_BITS), []
    with telling(settings) as take:
        take(Started(steps=len(table.bots)))
        for bot in table.bots:
            report = examine(bot, table.run(), seed=seed, jobs=table.jobs)
            if not report.conforms:
                reason = f"it does not conform: {'; '.join(failures(report))}"
                left_out.append(LeftOut(bot.name, reason))
            take(Step(standing=partial("{} is checked".format, bot.name)))
    say_left_out(left_out, settings)
    out = {one.name for one in left_out}
    return tuple(bot for bot in bots if bot.name not in out), tuple(left_out)


def _events(
    table: Setup,
    folder: Path,
    left_out: Sequence[LeftOut],
    rounds: int,
    gauntlet: str | None,
    logs: GameLogs,
    settings: Settings,
    *,
    final: bool,
    insist: bool,
) -> Generator[Event, None, None]:
    """Play what the ledger is missing, and tell each game once it is there."""
    faults: list[Fault] = []
    if settings.ledger and not (settings.quiet or _is_named() or is_kept(settings.ledger)):
        note(f"the games of this contest are kept in {settings.ledger}")
    with (
        keeping(settings.ledger, table.bots, table.conditions) as ledger,
        table.learning(ledger) as settle,
    ):
        key_of = keys(table.bots, table.conditions, table.data.digests)

        def is_played(pairing: Pairing) -> bool:
            return ledger.is_played(key_of(pairing), final=final)

        seed = _seed(ledger, settings)
        schedule = _schedule(table.bots, rounds, gauntlet, settings.rules, seed)
        if (older := _older(schedule, is_played)) is not None:
            schedule, seed = older, older.seed
        missing = sum(1 for _ in without(schedule, is_played))
        contest = Contest(
            bots=table.bots,
            left_out=left_out,
            rounds=rounds,
            gauntlet=gauntlet,
            seed=seed.number,
            games=len(schedule),
            missing=missing,
            conditions=table.conditions,
        )
        field = Field(ledger, table, left_out)
        if isinstance(ledger, Ledger) and not settings.quiet:
            say_what_has_changed(ledger, {bot.name: bot.digest for bot in table.bots})
            say_who_is_gone(field.gone(), folder, ledger.path)
            _say_if_all_is_played(contest, ledger.path)
            _say_what_can_be_guessed(contest, seed, settings)
        hopeless = Hopeless(field.in_a_row, lambda: without(schedule, is_played), insist=insist)
        yield Started(steps=missing, line=contest.start_event)
        if at_once := [*hopeless.look(bot.name for bot in table.bots)]:
            say_put_off(at_once, settings)
            yield _put_off(at_once, partial(leaders, ledger.tally))
        added = 0

        def is_over(pairing: Pairing) -> bool:
            return is_played(pairing) or hopeless.concerns(pairing.names)

        def take(result: GameRecord | Fault) -> Event:
            nonlocal added
            standing = partial(leaders, ledger.tally)
            if hopeless.concerns(_names(result)):
                settle(result, False)
                return Step(standing=standing, steps=0)  # it was under way
            if isinstance(result, Fault):
                settle(result, False)
                faults.append(result)
                return Failed(fault=result, standing=standing)
            logs.keep(result)
            rated = ledger.add(result)
            settle(result, True)
            if isinstance(rated, Repeated):  # another judge on this ledger was quicker
                return Step(standing=standing)
            added += 1
            new = [*hopeless.look(_names(result), rated.record)]
            step = _put_off(new, standing)
            return replace(step, line=partial(game_event, rated), steps=1 + step.steps)

        try:
            with table.playing(logs.following(schedule, is_over)) as results:
                yield from each(results, take)
        except Interrupted:
            say_put_off(hopeless.new, settings)
            raise Interrupted(_how_to_go_on(added, missing, settings.ledger)) from None
    yield Ended(
        text=lambda colour: table_text(field.standings(), colour=colour),
        document=lambda: field.standings().to_json(),
        line=lambda: end_event(field.standings()),
        notes=[*table.learning_notes, *_notes(faults)],
    )
    say_put_off(hopeless.new, settings)


def _put_off(new: Sequence[PutOff], standing: Callable[[], str]) -> Step:
    """The step of the run that puts off the games of these bots."""
    return Step(
        standing=standing,
        steps=sum(one.games for one in new),
        more=[partial(put_off_event, one) for one in new],
    )


def _names(result: GameRecord | Fault) -> Sequence[str]:
    if isinstance(result, Fault):
        return result.pairing.names
    return [seat.name for seat in result.seats]


def _is_named() -> bool:
    """Whether the ledger is the user's choice, not just that of the folder."""
    source = click.get_current_context().get_parameter_source("ledger")
    return source is not ParameterSource.DEFAULT


def _notes(faults: Sequence[Fault]) -> list[str]:
    notes = [fault_note(fault, "game") for fault in faults]
    last = "that is the judge's fault, and nobody's loss; the same command tries again"
    return [*notes, last] if faults else []


def _found(folder: Path, settings: Settings) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots in a folder, two at least, and what was left out of what lies there."""
    bots, left_out = lying_in(folder, settings)
    _require_two(bots, folder)
    names = {bot.name for bot in bots}
    for name in sorted(names):
        if name.rpartition("#")[0] in names:
            twice = name.rpartition("#")[0]
            raise UsageError(
                f"{folder} holds two bots called {twice}; points belong to a name, so rename one"
            )
    return bots, left_out


def _require_two(bots: Sequence[Bot], folder: Path) -> None:
    if len(bots) < 2:
        found = f"only one bot, {bots[0].name}" if bots else "no bot"
        raise UsageError(f"{folder} holds {found}; a contest needs two")


def _check(gauntlet: str | None, bots: Sequence[Bot], folder: Path) -> None:
    names = [bot.name for bot in bots]
    if gauntlet is not None and gauntlet not in names:
        raise UsageError(
            f"--gauntlet {gauntlet}: there is no bot of that name in {folder}."
            f"{did_you_mean(gauntlet, names)}"
        )


def _seed(ledger: Ledger | Unkept, settings: Settings) -> ContestSeed:
    """The seed that was given, or that of the ledger's contest, which is drawn if need be."""
    had_one = ledger.tally.seed is not None
    kept = ledger.contest_seed(settings.drawn_seed())
    if had_one and not ledger.tally.recorded and not settings.quiet:
        note(
            f"{settings.ledger} holds the seed of a contest and no game of it; if you did not begin "
            "that contest yourself, somebody knows its seed: name a new --ledger"
        )
    if settings.seed is None or settings.seed == kept.number:
        return kept
    if not settings.quiet:
        note(
            f"the contest in {settings.ledger} has another seed; with --seed {settings.seed} these "
            "are other games, and both count in the table"
        )
    return ContestSeed(settings.seed)


def _schedule(
    bots: Sequence[Bot], rounds: int, gauntlet: str | None, rules: Rules, seed: ContestSeed
) -> RoundRobin | Gauntlet:
    names = tuple(bot.name for bot in bots)
    if gauntlet is None:
        return RoundRobin(names, rules, seed, rounds)
    return Gauntlet(gauntlet, names, rules, seed, rounds)


def _older(
    schedule: RoundRobin | Gauntlet, is_played: Callable[[Pairing], bool]
) -> RoundRobin | Gauntlet | None:
    """The schedule as older judges would have it, if they have played any of its games."""
    older = replace(schedule, seed=schedule.seed._replace(hashed=True))
    return older if any(map(is_played, older)) else None


def _say_if_all_is_played(contest: Contest, path: Path) -> None:
    if not contest.missing:
        rounds = "the round" if contest.rounds == 1 else f"all {contest.rounds} rounds"
        note(
            f"every game of {rounds} is in {path} already; "
            f"--rounds {contest.rounds + 1} would play more"
        )


def _say_what_can_be_guessed(contest: Contest, seed: ContestSeed, settings: Settings) -> None:
    """Say, before the first game and not again, that a typed seed is too short to be a secret."""
    if seed.hashed and contest.missing:
        note(
            f"the seeds of this contest come from {seed.number} as in older judges, so a bot could "
            "find its opponents'; a contest on a new ledger has seeds that it could not"
        )
    elif settings.seed is not None and seed.number < GUESSABLE and contest.missing == contest.games:
        note(
            f"seed {seed.number} is so short that a bot could guess it, and with it its opponents' "
            "luck; one that the judge draws cannot be guessed"
        )


def _how_to_go_on(added: int, missing: int, path: Path | None) -> str:
    if not added:
        return "interrupted before the first game was over; the same command begins again"
    said = f"interrupted after {added:,} of {missing:,} games"
    if path is None:
        return f"{said}; without a ledger none of them is kept"
    return f"{said}, all kept in {path}; the same command goes on from there"
