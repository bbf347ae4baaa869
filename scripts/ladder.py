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

import contextlib
import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO
from unittest.mock import patch

import click
import msgspec

from judge import quoting
from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary, effort
from judge.contest.threads import task
from judge.documents.rules import Fleet, Rules
from judge.documents.shooting import FleetsFrom
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Script
from judge.process.run.processors import usable
from judge.process.sandbox.isolation import Unlimited
from judge.show.shooting import report
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire

BOTS = Path(__file__).resolve().parents[1] / "bots"
LADDER = ("random", "hunt", "parity", "hunter", "heatmap", "exact", "foresight", "captain")
REMEMBERED = ("count_fleets", "best_shot", "would_fire")  # functions of bots: dear, and pure
PYTHON_BOTS = sorted(path.parent.name for path in BOTS.glob("*/bot.py"))
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
                self._saved += known[key][1]
                return known[key][0]
            saved_before, started = self._saved, time.process_time()
            result = function(*arguments)
            seconds = time.process_time() - started + self._saved - saved_before
            known[key] = result, seconds
            if len(known) > MOST_REMEMBERED:
                del known[next(iter(known))]
            return result

        return remembering


class Board(msgspec.Struct, frozen=True):
    """One bot's board: a line of the file. ``seed`` is the board's own, and ``ms`` has the CPU time
    of each of its moves."""

    bot: str
    digest: str
    rules: str
    dialect: str
    seed: int
    board: int
    effort: Effort
    ms: tuple[float, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """The properties that tell it from every other board."""
        return msgspec.structs.astuple(self)[:6]


def measure(
    name: str, dialect: str, board: Pairing, rules: Rules = BRAINJAR, fleet: Fleet | None = None
) -> Board:
    """Let a bundled bot clear one board in this process; a random fleet unless one is given."""
    times: list[float] = []
    fleet = fleet or drawn_fleet(rules, board)
    drawn = rules.drawn_as(fleet)
    speaks = spoken(name, rules)
    assert speaks is not None, "it has been asked whether it can play by these rules"

    def answer(data: bytes) -> bytes:
        said, ms = _loaded(name).ask(data, board.bot_seeds[0], speaks, drawn)
        times.append(round(ms, 2))
        return said

    bot = replace(_bot(name), wires=(speaks.name,), dialect=dialect)
    conditions = Conditions(rules=rules, dialect=dialect, isolation=Unlimited())
    with Run(conditions, [bot], lambda *_: Script(answer)) as run:
        (record,) = run.clear([task(board, [bot], lambda _: fleet)])
    taken = effort(record)
    assert taken, f"{name} lost board {board.round}: {record.outcome.detail}"
    return Board(
        name, bot.digest, rules.name, dialect, board.seed, board.round, taken, tuple(times)
    )


@cache
def _loaded(name: str) -> Loaded:
    return Loaded(name)


@cache
def _bot(name: str) -> Bot:
    return find(str(BOTS / name))


@cache
def spoken(name: str, rules: Rules) -> type[Wire] | None:
    """The wire over which it can be asked here by these rules, if there is one."""
    for speaks in _bot(name).wires:
        wire = WIRES[speaks]
        if wire.transport is Transport.ONE_SHOT and not wire.unsupported(rules, 2):
            return wire
    return None


def board_of(line: str) -> Board | None:
    """The board that a line of the file holds, if it does: a line may have been cut off."""
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(line, type=Board)
    return None


def _measured(wanted: tuple[str, str, Pairing], rules: Rules) -> Board:
    return measure(*wanted, rules)


def summary_of(names: Sequence[str], rules: Rules, boards: Iterable[Board]) -> ShootingSummary:
    """The boards of these bots, each counted once however often it was measured."""
    summary = ShootingSummary(names, rules)
    for one in boards:
        bot = summary.bots[names.index(one.bot)]
        if one.board not in bot.efforts:
            bot.clear(one.board, one.effort)
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


@click.command()
@click.argument("names", metavar="[BOT]…", nargs=-1, type=click.Choice(PYTHON_BOTS))
@click.option("--boards", type=click.IntRange(1), default=100, help="That each is to clear (100).")
@click.option("--seed", default=1, help="Of the fleets and all luck (1).")
@click.option("--rules", "rules_name", type=click.Choice(list(VARIANTS)), default=BRAINJAR.name)
@click.option("--dialect", help="Of each bot's wire; its usual one by default.")
@click.option(
    *("--keep", "file"),
    type=click.File("a+", encoding="utf-8", errors="replace"),
    default=os.devnull,
    help="Keep boards in this file, and go on from those that it holds.",
)
@click.option("--jobs", type=click.IntRange(1), default=usable())
def main(
    names: Sequence[str],
    *,
    boards: int,
    seed: int,
    rules_name: str,
    dialect: str | None,
    file: TextIO,
    jobs: int,
) -> None:
    """Measure the ladder of bundled Python bots, or these bots, and print the report of judge test;
    if it is interrupted, of the boards so far."""
    rules = VARIANTS[rules_name]
    names = names or [name for name in LADDER if spoken(name, rules)]
    dialects: dict[str, str] = {}
    for name in names:
        if (wire := spoken(name, rules)) is None:
            raise click.UsageError(
                f"{name} cannot be asked for single moves by the rules {rules.name}"
            )
        dialects[name] = dialect or wire.dialects[0]
        if dialects[name] not in wire.dialects:
            raise click.UsageError(f"{name} has no dialect {dialect!r} by the rules {rules.name}")
    wanted = {
        (name, _bot(name).digest, rules.name, dialects[name], board.seed, board.round): board
        for board in Solo(1, boards, seed)
        for name in names
    }
    file.seek(0)
    found = [board for board in map(board_of, file) if board and board.key in wanted]
    had = {board.key for board in found}
    todo = [(key[0], dialects[key[0]], board) for key, board in wanted.items() if key not in had]
    is_stopped = False
    # Ctrl-C goes to all processes; this one ends the others.
    pool = multiprocessing.Pool(jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        with pool:
            for one in pool.imap_unordered(partial(_measured, rules=rules), todo):
                # In one write, for several runs may share it; one of them may have been cut off.
                print(f"\n{msgspec.json.encode(one).decode()}", file=file, flush=True)
                found.append(one)
    except KeyboardInterrupt:
        is_stopped = True
        print("ladder: interrupted; with --keep FILE the same command goes on", file=sys.stderr)
    if found:
        test = ShootingTest(
            bots=[_bot(name) for name in names],
            boards=boards,
            seed=seed,
            origin=Origin(FleetsFrom.RANDOM),
            conditions=Conditions(rules=rules),
        )
        folders = [str(BOTS / name) for name in names]
        again = quoting.line(["scripts/ladder", *sys.argv[1:]])
        played = len(found) if is_stopped else None
        summary = summary_of(names, rules, found)
        said = report(test, summary, again=again, checks=folders, played=played)
        print(chart(summary.bots), said, sep="\n\n")
    sys.exit(130 * is_stopped)


if __name__ == "__main__":
    main(prog_name="scripts/ladder")
