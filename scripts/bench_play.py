"""The rows of players, to the same processes without a judge: those that stay alive are fed the same
lines by a bare loop, and others are started barely for each move; the rows of one bot over two
wires; and the start of the judge itself.

A bot that is started for each move plays one and the same game every time, so that each of its moves
can be started again barely, as the judge started it.

The rows ``pipes`` and ``contest`` measure CPU time, of the players too: how long a process takes to
wake would otherwise be most of it. Every core is kept awake for the same reason, by processes that
give way to anything else.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

import measuring
from judge.contest.ledger.ledger import Ledger
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord
from judge.documents.rules import Turn
from judge.game.variants import BROADSIDES, CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.scaffolds import make
from judge.process.run import processors
from judge.process.run.environment import variables
from judge.process.sandbox.isolation import choose
from judge.wire.broadsides import Broadsides
from judge.wire.contest import FRAME_BYTES
from measuring import Round, Rounds, by_itself, fail, played, timed

# A message between the judge and a seat: the bytes that it was sent, or None if it answered.
Step = tuple[int, bytes | None]
# One run of a bot: its command and the whole of its environment.
Move = tuple[list[str], Mapping[str, str]]
MATCH_GAMES = 500
BOTS = Path(__file__).parents[1] / "bots"
AIS = ("contest-rows", "contest-random")  # row by row, and at random
# One shot a turn, never at a ship, so that the game has as many rounds as it may have.
LINES = structs.replace(BROADSIDES, name="lines", turn=Turn.SINGLE, salvo_bonus=(), round_limit=40)
FORKED_GAMES = 10  # games of one run, which share the fork servers of their bots
STARTS = 10  # in a round

# Writes down the command and the environment that it was started with, and becomes that command.
TELLER = """\
import json, os, sys
with open(sys.argv[1], "a") as told:
    print(json.dumps([sys.argv[2:], dict(os.environ)]), file=told)
os.execv(sys.argv[2], sys.argv[2:])
"""
SPIN = ("chrt", "--idle", "0", "sh", "-c", "echo; while :; do :; done")


def pipes_row(folder: Path) -> Rounds:
    """CPU time of a game of two C players that stay alive, to the same lines by a bare loop; and how
    long its record takes to be written, read and checked."""
    source = measuring.SMALL_BOTS / "lines.c"
    bots = find_all([str(measuring.compiled(source, folder / name)) for name in ("one", "two")])
    conditions = replace(measuring.CONDITIONS, rules=LINES, dialect=None)
    with by_judge_and_barely(conditions, bots, folder, exchange_lines) as (ours, base):
        while True:
            with awake():
                cost = measuring.in_turns(ours, base, 10, measuring.cpu_ms)
            (record,) = ours()
            check = timed(lambda: convert(GameRecord, builtins(record), "it"))  # noqa: B023 - called here
            yield [cost, Round(check)]


def broadsides_row(folder: Path, isolation: str = "limits") -> Rounds:
    """A game of two Ruby players, to the same lines by a bare loop: wall time from the start of both
    to their end, on the same processor."""
    conditions, bots = ruby_players(isolation, folder, "ann", "bob")
    exchange = partial(exchange_lines, is_bound=True)
    with by_judge_and_barely(conditions, bots, folder, exchange) as both:
        yield from measuring.paired(*both, 3)


def broadsides_bwrap_row(folder: Path) -> Rounds:
    """The same under bwrap."""
    return broadsides_row(folder, "bwrap")


@contextmanager
def by_judge_and_barely(
    conditions: Conditions,
    bots: Sequence[Bot],
    folder: Path,
    exchange: Callable[[Sequence[Bot], Sequence[Step], Path], None],
    games: int = 1,
) -> Iterator[tuple[Callable[[], Sequence[GameRecord]], Callable[[], None]]]:
    """One function plays the games by the judge, and the other sends the same to the same processes
    without a judge."""
    steps: list[Step] = []
    with Run(conditions, bots, io=lambda _, seat, __: Noted(seat, steps)) as run:
        played(run, bots, games)
    with Run(conditions, bots) as run:
        yield partial(played, run, bots, games), partial(exchange, bots, steps, folder)


def ruby_players(isolation: str, folder: Path, *names: str) -> tuple[Conditions, tuple[Bot, ...]]:
    """Players of broadsides with these names, and how they are held."""
    for name in names:
        make("broadsides-ruby", folder / name)
        (folder / name / "bot.rb").rename(folder / f"{name}.rb")
    held = choose(isolation)[0]
    conditions = replace(measuring.CONDITIONS, rules=BROADSIDES, dialect=None, isolation=held)
    return conditions, find_all([str(folder / f"{name}.rb") for name in names])


def contest_row(folder: Path) -> Rounds:
    """CPU time of a match of 500 games of two C AIs, added to a ledger, to the same frames by a
    bare loop."""
    bots = contest_players(folder)
    conditions = replace(measuring.CONDITIONS, rules=CONTEST, dialect=None)
    numbers = count()
    both = by_judge_and_barely(conditions, bots, folder, exchange_frames, MATCH_GAMES)
    with both as (ours, base):

        def kept() -> None:
            with Ledger(folder / f"{next(numbers)}.json") as ledger:
                ledger.add_all(ours(), numbered=True)

        while True:
            with awake():
                cost = measuring.in_turns(kept, base, clock=measuring.cpu_ms)
            yield [cost]


def contest_players(folder: Path) -> tuple[Bot, ...]:
    """The two AIs, each speaking dialect 1, which has the more messages."""
    for name in AIS:
        measuring.compiled(BOTS / name / "bot.c", folder / name)
    return find_all([f"{folder / name}@contest/1" for name in AIS])


class Noted(NamedTuple):
    """The exchange with a seat, noted among the steps of all seats."""

    seat: int
    steps: list[Step]

    def sent(self, data: bytes) -> None:
        self.steps.append((self.seat, data))

    def received(self, _: bytes) -> None:
        self.steps.append((self.seat, None))

    def stderr(self, data: bytes) -> None:
        """It is not a step."""

    def close(self) -> None:
        """The next game begins by itself."""


def started(seat: int, bot: Bot, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """A player's process, in a folder of its own."""
    path, seed = folder / f"seat-{seat}", measuring.pairing_of(BROADSIDES).bot_seeds[seat]
    Path(path, "log").mkdir(parents=True, exist_ok=True)
    # Without a HOME, Ruby takes longer to start.
    own = {"HOME": str(path), "TMPDIR": str(path), **Broadsides.luck(seed)}
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
            spinner = spinning.enter_context(subprocess.Popen(SPIN, stdout=subprocess.PIPE))
            spinning.callback(spinner.kill)
            assert spinner.stdout, "a pipe"
            spinner.stdout.readline()  # it gives way by now
        yield


def open_wire_row(folder: Path) -> Rounds:
    """A move of a Python bot over open, to over brainjar."""
    return wires_row(folder, "open", "brainjar")


def open_lines_row(folder: Path) -> Rounds:
    """Over open-lines, to over open."""
    return wires_row(folder, "open-lines", "open")


def wires_row(folder: Path, ours: str, base: str) -> Rounds:
    """Wall time of a move of the same bot in the same game, over one wire and over another."""
    conditions = replace(measuring.CONDITIONS, dialect=None)
    bots = [measuring.python_bot(folder, wire) for wire in (ours, base)]
    one, other = (partial(measuring.by_itself, bot, conditions) for bot in bots)
    shots = [[structs.replace(shot, ms=0) for shot in game().shots] for game in (one, other)]
    if shots[0] != shots[1]:
        fail("its own bot plays another game over another wire")
    moves = len(shots[0]) + 2  # a shot, or one of two fleets
    while True:
        yield [Round(*(each / moves for each in measuring.in_turns(one, other, 3) if each))]


def exec_python_row(folder: Path) -> Rounds:
    """A move of a Python bot, to a bare spawn."""
    return move_row(folder, measuring.python_bot(folder))


def bwrap_python_row(folder: Path) -> Rounds:
    """The same under bwrap."""
    return move_row(folder, measuring.python_bot(folder), "bwrap")


def fork_bwrap_python_row(folder: Path) -> Rounds:
    """The same forked, 10 games with their fork servers' start and end."""
    return move_row(folder, measuring.python_bot(folder), "bwrap", "fork")


def exec_c_row(folder: Path) -> Rounds:
    """A move of a tiny C bot, to a bare spawn."""
    return move_row(folder, measuring.c_bot(folder))


def move_row(folder: Path, bot: Bot, isolation: str = "none", launch: str = "exec") -> Rounds:
    """Wall time of a move in the judge's games, to that of starting the same moves barely, game by
    game in turns. Forked, it is one run of `FORKED_GAMES` games, from the start of its fork servers
    to their end."""
    held = choose(isolation)[0]
    conditions = replace(measuring.CONDITIONS, isolation=held, launch=launch)
    moves = moves_of(bot, folder)
    games, times = (FORKED_GAMES, 1) if launch == "fork" else (1, 3)

    def play() -> None:
        with Run(conditions, [bot]) as run:
            for _ in range(games):
                played(run, [bot, bot])

    def start_all() -> None:
        for move in moves:
            measuring.start(*move)

    while True:
        whole, bare = measuring.in_turns(play, start_all, times)
        yield [Round(whole / games / len(moves), (bare or 0) / len(moves))]


def cpu_row(folder: Path) -> Rounds:
    """The judge's own CPU time a move, in milliseconds; the bots' is not in it."""
    bot = measuring.c_bot(folder)
    moves = len(moves_of(bot, folder))
    while True:
        whole = measuring.cpu_ms(
            lambda: json.dumps(builtins(by_itself(bot))), [resource.RUSAGE_SELF]
        )
        yield [Round(whole / moves)]


def start_row(_folder: Path) -> Rounds:
    """`judge --version`, to the interpreter and click alone."""
    click = [sys.executable, "-c", "import click"]
    return measuring.paired(version, partial(measuring.start, click), STARTS)


def script_row(_folder: Path) -> Rounds:
    """How many milliseconds later the judge starts by scripts/judge than from its environment."""
    later = partial(version, str(Path(__file__).with_name("judge")))
    for ((ours, base),) in measuring.paired(later, version, STARTS):
        yield [Round(ours - (base or 0))]


def version(judge: str = measuring.JUDGE) -> None:
    measuring.start([judge, "--version"])


def moves_of(bot: Bot, folder: Path) -> list[Move]:
    """All moves of that game, as the judge started them; it is the same game every time."""
    told = folder / "moves.jsonl"
    teller = (sys.executable, "-c", TELLER, str(told))
    by_itself(replace(bot, command=(*teller, *bot.command)))
    return [json.loads(line) for line in told.read_text().splitlines()]
