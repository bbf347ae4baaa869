"""The events of a contest: its games are played, kept in the ledger, and told one by one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from judge.cli.contests.course import ContestCourse
from judge.cli.contests.field import Authors, Field
from judge.cli.contests.how_it_stands import say_how_it_stands, say_where
from judge.cli.contests.plan import Asked
from judge.cli.contests.put_off import say_put_off
from judge.cli.contests.time_budget import Budget
from judge.cli.ledgers.game_logs import GameLogs
from judge.cli.ledgers.ledger_option import Adding, keeping
from judge.cli.ledgers.ledger_table import table_text
from judge.cli.ledgers.which_ledger import is_kept
from judge.cli.settings import Settings
from judge.cli.setup import Setup
from judge.cli.sinks import Ended, Event, Failed, RoundOver, Started, StepDone, each
from judge.cli.web import Audience, Nobody
from judge.contest.hopeless import Hopeless, PutOff
from judge.contest.ledger.ledger import Ledger, Repeated
from judge.contest.schedule import Pairing
from judge.contest.standings.contest_documents import (
    ContestState,
    game_event,
    put_off_event,
)
from judge.contest.standings.fight_documents import fault_note
from judge.contest.tournament import Fault, Results
from judge.documents.game import GameRecord
from judge.documents.standings import RankEnd
from judge.errors import Interrupted, PlaysNoMore, RunsNowhere
from judge.process.bots.bot import LeftOut
from judge.show.leaderboard import leaderboard
from judge.show.standings import leaders


def contest_events(
    table: Setup,
    folder: Path,
    left_out: Sequence[LeftOut],
    asked: Asked,
    logs: GameLogs,
    shown: AbstractContextManager[Audience | Nobody],
    settings: Settings,
    *,
    final: bool,
    insist: bool,
) -> Generator[Event, None, None]:
    """Play what the ledger is missing, and tell each game once it is there."""
    faults: list[Fault] = []
    is_new = settings.ledger is not None and not is_kept(settings.ledger)
    with (
        shown as seen_by,
        keeping(settings.ledger, table.conditions) as ledger,
        table.learning(ledger) as settling,
    ):
        course = ContestCourse.begun(ledger, table, asked, settings, folder, final=final)
        say_where(is_new=is_new, settings=settings)
        budget = Budget(asked.budget_ms)
        contest = ContestState(
            bots=table.bots,
            left_out=left_out,
            plan=course.plan,
            seed=course.seed,
            games=None if budget.is_set else course.most,
            missing=None if budget.is_set else course.missing(),
            conditions=table.conditions,
        )
        logs.begin(course, ledger)
        field = Field(ledger, table, left_out)
        if isinstance(ledger, Ledger) and not settings.quiet:
            say_how_it_stands(ledger, field.gone(), folder, contest, course.seed, settings)
        hopeless = Hopeless(field.in_a_row, course.left_of, insist=insist or not course.may_put_off)

        def is_over(pairing: Pairing) -> bool:
            return course.is_played(pairing) or hopeless.concerns(pairing.names)

        at_once = [*hopeless.look(bot.name for bot in table.bots)]
        yield Started(
            steps=contest.missing or 0,
            seconds=(asked.budget_ms or 0) / 1000,
            workers=table.workers,
            line=contest.start_event,
        )
        if at_once:
            say_put_off(at_once, settings)
            yield _put_off(at_once, partial(leaders, ledger.tally))
        added, stops, authors = 0, list[bool](), Authors(table.bots)
        adding = Adding(ledger, numbered=False)

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
                    yield from each(
                        results,
                        settling(seen_by.telling(partial(take, results), course.table)),
                        is_done=budget.is_spent,
                        at_stop=partial(stops.append, True),
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
        text=lambda colour: table_text(
            field.standings(), settings.ledger, colour=colour, not_in_run=field.left_out
        ),
        document=lambda: field.standings().document,
        line=lambda: RankEnd(standings=field.standings().document),
        notes=[*table.notes, *_notes(faults)],
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


def _failed(fault: Fault, hopeless: Hopeless, standing: Callable[[], str]) -> Failed:
    """The step of a game that could not be played."""
    if isinstance(fault.error, PlaysNoMore):
        hopeless.leave_out(fault.error.name)
    return Failed(fault=fault, standing=standing)


def _names(result: GameRecord | Fault) -> Sequence[str]:
    if isinstance(result, Fault):
        return result.pairing.names
    return [seat.name for seat in result.seats]


def _notes(faults: Sequence[Fault]) -> list[str]:
    if not faults:
        return []
    last = "that is the judge's fault, and nobody's loss; the same command tries again"
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
