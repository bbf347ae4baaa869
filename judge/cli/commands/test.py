"""judge test: measures how well bots shoot, each alone on the same boards."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import click
from msgspec import structs

from judge.cli.configuration import Command
from judge.cli.options import (
    CLUSTER,
    IO,
    SHARE,
    TRUST_BOTS,
    choose_one,
    measuring,
    option,
)
from judge.cli.output import width
from judge.cli.reproduction import again, checking
from judge.cli.settings import Settings
from judge.cli.setup import clearing, set_up_found
from judge.cli.sinks import BrokenOff, Ended, Event, Failed, Started, StepDone, tell
from judge.cli.values.files import PLACEMENTS, Placements
from judge.cli.values.games import BOT, SHIPS
from judge.cli.values.numbers import count
from judge.contest import threads
from judge.contest.schedule import Pairing, Solo, one_by_one
from judge.contest.seeds import begin
from judge.contest.setup import Setup
from judge.contest.shooting import documents
from judge.contest.shooting.boards import drawn_fleet, given_fleets
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import ShootingSummary
from judge.contest.standings.fight_documents import fault_message, fault_note
from judge.contest.window import Fault, has_changed, taken
from judge.documents.game import GameRecord
from judge.documents.rules import Fleet, Placing, Rules
from judge.documents.shooting import FleetsFrom, ShootingEnd
from judge.errors import BotError, Interrupted, JudgeFault, UsageError
from judge.game.variants import name_of
from judge.play.spoken import require_playable
from judge.process.bots.bot import Bot, find, find_all
from judge.show.shooting import CSV_HEADER, csv_row, report, standing

BOARDS = 100
_BY_RULES = "as the rules have it"
MOST_BOARDS = 100_000
NAMED_SHIPS = 8  # the most ships whose lengths are part of a name
FEWEST_BOARDS = 2  # boards of an interrupted test: one board gives no mean


@click.command(cls=Command, usual=("boards", "against", "rules", "seed", "csv"))
@click.argument("bots", metavar="BOT...", type=BOT, nargs=-1, required=True)
@option(
    "--boards",
    "How many boards each bot is to clear.",
    type=count(1, MOST_BOARDS),
    show_default=f"{BOARDS}, or all of --placements",
)
@option(
    "--placements",
    "The fleets to find: a JSON list of them.",
    type=PLACEMENTS,
    show_default="drawn by the seed",
)
@option(
    "--against",
    "The bot whose fleets are to be found; it is asked for one a board.",
    type=BOT,
    metavar="BOT",
    show_default="none",
)
@option("--columns", "The columns of the boards.", type=count(1, 100), show_default=_BY_RULES)
@option("--rows", "The rows of the boards.", type=count(1, 100), show_default=_BY_RULES)
@option("--fleet", "The ships to find, by their lengths.", type=SHIPS, show_default=_BY_RULES)
@SHARE
@IO
@CLUSTER
@TRUST_BOTS
@measuring
def test(
    *,
    bots: Sequence[str],
    boards: int | None,
    placements: Placements | None,
    against: str | None,
    columns: int | None,
    rows: int | None,
    fleet: tuple[int, ...] | None,
    settings: Settings,
) -> None:
    """Measure how well each BOT shoots: how many shots it takes to clear a board.

    All bots have the same boards, each alone: the opponent never shoots. A miss is counted as
    made in search, or in destroying if a ship that was still afloat had been hit. Two bots or
    more are compared board by board, which tells them apart far sooner than games would.

    \b
    Examples:
      judge test mybot                 the mean number of shots over 100 boards
      judge test old new --boards 500  two versions, compared board by board
    """
    if columns or rows or fleet:
        settings = replace(settings, rules=_other_boards(settings.rules, columns, rows, fleet))
    if against is not None:
        settings.require_here("--against")
    found = find_all(bots, **settings.finding)
    seed = settings.drawn_seed()
    begin(seed)  # in a thread, while the isolation of the bots is probed
    given, opponent, origin = _other_fleets(placements, against, boards, found, settings)
    specs = bots if against is None else (*bots, against)
    boards = len(given) if given else boards or BOARDS
    players = (*found, opponent) if opponent else found
    setup = set_up_found(players, settings, specs=specs).expecting(boards)
    schedule = Solo(len(found), boards, seed, in_a_row=setup.boards_in_a_row)
    shooting = ShootingTest(
        bots=setup.bots[: len(found)],
        conditions=setup.conditions,
        boards=boards,
        seed=schedule.seed,
        origin=origin,
    )
    checks = [checking(spec) for spec in bots]
    placing = setup.bots[-1] if opponent else None
    tell(_events(setup, schedule, shooting, given, placing, checks, settings), settings)


def _other_boards(
    rules: Rules, columns: int | None, rows: int | None, fleet: tuple[int, ...] | None
) -> Rules:
    """Return the rules with the boards and ships that were typed. Raises `UsageError` if the ships
    do not fit the boards."""
    columns, rows = columns or rules.columns, rows or rules.rows
    other = structs.replace(rules, columns=columns, rows=rows, fleet=fleet or rules.fleet)
    if other == rules:
        return rules
    name = f"{rules.name[:20]} on {columns}×{rows}"
    if fleet:
        lengths = "-".join(map(str, fleet))
        name += (
            f" with {len(fleet)} ships" if len(fleet) > NAMED_SHIPS else f" with ships {lengths}"
        )
    return structs.replace(other, name=name)


def _events(
    setup: Setup,
    schedule: Solo,
    shooting: ShootingTest,
    given: Sequence[Fleet],
    opponent: Bot | None,
    checks: Sequence[str],
    settings: Settings,
) -> Generator[Event, None, None]:
    """Let each bot clear each board, and yield an event for each board."""
    summary = ShootingSummary([bot.name for bot in shooting.bots], shooting.conditions.rules)
    standing_now = partial(standing, summary)
    faults: list[Fault] = []
    todo = one_by_one(schedule)
    done = 0

    def take(result: Sequence[GameRecord] | Fault) -> Iterator[Event]:
        nonlocal done
        if isinstance(result, Fault):
            boards = [*islice(todo, 1 + len(result.pairing.rest))]
            faults.extend(replace(result, pairing=board) for board in boards)
            done += len(boards)
            yield Failed(fault=result, standing=standing_now)
            return
        for record in result:
            board = next(todo)
            done += 1
            effort = summary.add(board.seats[0], board.round, record)
            bot = summary.bots[board.seats[0]]
            yield StepDone(
                standing=standing_now,
                line=partial(documents.board_event, bot, board, record, effort),
                row=csv_row(board.round, bot.name, effort, record.outcome.termination),
            )

    def text(colour: bool, played: int | None = None) -> str:
        return report(
            shooting,
            summary,
            again=again(schedule.seed),
            checks=checks,
            played=played,
            faults=faults,
            colour=colour,
            width=width(),
            verbose=settings.verbose,
        )

    yield Started(
        steps=len(schedule),
        at_once=setup.jobs * schedule.in_a_row,
        workers=setup.workers,
        line=lambda: documents.start_event(shooting),
        header=CSV_HEADER,
    )
    try:
        if opponent:
            given = _placed(
                opponent, replace(schedule, bots=1, purpose="against", in_a_row=1), setup
            )
        fleet_of = partial(_one_of, given) if given else partial(drawn_fleet, settings.rules)
        jobs = min(setup.jobs, -(-len(schedule) // schedule.in_a_row))  # rounded up
        own = replace(setup, jobs=jobs, clearing=clearing)
        with own.playing(schedule, fleet_of=fleet_of) as results:
            for result in taken(results, lambda: has_changed(faults)):
                yield from take(result)
    except Interrupted:
        if done >= FEWEST_BOARDS:
            yield BrokenOff(text=partial(text, played=done))
        said = _how_it_stands(done, summary, len(schedule))
        raise Interrupted(said, again=again(schedule.seed)) from None
    yield Ended(
        text=text,
        document=lambda: documents.document(shooting, summary, faults),
        line=lambda: ShootingEnd(test=documents.document(shooting, summary, faults)),
        notes=setup.notes,
        notes_of_text=[fault_note(fault, "board") for fault in faults],
    )


def _other_fleets(
    placements: Placements | None,
    against: str | None,
    boards: int | None,
    bots: tuple[Bot, ...],
    settings: Settings,
) -> tuple[list[Fleet], Bot | None, Origin]:
    """Return the fleets of --placements, the bot of --against, and the origin of the fleets.
    Without either option there are neither fleets nor a bot."""
    choose_one(placements=placements, against=against)
    if placements is not None:
        require_playable(settings.rules, bots)  # otherwise no fleet could obey these rules
        fleets = _from_file(placements, boards, settings.rules)
        return fleets, None, Origin(FleetsFrom.PLACEMENTS)
    if against is not None:
        if settings.rules.placing is Placing.JUDGE:
            raise UsageError(
                f"--against {against}: by the rules {name_of(settings.rules)} no bot places ships, for "
                "the judge does; leave --against out"
            )
        bot = find(against, **settings.finding)
        return [], bot, Origin(FleetsFrom.AGAINST, bot.name)
    return [], None, Origin(FleetsFrom.RANDOM)


def _from_file(placements: Placements, boards: int | None, rules: Rules) -> list[Fleet]:
    try:
        given = given_fleets(placements.document, rules)
    except UsageError as error:
        raise UsageError(f"--placements {placements.path}: {error}") from None
    if boards is not None and boards > len(given):
        count = f"are only {len(given)} fleets" if len(given) > 1 else "is only one fleet"
        raise UsageError(f"--boards {boards}: there {count} in {placements.path}")
    return given[:boards]


def _one_of(fleets: Sequence[Fleet], pairing: Pairing) -> Fleet:
    return fleets[pairing.round - 1]


def _placed(bot: Bot, schedule: Solo, setup: Setup) -> list[Fleet]:
    """Ask a bot for the fleet of each board. Raises `JudgeFault` if it does not place one."""
    fleets: list[Fleet] = []
    with threads.placing(schedule, bot, setup.run(), jobs=setup.jobs) as results:
        for board, result in enumerate(results, 1):
            match result:
                case Fault():
                    raise JudgeFault(
                        f"{bot.name} could not be asked for the fleet of board {board}: "
                        f"{fault_message(result)}"
                    )
                case BotError():
                    raise JudgeFault(
                        f"{bot.name}, asked for the fleet of board {board}: {result}; "
                        "without that fleet there is no board to clear"
                    )
                case _:
                    fleets.append(result)
    return fleets


def _how_it_stands(played: int, summary: ShootingSummary, boards: int) -> str:
    said = f"interrupted after {played:,} of {boards:,} boards"
    return f"{said}: {standing(summary)}" if played else said
