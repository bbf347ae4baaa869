"""How strong the bundled Python bots are: the shots that they need to clear a board, measured in
this very process and kept from run to run. Run it by `scripts/ladder`.

A bot is loaded as a module, and its `main` is called for every move with the argument and the
variables that the judge would give it; wire, rules and fleets are the judge's own. So the shots are
those of `judge test` with the same seed, if it has a process for each board (as with `--io`), but
sooner: no process is started, and fleets that were counted before are not counted again. The time that this saves is added to the
move's: it is the CPU time that the move takes in a new process, but for starting that. The first
protocol that a bot speaks is taken that can express the rules and starts a process for every move.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import cache, wraps
from itertools import islice, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.shooting import BotShooting, Effort, effort
from judge.documents.game import RecordedSeat
from judge.documents.rules import Fleet, Rules
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.solo import play_alone
from judge.process.bots.bot import find
from judge.process.run.connection import Script
from judge.process.run.processors import usable
from judge.stats.samples import paired_difference
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire
from measuring import count

BOTS = Path(__file__).resolve().parents[1] / "bots"
LADDER = ("random", "hunt", "parity", "hunter", "heatmap", "exact", "foresight", "captain")
REMEMBERED = (
    "count_fleets",
    "best_shot",
    "would_fire",
)  # functions of bots that are dear, and pure
WIDEST = 64  # marks of a bar
MOST_REMEMBERED = 5000  # calls a function, some 20 KB each


def load(name: str) -> ModuleType:
    """The Python bot of this name, as a module; nothing is written beside it."""
    path = BOTS / name / "bot.py"
    module = ModuleType(f"bot_{name}")
    module.__file__ = str(path)
    with patch("sys.path", [str(path.parent), *sys.path]):  # it may have files beside it
        exec(compile(path.read_text(), path, "exec"), module.__dict__)  # noqa: S102 - that is to run it
    return module


class Loaded:
    """A bot that is asked by calling its `main`."""

    def __init__(self, name: str) -> None:
        self._module = load(name)
        self._saved = 0.0
        for function in REMEMBERED:
            if function in self._module.__dict__:
                setattr(self._module, function, self._remembering(getattr(self._module, function)))

    def ask(
        self, data: bytes, seed: int, wire: type[Wire] = WIRES["brainjar"], rules: Rules = BRAINJAR
    ) -> tuple[bytes, float]:
        """Its output when it is started with this argument, and the milliseconds of CPU."""
        said = io.StringIO()
        environment = {**wire.environment(rules), **wire.luck(seed)}
        with patch("sys.argv", ["bot.py", data.decode()]), contextlib.redirect_stdout(said):
            os.environ.update(environment)
            self._saved = 0.0
            started = time.process_time()
            self._module.main()
            seconds = time.process_time() - started + self._saved
        return said.getvalue().encode(), 1000 * seconds

    def _remembering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, which computes for equal arguments but once."""
        known: dict[str, tuple[Any, float]] = {}

        @wraps(function)
        def remembering(*arguments: Any) -> Any:
            key = repr(arguments)
            if key in known:
                result, seconds = known[key]
                self._saved += seconds
                return result
            saved_before, started = self._saved, time.process_time()
            result = function(*arguments)
            seconds = time.process_time() - started + self._saved - saved_before
            known[key] = result, seconds
            if len(known) > MOST_REMEMBERED:
                del known[next(iter(known))]
            return result

        return remembering


@dataclass(frozen=True, slots=True)
class Board:
    """One bot's board: a line of the file. ``seed`` is the board's own, and ``ms`` has the CPU time
    of each of its moves."""

    bot: str
    digest: str
    rules: str
    dialect: str
    seed: int
    board: int
    shots: int
    turns: int
    search: int
    destroy: int
    ms: tuple[float, ...]


def measure(
    name: str, dialect: str, board: Pairing, rules: Rules = BRAINJAR, fleet: Fleet | None = None
) -> Board:
    """Let a bundled bot clear one board in this process; a random fleet unless one is given."""
    times: list[float] = []
    fleet = fleet or drawn_fleet(rules, board)
    told = rules.drawn_as(fleet)
    speaks = spoken(name, rules)
    assert speaks is not None, "it has been asked whether it can play by these rules"

    def answer(data: bytes) -> bytes:
        said, ms = _loaded(name).ask(data, board.bot_seeds[0], speaks, told)
        times.append(round(ms, 2))
        return said

    digest = _digest(name)
    wire = speaks(told, 0, dialect)
    entry = RecordedSeat.of(
        name, digest=digest, seed=board.bot_seeds[0], wire=wire.name, dialect=dialect
    )
    player = ProgramPlayer(entry, wire, Script(answer))
    conditions = Conditions(rules=told, dialect=dialect)
    record = play_alone(conditions, player, fleet, game_id=board.id, seed=board.seed)
    taken = effort(record)
    if taken is None:
        raise SystemExit(f"ladder: {name} lost board {board.round}: {record.outcome.detail}")
    return Board(
        bot=name,
        digest=digest,
        rules=rules.name,
        dialect=dialect,
        seed=board.seed,
        board=board.round,
        ms=tuple(times),
        **asdict(taken),
    )


@cache
def _loaded(name: str) -> Loaded:
    return Loaded(name)


@cache
def _digest(name: str) -> str:
    return find(str(BOTS / name)).digest


@cache
def spoken(name: str, rules: Rules) -> type[Wire] | None:
    """The wire over which it can be asked here by these rules, if there is one."""
    for speaks in find(str(BOTS / name)).wires:
        wire = WIRES[speaks]
        if wire.transport is Transport.ONE_SHOT and not wire.unsupported(rules, 2):
            return wire
    return None


# What is kept


def kept(path: Path | None) -> list[Board]:
    """The boards in a file, which is made if need be, whoever's they are.

    Lines that are not boards are left out: one may have been cut off.
    Raises OSError if nothing could be kept there.
    """
    if path is None:
        return []
    with path.open("a+", encoding="utf-8", errors="replace") as file:
        file.seek(0)
        text = file.read()
        if text and not text.endswith("\n"):
            file.write("\n")
    return [board for board in map(_board, text.splitlines()) if board is not None]


def _board(line: str) -> Board | None:
    """The board that a line holds, if it does."""
    with contextlib.suppress(ValueError, TypeError):
        return Board(**json.loads(line))
    return None


def keep(path: Path | None, board: Board) -> None:
    """Add a board to the file, in one write: several runs may share it."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(board)) + "\n")


# Measuring


def measured(
    wanted: Iterable[tuple[str, str, Pairing]], rules: Rules, jobs: int
) -> Generator[Board, None, None]:
    """Measure these boards, ``jobs`` at once, as they end.

    Closed before its end, it ends those that are under way.
    """
    todo = iter(wanted)
    with ProcessPoolExecutor(jobs, initializer=_leave_interrupts) as pool:
        running = {pool.submit(measure, *one, rules) for one in islice(todo, jobs)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                for one in islice(todo, len(done)):
                    running.add(pool.submit(measure, *one, rules))
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _leave_interrupts() -> None:
    """Let the process that started this one see to Ctrl-C, which goes to both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def summed(name: str, boards: Iterable[Board]) -> BotShooting:
    """A bot's boards, each counted once however often it was measured."""
    totals = BotShooting(name)
    for one in boards:
        if one.bot == name and one.board not in totals.efforts:
            totals.clear(one.board, Effort(one.shots, one.turns, one.search, one.destroy))
            for ms in one.ms:
                totals.times.add(ms)
    return totals


def table(ladder: Sequence[BotShooting]) -> str:
    """A row a bot, and by how much it is better than the one above it on the same boards."""
    heading = (
        f"{'':<14}{'boards':>7}{'shots':>8}{'error':>7}{'sd':>6}{'turns':>7}"
        f"{'search':>8}{'destroy':>9}"
    )
    lines = [f"{heading}{'ms a move: median':>19}{'worst':>8}"]
    for bot in ladder:
        shots, turns, misses = bot.spread(), bot.spread_of_turns(), bot.misses()
        if shots is None or turns is None or misses is None:
            continue
        lines.append(
            f"{bot.name:<14}{shots.count:>7}{shots.mean:>8.2f}{shots.se or 0:>7.2f}"
            f"{shots.sd or 0:>6.1f}{turns.mean:>7.1f}{misses[0]:>8.1f}{misses[1]:>9.1f}"
            f"{bot.times.quantile(0.5):>19.1f}{bot.times.worst:>8.0f}"
        )
    lines.append("")
    for weaker, stronger in pairwise(ladder):
        found = paired_difference(stronger.shots, weaker.shots)
        if found is not None and found.interval_95 is not None:
            low, high = found.interval_95
            lines.append(
                f"{stronger.name} - {weaker.name}: {found.mean:+.2f} shots on the same "
                f"{found.count} boards, 95% from {low:+.2f} to {high:+.2f}"
            )
    return "\n".join(lines)


def chart(ladder: Sequence[BotShooting]) -> str:
    """A bar a bot: a mark for each shot, or for two if the bars would be too long."""
    bars = []
    for bot in ladder:
        shots, misses = bot.spread(), bot.misses()
        if shots is not None and misses is not None:
            bars.append((bot.name, shots.mean, (shots.mean - sum(misses), *misses)))
    unit = 1 if max((mean for _, mean, _ in bars), default=0) <= WIDEST else 2
    lines = [
        f"{name:<14}"
        + "".join(mark * round(part / unit) for mark, part in zip("=.x", parts, strict=True))
        + f" {mean:.1f}"
        for name, mean, parts in bars
    ]
    each = "a shot" if unit == 1 else "two shots"
    return "\n".join([*lines, f"A mark is {each}: = hits, . misses in search, x beside hits."])


def main() -> int:
    """Measure what is missing and print the table; of what there is, if it is interrupted."""
    parser = argparse.ArgumentParser(description="Measure the ladder of bundled Python bots.")
    parser.add_argument("bots", nargs="*", metavar="BOT", help="all by default")
    parser.add_argument("--boards", type=count, default=100, help="that each is to clear (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the fleets and all luck (1)")
    parser.add_argument("--rules", choices=VARIANTS, default=BRAINJAR.name)
    parser.add_argument("--dialect", help="of each bot's protocol; its usual one by default")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep boards here, and go on")
    parser.add_argument("--jobs", type=count, default=usable())
    given = parser.parse_args()
    rules = VARIANTS[given.rules]
    there = sorted(path.parent.name for path in BOTS.glob("*/bot.py"))
    if unknown := [name for name in given.bots if name not in there]:
        parser.error(f"no Python bot is called {unknown[0]!r}; there are {', '.join(there)}")
    given.bots = given.bots or [name for name in LADDER if spoken(name, rules)]
    wires = {name: spoken(name, rules) for name in given.bots}
    dialects: dict[str, str] = {}
    for name, wire in wires.items():
        if wire is None:
            parser.error(f"{name} cannot be asked for single moves by the rules {rules.name}")
        dialects[name] = given.dialect or wire.dialects[0]
        if dialects[name] not in wire.dialects:
            parser.error(f"{name} has no dialect {given.dialect!r} by the rules {rules.name}")
    try:
        had_before = kept(given.keep)
    except OSError as error:
        parser.error(f"--keep {given.keep}: nothing can be kept there: {error.strerror}")
    digests = {name: _digest(name) for name in given.bots}
    schedule = list(Solo(1, given.boards, given.seed))
    seeds = {board.round: board.seed for board in schedule}
    have = [
        one
        for one in had_before
        if (digests.get(one.bot), dialects.get(one.bot)) == (one.digest, one.dialect)
        and (rules.name, seeds.get(one.board)) == (one.rules, one.seed)
    ]
    had = {(one.bot, one.board) for one in have}
    wanted = [
        (name, dialects[name], board)
        for board in schedule
        for name in given.bots
        if (name, board.round) not in had
    ]
    status = 0
    measuring = measured(wanted, rules, given.jobs)
    try:
        with contextlib.closing(measuring):
            for one in measuring:
                keep(given.keep, one)
                have.append(one)
    except KeyboardInterrupt:
        status = 130
        print("ladder: interrupted; with --keep FILE the same command goes on", file=sys.stderr)
    if have:
        found = [summed(name, have) for name in given.bots]
        print(table(found), chart(found), sep="\n\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
