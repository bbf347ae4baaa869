"""The rows ``broadsides``: games of two Ruby players, to the same two processes by a bare loop.
And the row ``broadsides-jobs``: a contest of such players, two games at once, to one at a time."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from bench_moves import SEED, timed
from bench_rows import Measure, Round, Rounds

from judge.contest.arena import playing
from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.formats.plan import Plan
from judge.contest.schedule import Games, contest_called
from judge.contest.seeds import ContestSeed
from judge.contest.tournament import Fault
from judge.errors import UsageError
from judge.game.limits import Limits
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.game.variants import BROADSIDES
from judge.play.conditions import Conditions
from judge.play.run import Run, Task, TaskSeat
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.scaffolds import make
from judge.process.run.connection import variables
from judge.process.sandbox.isolation import choose
from judge.wire.broadsides import Broadsides
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Farewell,
    GameOver,
    GameStart,
    Told,
    ToPlayer,
)

GAMES = 3  # in a round, by each of the two in turn


class Line(NamedTuple):
    """What one of the two is sent, and whether a line is awaited for it."""

    seat: int
    data: bytes
    is_answered: bool


def broadsides_row(isolation: str) -> Measure:
    """Wall time of games from the start of two players to the end of both, and of the same
    processes that are started and sent the same lines by a bare loop."""

    def measure(folder: Path) -> Rounds:
        conditions, bots = _made(isolation, folder, "ann", "bob")
        with Run(conditions, bots) as run:
            lines = _lines(_game(run, bots), [bot.name for bot in bots])
            while True:
                judge = base = 0.0
                for _ in range(GAMES):
                    judge += timed(lambda: _game(run, bots))
                    base += timed(lambda: _bare_game(bots, lines))
                yield [Round(judge / GAMES, base / GAMES)]

    return measure


def broadsides_jobs_row(folder: Path) -> Rounds:
    """Wall time of a game in a contest with two jobs, and with one."""
    conditions, bots = _made("limits", folder, "ann", "bob", "cy")
    names = tuple(bot.name for bot in bots)
    plan = Plan(format="rounds", bots=names, units=2)
    meetings = Meetings(tuple(circle(names)), plan.units)
    seed = ContestSeed(SEED)
    games = Games(names, contest_called(BROADSIDES, seed), seed, plan, meetings)

    def play_all(jobs: int) -> None:
        with playing(games, bots, Run(conditions, bots), jobs=jobs) as results:
            for result in results:
                if isinstance(result, Fault):
                    raise result.error

    while True:
        two = timed(lambda: play_all(2)) / len(games)
        one = timed(lambda: play_all(1)) / len(games)
        yield [Round(two, one)]


def _made(isolation: str, folder: Path, *names: str) -> tuple[Conditions, tuple[Bot, ...]]:
    """How the games are played, and players of these names."""
    try:
        conditions = Conditions(
            rules=BROADSIDES,
            limits=Limits(timeout_ms=BROADSIDES.timeout_ms),
            isolation=choose(isolation)[0],
        )
        for name in names:
            make("broadsides-ruby", folder / name)
            (folder / name / "bot.rb").rename(folder / f"{name}.rb")
        return conditions, find_all([str(folder / f"{name}.rb") for name in names])
    except UsageError as error:
        sys.exit(f"bench: {error}")


def _game(run: Run, bots: Sequence[Bot]) -> GameRecord:
    seats = tuple(TaskSeat(bot.name, bot.digest, SEED + seat) for seat, bot in enumerate(bots))
    record = run.play(Task("bench", SEED, 0, seats))
    if record.outcome.termination != "fleet-destroyed":
        sys.exit(f"bench: its own player lost by {record.outcome}")
    return record


def _lines(record: GameRecord, names: Sequence[str]) -> list[Line]:
    """All that the two were sent in this game, in order."""
    wires = [Broadsides(BROADSIDES, seat, "plain") for seat in (0, 1)]
    lines: list[Line] = []

    def tell(message: Callable[[int], ToPlayer]) -> None:
        for seat in (0, 1):
            send(seat, message(seat), is_answered=False)

    def send(seat: int, message: ToPlayer, *, is_answered: bool = True) -> None:
        wires[seat].send(message)
        lines.append(Line(seat, wires[seat].data_to_send(), is_answered))

    tell(lambda seat: GameStart(seat, tuple(names), BROADSIDES, SEED, None, 0))
    for seat in (0, 1):
        send(seat, AskFleet())
    told = 0
    for game in replay(record):
        if fired := game.told[told:]:
            volley = Told(tuple(fired))
            told += len(fired)
            tell(lambda _, volley=volley: volley)  # type: ignore[misc]
        for seat in game.to_move:
            send(seat, AskShots(game.view(seat)))
    tell(lambda _: GameOver(record.outcome))
    for seat in (0, 1):
        send(seat, Farewell())
    return lines


def _bare_game(bots: Sequence[Bot], lines: Sequence[Line]) -> None:
    with ExitStack() as stack:
        processes = []
        for seat, bot in enumerate(bots):
            place = stack.enter_context(tempfile.TemporaryDirectory())
            Path(place, "log").mkdir()
            # Without a HOME, Ruby takes longer to start.
            own = {"HOME": place, "TMPDIR": place, **Broadsides.luck(SEED + seat)}
            environment = variables(bot.path, own)
            processes.append(
                subprocess.Popen(
                    bot.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=place,
                    env=environment,
                    start_new_session=True,  # the kernel shares out its time by sessions
                )
            )
        for seat, data, is_answered in lines:
            stdin, stdout = processes[seat].stdin, processes[seat].stdout
            assert stdin, "it is a pipe"
            assert stdout, "it is a pipe"
            stdin.write(data)
            stdin.flush()
            if is_answered and not stdout.readline():
                sys.exit("bench: its own player has left the bare game")
        for process in processes:
            process.communicate()
