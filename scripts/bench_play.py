"""The rows of players that stay alive, to the same processes that are fed the same lines by a bare
loop; and the rows of one bot over two wires.

The rows ``pipes`` and ``contest`` measure CPU time, of the players too: how long a process takes to
wake would otherwise be most of it. Every core is kept awake for the same reason, by processes that
give way to anything else.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

import measuring
from bench_process import play as play_one
from judge.contest.ledger.ledger import Ledger
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord
from judge.documents.rules import Turn
from judge.documents.tasks import Task, TaskGame, TaskSeat
from judge.game.variants import BROADSIDES, CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.scaffolds import make
from judge.process.run import processors
from judge.process.run.connection import Connection
from judge.process.run.environment import variables
from judge.wire.broadsides import Broadsides
from judge.wire.contest import FRAME_BYTES
from measuring import Measure, Round, Rounds, fail, timed

MATCH_GAMES = 500
BOTS = Path(__file__).parents[1] / "bots"
AIS = ("contest-rows", "contest-random")  # row by row, and at random
# One shot a turn, never at a ship, so that the game has as many rounds as it may have.
LINES = structs.replace(BROADSIDES, name="lines", turn=Turn.SINGLE, salvo_bonus=(), round_limit=40)
SPIN = """\
import os
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
print(flush=True)
while True:
    pass
"""


def pipes_row(folder: Path) -> Rounds:
    """CPU time of a game of two C players that stay alive, to the same lines by a bare loop; and how
    long its record takes to be written, read and checked."""
    source = measuring.SMALL_BOTS / "lines.c"
    bots = [measuring.compiled(source, folder / name) for name in ("one", "two")]
    conditions = replace(measuring.CONDITIONS, rules=LINES, dialect=None)
    game = partial(play, bots=bots, end="round-limit")
    with by_judge_and_barely(game, conditions, bots, folder, exchange_lines) as (ours, base):
        while True:
            with awake():
                cost = measuring.in_turns(ours, base, 10, measuring.cpu_ms)
            (record,) = ours()
            check = timed(partial(checked, record))
            yield [cost, Round(check)]


def checked(record: GameRecord) -> GameRecord:
    """The record, written, read and checked."""
    return convert(GameRecord, builtins(record), "it")


def broadsides_row(isolation: str) -> Measure:
    """Wall time of games from the start of two Ruby players to the end of both, and of the same
    processes that are started on the same processor and sent the same lines by a bare loop."""

    def measure(folder: Path) -> Rounds:
        conditions, bots = ruby_players(isolation, folder, "ann", "bob")
        game = partial(play, bots=bots, end="fleet-destroyed")
        exchange = partial(exchange_lines, is_bound=True)
        with by_judge_and_barely(game, conditions, bots, folder, exchange) as both:
            yield from measuring.paired(*both, 3)

    return measure


@contextmanager
def by_judge_and_barely(
    game: Callable[[Run], list[GameRecord]],
    conditions: Conditions,
    bots: Sequence[Bot],
    folder: Path,
    exchange: Callable[[Sequence[Bot], Sequence[Step], Path], None],
) -> Iterator[tuple[Callable[[], list[GameRecord]], Callable[[], None]]]:
    """One function plays a game by the judge, and the other sends the same to the same processes
    without a judge."""
    steps: list[Step] = []
    seats = {bot.name: seat for seat, bot in enumerate(bots)}

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        return Noted(usual(), seats[bot.name], steps)  # type: ignore[return-value]  # it has the rest by name

    with Run(conditions, bots, connect) as run:
        game(run)
    with Run(conditions, bots) as run:
        yield partial(game, run), partial(exchange, bots, steps, folder)


def ruby_players(isolation: str, folder: Path, *names: str) -> tuple[Conditions, tuple[Bot, ...]]:
    """Players of broadsides with these names, and how they are held."""
    for name in names:
        make("broadsides-ruby", folder / name)
        (folder / name / "bot.rb").rename(folder / f"{name}.rb")
    held = measuring.isolated(isolation)
    conditions = replace(measuring.CONDITIONS, rules=BROADSIDES, dialect=None, isolation=held)
    return conditions, find_all([str(folder / f"{name}.rb") for name in names])


def contest_row(folder: Path) -> Rounds:
    """CPU time of a match of 500 games of two C AIs, added to a ledger, to the same frames by a
    bare loop."""
    bots = contest_players(folder)
    conditions = replace(measuring.CONDITIONS, rules=CONTEST, dialect=None)
    game = partial(play_match, bots=bots)
    with by_judge_and_barely(game, conditions, bots, folder, exchange_frames) as (ours, base):
        for number in count():
            records: list[GameRecord] = []
            with awake():
                played = measuring.cpu_ms(lambda: records.extend(ours()))  # noqa: B023 - called here
                barely = measuring.cpu_ms(base)
                added = measuring.cpu_ms(partial(add, folder / f"{number}.json", records))
            yield [Round(played + added, barely)]


def add(path: Path, records: Sequence[GameRecord]) -> None:
    """Add the games of a match to a new ledger, and save it."""
    with Ledger(path) as ledger:
        ledger.add_all(records, numbered=True)


def contest_players(folder: Path) -> tuple[Bot, ...]:
    """The two AIs, each speaking dialect 1, which has the more messages."""
    for name in AIS:
        measuring.compiled(BOTS / name / "bot.c", folder / name)
    return find_all([f"{folder / name}@contest/1" for name in AIS])


def play(run: Run, bots: Sequence[Bot], end: str) -> list[GameRecord]:
    """A game of two players, which has to come to this end."""
    records = play_match(run, bots, 1)
    if records[0].outcome.termination != end:
        fail(f"its own player lost by {records[0].outcome}")
    return records


def play_match(
    run: Run, bots: Sequence[Bot], games: int = MATCH_GAMES, seed: int = measuring.SEED
) -> list[GameRecord]:
    """A match of the two; one game is a match too."""
    seats = tuple(
        TaskSeat(bot.name, bot.digest, seed + seat, bot.wires, bot.dialect)
        for seat, bot in enumerate(bots)
    )
    first, *rest = (TaskGame(f"bench-{seed + game}", seed + game, 0) for game in range(games))
    task = Task(first.id, first.seed, first.first, seats, rest=tuple(rest))
    records = run.play_match(task) if rest else [run.play(task)]
    if len(records) != games:
        fail(f"its own AI lost by {records[-1].outcome}")
    return records


class Step(NamedTuple):
    """A message between the judge and a seat: the bytes that it was sent, or None if it
    answered."""

    seat: int
    sent: bytes | None


class Noted:
    """A connection that notes what passes over it."""

    def __init__(self, connection: Connection, seat: int, steps: list[Step]) -> None:
        self._connection = connection
        self._seat = seat
        self._steps = steps

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def send(self, data: bytes) -> None:
        self._steps.append(Step(self._seat, data))
        self._connection.send(data)

    def receive(self, deadline: float) -> bytes:
        data = self._connection.receive(deadline)
        self._steps.append(Step(self._seat, None))
        return data


def started(seat: int, bot: Bot, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """A player's process, in a folder of its own."""
    path = folder / f"seat-{seat}"
    Path(path, "log").mkdir(parents=True, exist_ok=True)
    # Without a HOME, Ruby takes longer to start.
    own = {"HOME": str(path), "TMPDIR": str(path), **Broadsides.luck(measuring.SEED + seat)}
    return subprocess.Popen(
        [*bot.command, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=path,
        env=variables(bot.path, own),
        start_new_session=True,  # the kernel shares out its time by sessions
    )


def exchange_lines(
    bots: Sequence[Bot], steps: Sequence[Step], folder: Path, *, is_bound: bool = False
) -> None:
    """Nothing but the same two processes, and the same lines by a plain loop; ``is_bound`` on the one
    processor of a game, where two interpreters start one after the other."""
    with processors.owned(1) if is_bound else nullcontext(frozenset[int]()) as own:
        with processors.bound_to(own):
            processes = [started(seat, bot, folder) for seat, bot in enumerate(bots)]
        for seat, sent in steps:
            stdin, stdout = processes[seat].stdin, processes[seat].stdout
            assert stdin, "it is a pipe"
            assert stdout, "it is a pipe"
            if sent is not None:
                stdin.write(sent)
                stdin.flush()
            elif not stdout.readline():
                fail("its own player has left the bare game")
        for process in processes:
            process.communicate()


def exchange_frames(bots: Sequence[Bot], steps: Sequence[Step], folder: Path) -> None:
    """The same by frames over a unix socket."""
    with ExitStack() as until:
        sockets: list[socket.socket] = []
        for seat, bot in enumerate(bots):
            path = folder / f"{bot.name}.socket"
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(path))
                listening.listen(1)
                until.enter_context(started(seat, bot, folder, str(path)))
                connected, _ = listening.accept()
            path.unlink()
            sockets.append(until.enter_context(connected))
        for seat, sent in steps:
            if sent is None:
                sockets[seat].recv(FRAME_BYTES)
                continue
            for at in range(0, len(sent), FRAME_BYTES):
                sockets[seat].send(sent[at : at + FRAME_BYTES])


@contextmanager
def awake() -> Iterator[None]:
    """Keep every core busy, with what gives way to anything else."""
    with ExitStack() as spinning:
        for _ in range(os.cpu_count() or 1):
            spinner = spinning.enter_context(
                subprocess.Popen([sys.executable, "-I", "-S", "-c", SPIN], stdout=subprocess.PIPE)
            )
            spinning.callback(spinner.kill)
            assert spinner.stdout, "a pipe"
            spinner.stdout.readline()  # it gives way by now
        yield


def wires_row(ours: str, base: str) -> Measure:
    """Wall time of a move of the same bot in the same game, over one wire and over another."""

    def measure(folder: Path) -> Rounds:
        conditions = replace(measuring.CONDITIONS, dialect=None)
        bots = [measuring.python_bot(folder, wire) for wire in (ours, base)]
        shots = [
            [structs.replace(shot, ms=0) for shot in play_one(bot, conditions).shots]
            for bot in bots
        ]
        if shots[0] != shots[1]:
            fail("its own bot plays another game over another wire")
        moves = len(shots[0]) + 2  # a shot, or one of two fleets
        while True:
            one, other = (partial(play_one, bot, conditions) for bot in bots)
            yield [Round(*(each / moves for each in measuring.in_turns(one, other, 3) if each))]

    return measure
