"""judge rank: every bot in a folder against every other, gone on with where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from judge.cli.cluster import require_here
from judge.cli.configuration import Command
from judge.cli.contests.before import awake, conforming
from judge.cli.contests.contestants import held, lying_in, say_who_is_gone, taking_part
from judge.cli.contests.course import ContestCourse
from judge.cli.contests.field import Authors, Field
from judge.cli.contests.plan import Asked, require_bot, seats_of
from judge.cli.contests.printed_contest import PrintedContest
from judge.cli.contests.put_off import say_put_off
from judge.cli.contests.shards import require_fit_for_shards
from judge.cli.contests.time_budget import Budget
from judge.cli.ledgers.game_logs import GameLogs, LogRequest
from judge.cli.ledgers.ledger_option import (
    Adding,
    keeping,
    require_no_contest_elsewhere,
    say_what_has_changed,
)
from judge.cli.ledgers.ledger_table import table_text
from judge.cli.ledgers.ledger_values import CONTESTANT
from judge.cli.ledgers.which_ledger import is_kept
from judge.cli.options import (
    CLUSTER,
    GAME_LOG,
    GAME_LOG_FORMAT,
    KEEP_SHOTS,
    LEARNING,
    PRINT,
    SHARE,
    TRUST_BOTS,
    WEB,
    option,
    ranking,
)
from judge.cli.output import note
from judge.cli.settings import OutputFormat, Settings
from judge.cli.setup import Setup, require_seats
from judge.cli.sinks import Ended, Event, Failed, RoundOver, Started, StepDone, each, tell
from judge.cli.values.numbers import DURATION, SHARD, count
from judge.cli.values.value import Choice
from judge.cli.web import Audience, Nobody, audience, require_web
from judge.contest.formats.shard import Shard
from judge.contest.formats.table import FORMATS
from judge.contest.hopeless import Hopeless, PutOff
from judge.contest.ledger.contest_entry import ALIKE
from judge.contest.ledger.keep import Keep
from judge.contest.ledger.ledger import Ledger, Repeated
from judge.contest.ledger.played import MOST_SEATS
from judge.contest.schedule import Pairing
from judge.contest.seeds import GUESSABLE, ContestSeed
from judge.contest.standings.contest_documents import (
    ContestState,
    end_event,
    game_event,
    put_off_event,
)
from judge.contest.standings.fight_documents import fault_note
from judge.contest.tournament import Fault, Results
from judge.errors import Interrupted, PlaysNoMore, RunsNowhere, UsageError
from judge.game.record import GameRecord
from judge.logs.broadsides_output import scores
from judge.process.bots.bot import Bot, LeftOut
from judge.show.leaderboard import leaderboard
from judge.show.occasion import CONTEST
from judge.show.standings import leaders

MOST_ROUNDS = 100_000
MOST_LIVES = 1000


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
@option(
    "--format",
    "How the contest is held; the guide `formats` says which is for what.",
    type=Choice(list(FORMATS)),
    show_default="that of the ledger, or rounds",
)
@option(
    "--rounds",
    "How many pairs of games every two bots are to have played in all; how many rounds a Swiss "
    "contest has; where the unit is a match, how many matches every two play.",
    type=count(1, MOST_ROUNDS),
    show_default="1; swiss: as many as leave one bot without a loss",
)
@option(
    "--games",
    "How many games two bots play when they meet; where the unit is a match, the games of a match.",
    type=count(1, MOST_ROUNDS),
    show_default="tournament and swiss 2, knockout 3, lives 1; of a match, as the rules have it",
)
@option(
    "--lives",
    "How many lives everyone has.",
    type=count(1, MOST_LIVES),
    show_default="3",
)
@option(
    "--for",
    "Of a contest in rounds: play for so long, where ranks are least decided; run again, for as long "
    "once more.",
    type=DURATION,
    show_default=False,
)
@option("--bot", "Whose gauntlet it is.", type=CONTESTANT, show_default=False)
@option(
    "--table",
    "How many play a game, where the rules are for more than two: balanced groups, in which every "
    "two bots meet as equally often as can be, and in a round each sits in every seat once.",
    type=count(2, MOST_SEATS),
    show_default="that of the ledger, or 2",
)
@option(
    "--shard",
    "Play one of N equal parts of the games, into a ledger of its own, which `judge ledger merge` "
    "joins with the others. Needs --seed. A bot that times out plays all its games, as with --insist.",
    type=SHARD,
    show_default="all games",
)
@option("--check", "Check every bot first, and leave out each that does not conform.", is_flag=True)
@option("--final", "Leave games that were voided as they are: do not play them anew.", is_flag=True)
@option(
    "--insist", "Play the games of bots that time out or crash game after game too.", is_flag=True
)
@PRINT
@KEEP_SHOTS
@LEARNING
@SHARE
@GAME_LOG
@GAME_LOG_FORMAT
@WEB
@CLUSTER
@TRUST_BOTS
@option("--verbose", "With --cluster: show what dask logs.", is_flag=True)
@ranking
def rank(
    *,
    folder: Path,
    format: str | None,  # noqa: A002 - as the option is called
    rounds: int | None,
    games: int | None,
    lives: int | None,
    bot: str | None,
    table: int | None,
    shard: Shard | None,
    check: bool,
    final: bool,
    insist: bool,
    keep: Keep,
    game_log: str | None,
    game_log_format: str | None,
    web: tuple[str, int] | None,
    settings: Settings,
    **more: int | None,  # for, which Python has for itself
) -> None:
    """Play every bot in FOLDER against every other, and print the table.

    The bots are what lies in FOLDER: folders with a run.sh or a bot.json, scripts, programs. A bot
    whose protocols cannot express the rules is left out. In a round every two bots play a pair of
    games, in which each moves first once. Games are kept in FOLDER.ledger.json beside the folder,
    and a game that is there is never played again: the same command goes on where it was stopped,
    plays what a new bot is missing, or with more rounds just the new ones. The games of a bot that
    has forfeited five in a row by time-out or crash are put off until its files have changed.
    With --table N as many play each game, and none of its games is put off.

    Other formats are a tournament, a Swiss contest, a knock-out, lives, and one bot's gauntlet. With
    --shard several machines play one contest.
    """
    if web is not None:
        require_here(settings, "--web")
        require_web()
    asked = Asked(
        format=format,
        rounds=rounds,
        games=games,
        lives=lives,
        bot=bot,
        table=table,
        budget_ms=more["for"],
        shard=shard,
    )
    if shard is not None:
        require_fit_for_shards(settings, has_budget=asked.budget_ms is not None, final=final)
    tally = held(settings)
    seats = seats_of(asked, tally)
    require_seats(settings.rules, seats)
    bots, left_out = _found(folder, settings, seats)
    if format == "gauntlet" and bot is not None:
        require_bot(bot, [one.name for one in bots])
    if settings.ledger is not None and not _is_named():
        require_no_contest_elsewhere(settings.ledger, folder, {bot.name for bot in bots})
    bots, taken_out = taking_part(bots, settings, tally)
    left_out = (*left_out, *taken_out)
    _require_two(bots, folder)
    is_begun = tally is not None and tally.contest is not None
    if check or (format == "lives" and not is_begun):
        bots, failed = conforming(bots, settings) if check else awake(bots, settings)
        _require_two(bots, folder)
        left_out = (*left_out, *failed)
    setup = Setup.holding(bots, settings, seats)
    wanted = LogRequest(game_log, game_log_format)
    logs = wanted.opened(bots, settings.rules, games=None, seats=seats)
    shown = audience(web, folder.resolve().name, [bot.name for bot in bots], CONTEST)
    tell(
        _events(
            setup,
            folder,
            left_out,
            asked,
            logs,
            shown,
            settings,
            keep=keep,
            final=final,
            insist=insist,
        ),
        settings,
    )


def _events(
    table: Setup,
    folder: Path,
    left_out: Sequence[LeftOut],
    asked: Asked,
    logs: GameLogs,
    shown: AbstractContextManager[Audience | Nobody],
    settings: Settings,
    *,
    keep: Keep,
    final: bool,
    insist: bool,
) -> Generator[Event, None, None]:
    """Play what the ledger is missing, and tell each game once it is there."""
    faults: list[Fault] = []
    is_new = settings.ledger is not None and not is_kept(settings.ledger)
    with (
        shown as seen_by,
        keeping(settings.ledger, table.bots, table.conditions) as ledger,
        table.learning(ledger) as settling,
    ):
        course = ContestCourse.begun(ledger, table, asked, settings, folder, final=final)
        _say_where(is_new=is_new, settings=settings)
        budget = Budget(asked.budget_ms)
        contest = ContestState(
            bots=table.bots,
            left_out=left_out,
            plan=course.plan,
            seed=course.seed.number,
            games=None if budget.is_set else course.most,
            missing=None if budget.is_set else course.missing(),
            conditions=table.conditions,
        )
        logs.begin(course, ledger)
        is_printed = _is_printed(course, settings)
        field = Field(ledger, table, left_out)
        if isinstance(ledger, Ledger) and not settings.quiet:
            _say_how_it_stands(ledger, field.gone(), folder, contest, course.seed, settings)
        hopeless = Hopeless(field.in_a_row, course.left, insist=insist or not course.may_put_off)

        def is_over(pairing: Pairing) -> bool:
            return course.is_played(pairing) or hopeless.concerns(pairing.names)

        at_once = [*hopeless.look(bot.name for bot in table.bots)]
        printed = PrintedContest(course.numbered() if is_printed else (), is_over)
        yield Started(
            steps=contest.missing or 0,
            seconds=(asked.budget_ms or 0) / 1000,
            workers=table.workers,
            line=contest.start_event,
            header=printed.before(),
        )
        if at_once:
            say_put_off(at_once, settings)
            yield _put_off(at_once, partial(leaders, ledger.tally))
        added, stops, authors = 0, list[bool](), Authors(table.bots)
        adding = Adding(ledger, numbered=False, keep=keep)

        def take(results: Results[GameRecord], result: GameRecord | Fault) -> StepDone | Failed:
            nonlocal added
            standing = partial(leaders, ledger.tally)
            if hopeless.concerns(_names(result)):
                return StepDone(standing=standing, steps=0)  # it was under way
            if isinstance(result, Fault):
                faults.append(result)
                return _failed(result, hopeless, standing)
            logs.keep(result)
            authors.hear(result)
            rated = adding.add(result, results.together)
            if isinstance(rated, Repeated):  # another judge on this ledger was quicker
                return StepDone(standing=standing)
            added += 1
            step = _put_off([*hopeless.look(_names(result), rated.record)], standing)
            return replace(step, line=partial(game_event, rated), steps=1 + step.steps)

        try:
            batches = (
                course.spending(field.digests, hopeless.concerns)
                if budget.is_set
                else course.batches()
            )
            for games in batches:
                with table.playing(logs.following(games, is_over), audience=seen_by) as results:
                    taking = settling(
                        printed.telling(seen_by.telling(partial(take, results), course.table))
                    )
                    yield from printed.ending(
                        each(
                            results,
                            taking,
                            is_done=budget.is_spent,
                            at_stop=partial(stops.append, True),
                        )
                    )
                _go_no_further(course, is_stopped=bool(stops))
                if faults or budget.is_spent():
                    break  # after a fault, who meets next is not known
                yield from _between_rounds(course, authors)
        except Interrupted:
            say_put_off(hopeless.new, settings)
            known = None if course.has_another_batch else contest.missing
            raise Interrupted(_how_to_go_on(added, known, settings.ledger)) from None
    yield Ended(
        text=lambda colour: (
            f"{printed.end()}{_scores(table.bots, field)}"
            if is_printed
            else table_text(
                field.standings(), settings.ledger, colour=colour, not_in_run=field.left_out
            )
        ),
        document=lambda: field.standings().to_json(),
        line=lambda: end_event(field.standings()),
        notes=[*table.learning_notes, *_notes(faults)],
    )
    say_put_off(hopeless.new, settings)


def _go_no_further(course: ContestCourse, *, is_stopped: bool) -> None:
    """Raise `Interrupted` if the user has stopped the contest when a batch was just over."""
    if is_stopped and course.has_another_round:
        raise Interrupted


def _between_rounds(course: ContestCourse, authors: Authors) -> Iterator[Event]:
    """How a contest stands that is held round by round."""
    if (table := course.between_rounds()) is not None:
        yield RoundOver(text=leaderboard(table, authors.known, course.last_round))


def _put_off(new: Sequence[PutOff], standing: Callable[[], str]) -> StepDone:
    """The step of the run that puts off the games of these bots."""
    return StepDone(
        standing=standing,
        steps=sum(one.games for one in new),
        more=[partial(put_off_event, one) for one in new],
    )


def _is_printed(course: ContestCourse, settings: Settings) -> bool:
    """Whether another system's lines are wanted; raises `UsageError` if it has none for this."""
    if settings.report is not OutputFormat.PRINT:
        return False
    if course.plan.format != "tournament":
        raise UsageError("--print prints the lines of a tournament: add --format tournament")
    return True


def _scores(bots: Sequence[Bot], field: Field) -> str:
    """The points of the tournament, as another system prints them."""
    contest = field.standings().contest
    places = contest.places if contest else ()
    return scores({bot.name: 0.0 for bot in bots} | {one.name: one.points for one in places})


def _say_where(*, is_new: bool, settings: Settings) -> None:
    if is_new and not settings.quiet and not _is_named():
        note(f"the games of this contest are kept in {settings.ledger}")


def _failed(fault: Fault, hopeless: Hopeless, standing: Callable[[], str]) -> Failed:
    """The step of a game that could not be played."""
    if isinstance(fault.error, PlaysNoMore):
        hopeless.leave_out(fault.error.name)
    return Failed(fault=fault, standing=standing)


def _names(result: GameRecord | Fault) -> Sequence[str]:
    if isinstance(result, Fault):
        return result.pairing.names
    return [seat.name for seat in result.seats]


def _is_named() -> bool:
    """Whether the ledger is the user's choice, not just that of the folder."""
    source = click.get_current_context().get_parameter_source("ledger")
    return source is not ParameterSource.DEFAULT


def _notes(faults: Sequence[Fault]) -> list[str]:
    if not faults:
        return []
    last = "that is the judge's fault, and nobody's loss; the same command tries again"
    if all(isinstance(fault.error, RunsNowhere) for fault in faults):
        last = (
            "that is nobody's loss; once a worker can run them, the same command plays these games"
        )
    return [*(fault_note(fault, "game") for fault in faults), last]


def _found(
    folder: Path, settings: Settings, seats: int
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots in a folder, two at least, and what was left out of what lies there."""
    bots, left_out = lying_in(folder, settings, seats)
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


def _say_how_it_stands(
    ledger: Ledger,
    gone: Sequence[str],
    folder: Path,
    contest: ContestState,
    seed: ContestSeed,
    settings: Settings,
) -> None:
    """What there is to know of a contest before it goes on; ``gone`` are bots that are no longer in
    its folder."""
    say_who_is_gone(gone, folder, ledger.path)
    say_what_has_changed(ledger, {bot.name: bot.digest for bot in contest.bots})
    _say_if_all_is_played(contest, ledger.path)
    _say_what_can_be_guessed(contest, seed, settings)


def _say_if_all_is_played(contest: ContestState, path: Path) -> None:
    if contest.missing or contest.missing is None:
        return
    plan = contest.plan
    if plan.shard is not None:
        note(
            f"every game of shard {plan.shard} is in {path} already; `judge ledger merge` joins it "
            "with the others"
        )
    elif plan.format in ALIKE and plan.match == 1:
        count = plan.units // 2
        rounds = "the round" if count == 1 else f"all {count} rounds"
        note(f"every game of {rounds} is in {path} already; --rounds {count + 1} would play more")
    else:
        note(f"this contest ({plan.format}) is over, and every game of it is in {path}")


def _say_what_can_be_guessed(contest: ContestState, seed: ContestSeed, settings: Settings) -> None:
    """Say, before the first game and not again, that a typed seed is too short to be a secret."""
    if seed.hashed and contest.missing:
        note(
            f"the seeds of this contest come from {seed.number} as in older judges, so a bot could "
            "find its opponents'; a contest on a new ledger has seeds that it could not"
        )
    elif settings.seed is not None and seed.number < GUESSABLE and contest.is_new:
        note(
            f"seed {seed.number} is so short that a bot could guess it, and with it its opponents' "
            "luck; one that the judge draws cannot be guessed"
        )


def _how_to_go_on(added: int, missing: int | None, path: Path | None) -> str:
    if not added:
        return "interrupted before the first game was over; the same command begins again"
    of_all = "" if missing is None else f" of {missing:,}"
    said = f"interrupted after {added:,}{of_all} games"
    if path is None:
        return f"{said}; without a ledger none of them is kept"
    return f"{said}, all kept in {path}; the same command goes on from there"
