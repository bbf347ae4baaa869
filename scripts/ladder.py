"""How strong the bundled Python bots are: the shots that they need to clear a board, measured in
this very process and kept from run to run. Run it by `scripts/ladder`.

A bot is loaded as a module, and its `main` is called for every move with the argument and the
variables that the judge would give it; wire, rules and fleets are the judge's own. So the shots are
those of `judge test` with the same seed, if it has a process for each board (as with `--io`), but
sooner: no process is started, and fleets that were counted before are not counted again. The time that this saves is added to the
move's: it is the CPU time that the move takes in a new process, but for starting that. The first
wire that a bot speaks is taken that can express the rules and starts a process for every move.
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
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache, wraps
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from judge import quoting
from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary, effort
from judge.documents.game import RecordedSeat
from judge.documents.rules import Fleet, Rules
from judge.documents.shooting import FleetsFrom
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play import solo
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.process.bots.bot import find, find_all
from judge.process.run.connection import Script
from judge.process.run.processors import usable
from judge.show.shooting import report
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

    @property
    def key(self) -> tuple[object, ...]:
        """The properties that tell it from every other board."""
        return self.bot, self.digest, self.rules, self.dialect, self.seed, self.board


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
    to_clear = solo.Board(board.id, board.seed, fleet)
    (record,) = solo.clear_boards(conditions, player, [to_clear])
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


def board_of(line: str) -> Board | None:
    """The board that a line of the file holds, if it does: a line may have been cut off."""
    with contextlib.suppress(ValueError, TypeError):
        return Board(**json.loads(line))
    return None


def measured(
    wanted: Iterable[tuple[str, str, Pairing]], rules: Rules, jobs: int
) -> Generator[Board, None, None]:
    """Measure these boards, ``jobs`` at once, as they end.

    Closed before its end, it ends those that are under way.
    """
    with ProcessPoolExecutor(jobs, initializer=_leave_interrupts) as pool:
        try:
            for future in as_completed([pool.submit(measure, *one, rules) for one in wanted]):
                yield future.result()
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _leave_interrupts() -> None:
    """Let the process that started this one see to Ctrl-C, which goes to both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def summary_of(names: Sequence[str], rules: Rules, boards: Iterable[Board]) -> ShootingSummary:
    """The boards of these bots, each counted once however often it was measured."""
    summary = ShootingSummary(names, rules)
    for one in boards:
        bot = summary.bots[names.index(one.bot)]
        if one.board not in bot.efforts:
            bot.clear(one.board, Effort(one.shots, one.turns, one.search, one.destroy))
            for ms in one.ms:
                bot.times.add(ms)
    return summary


def chart(bots: Iterable[BotShooting]) -> str:
    """A bar a bot: a mark for each shot, or for two if the bars would be too long."""
    bars = [
        (bot.name, bot.mean, (bot.mean - sum(misses), *misses))
        for bot in bots
        if bot.mean is not None and (misses := bot.misses())
    ]
    unit = 1 if max(mean for _, mean, _ in bars) <= WIDEST else 2
    lines = [
        f"{name:<14}"
        + "".join(mark * round(part / unit) for mark, part in zip("=.x", parts, strict=True))
        + f" {mean:.1f}"
        for name, mean, parts in bars
    ]
    each = "a shot" if unit == 1 else "two shots"
    return "\n".join([*lines, f"A mark is {each}: = hits, . misses in search, x beside hits."])


def main() -> int:
    """Measure what is missing and print the report of judge test; of what there is, if it is
    interrupted."""
    parser = argparse.ArgumentParser(description="Measure the ladder of bundled Python bots.")
    there = sorted(path.parent.name for path in BOTS.glob("*/bot.py"))
    parser.add_argument("bots", nargs="*", metavar="BOT", choices=there, help="all by default")
    parser.add_argument("--boards", type=count, default=100, help="that each is to clear (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the fleets and all luck (1)")
    parser.add_argument("--rules", choices=VARIANTS, default=BRAINJAR.name)
    parser.add_argument("--dialect", help="of each bot's wire; its usual one by default")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep boards here, and go on")
    parser.add_argument("--jobs", type=count, default=usable())
    given = parser.parse_args()
    rules = VARIANTS[given.rules]
    names = given.bots or [name for name in LADDER if spoken(name, rules)]
    dialects: dict[str, str] = {}
    for name in names:
        if (wire := spoken(name, rules)) is None:
            parser.error(f"{name} cannot be asked for single moves by the rules {rules.name}")
        dialects[name] = given.dialect or wire.dialects[0]
        if dialects[name] not in wire.dialects:
            parser.error(f"{name} has no dialect {given.dialect!r} by the rules {rules.name}")
    wanted = {
        (name, _digest(name), rules.name, dialects[name], board.seed, board.round): board
        for board in Solo(1, given.boards, given.seed)
        for name in names
    }
    try:
        file = (given.keep or Path(os.devnull)).open("a+", encoding="utf-8", errors="replace")
    except OSError as error:
        parser.error(f"--keep {given.keep}: nothing can be kept there: {error.strerror}")
    file.seek(0)
    found = [board for board in map(board_of, file) if board and board.key in wanted]
    had = {board.key for board in found}
    todo = [(key[0], dialects[key[0]], board) for key, board in wanted.items() if key not in had]
    measuring, is_stopped = measured(todo, rules, given.jobs), False
    try:
        with contextlib.closing(measuring):
            for one in measuring:
                # In one write, for several runs may share it; one of them may have been cut off.
                print(f"\n{json.dumps(asdict(one))}", file=file, flush=True)
                found.append(one)
    except KeyboardInterrupt:
        is_stopped = True
        print("ladder: interrupted; with --keep FILE the same command goes on", file=sys.stderr)
    if found:
        bots = find_all([str(BOTS / name) for name in names])
        test = ShootingTest(
            bots=bots,
            boards=given.boards,
            seed=given.seed,
            origin=Origin(FleetsFrom.RANDOM),
            conditions=Conditions(rules=rules),
        )
        folders = [str(bot.folder) for bot in bots]
        again = quoting.line(["scripts/ladder", *sys.argv[1:]])
        played = len(found) if is_stopped else None
        summary = summary_of(names, rules, found)
        said = report(test, summary, again=again, checks=folders, played=played)
        print(chart(summary.bots), said, sep="\n\n")
    return 130 * is_stopped


if __name__ == "__main__":
    sys.exit(main())
