"""How strong the bundled Python bots are: the shots that they need to clear a board, measured in
this very process and kept from run to run. Run it by `scripts/ladder`.

A bot is loaded as a module, and its `main` is called for every move with the argument and the
variables that the judge would give it; wire, rules and fleets are the judge's own. So the shots are
those of `judge test` with the same seed, if it has a process for each board (as with `--io`), but
sooner, for no process is started. The time of a move is the CPU time of the call. The first wire that
a bot speaks is taken that can express the rules and starts a process for every move.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TextIO
from unittest.mock import patch

import click

from judge import quoting
from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.documents import Origin, ShootingTest
from judge.contest.shooting.shooting import BotShooting, ShootingSummary
from judge.contest.threads import task
from judge.documents.codec import decode, encode
from judge.documents.game import GameRecord
from judge.documents.rules import Fleet, Rules
from judge.documents.shooting import FleetsFrom
from judge.errors import RecordError
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.play.solo import PLAYER
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Script
from judge.process.run.processors import usable
from judge.process.sandbox.isolation import Unlimited
from judge.show.shooting import report
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire

BOTS = Path(__file__).resolve().parents[1] / "bots"
LADDER = ("random", "hunt", "parity", "hunter", "heatmap", "exact", "foresight", "captain")
PYTHON_BOTS = sorted(path.parent.name for path in BOTS.glob("*/bot.py"))
WIDEST = 64  # marks of a bar


def load(name: str) -> ModuleType:
    """The Python bot of this name, as a module; nothing is written beside it."""
    path = BOTS / name / "bot.py"
    module = ModuleType(f"bot_{name}")
    module.__file__ = str(path)
    with patch("sys.path", [str(path.parent), *sys.path]):  # it may have files beside it
        exec(compile(path.read_text(), path, "exec"), module.__dict__)  # noqa: S102 - that is to run it
    return module


loaded = cache(load)


def ask(
    name: str,
    data: bytes,
    seed: int,
    wire: type[Wire] = WIRES["brainjar"],
    rules: Rules = BRAINJAR,
) -> bytes:
    """The output of a bot when it is started with this argument."""
    said = io.StringIO()
    with (
        patch("sys.argv", ["bot.py", data.decode()]),
        patch.dict(os.environ, {**wire.environment(rules), **wire.luck(seed)}),
        contextlib.redirect_stdout(said),
    ):
        loaded(name).main()
    return said.getvalue().encode()


class InProcess(Script):
    """A bot of this process; a move takes the CPU time of the call."""

    def send(self, data: bytes) -> None:
        started = time.process_time()
        super().send(data)
        self.milliseconds = 1000 * (time.process_time() - started)


def measure(
    name: str, dialect: str, board: Pairing, rules: Rules = BRAINJAR, fleet: Fleet | None = None
) -> GameRecord:
    """Let a bundled bot clear one board in this process, in the usual dialect if none is named; a
    random fleet unless one is given."""
    fleet = fleet or drawn_fleet(rules, board)
    wire = spoken(name, rules)
    assert wire is not None, "it has been asked whether it can play by these rules"
    answer = partial(ask, name, seed=board.bot_seeds[0], wire=wire, rules=rules.drawn_as(fleet))
    bot = replace(_bot(name), wires=(wire.name,), dialect=dialect)
    conditions = Conditions(rules=rules, isolation=Unlimited())
    with Run(conditions, [bot], lambda *_: InProcess(answer)) as run:
        (record,) = run.clear([task(board, [bot], lambda _: fleet)])
    return record


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


def key_of(record: GameRecord) -> object:
    """The properties that tell a board of a bot from every other one."""
    seat = record.seats[PLAYER]
    return seat.name, seat.digest, seat.dialect, record.rules.name, record.seed


def kept_in(file: TextIO) -> Iterator[GameRecord]:
    """The boards in a file, a line each; a line may have been cut off."""
    for line in file:
        with contextlib.suppress(RecordError):
            yield decode(GameRecord, line.encode(), "it")


def _measured(wanted: tuple[str, str, Pairing], rules: Rules) -> GameRecord:
    return measure(*wanted, rules)


def chart(bots: Iterable[BotShooting]) -> str:
    """A bar a bot: a mark for each shot, or for two if the bars would be too long."""
    bars = [
        (bot.name, bot.mean, (bot.mean - sum(misses), *misses))
        for bot in bots
        if bot.mean is not None and (misses := bot.misses())
    ]
    unit = 1 if all(mean <= WIDEST for _, mean, _ in bars) else 2
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
    wanted: dict[object, tuple[str, Pairing]] = {
        (name, _bot(name).digest, dialects[name], rules.name, board.seed): (name, board)
        for board in Solo(1, boards, seed)
        for name in names
    }
    file.seek(0)
    found = {key: one for one in kept_in(file) if (key := key_of(one)) in wanted}
    left = [one for key, one in wanted.items() if key not in found]
    todo = [(name, dialects[name], board) for name, board in left]
    is_stopped = False
    # Ctrl-C goes to all processes; this one ends the others.
    pool = multiprocessing.Pool(jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        with pool:
            for one in pool.imap_unordered(partial(_measured, rules=rules), todo):
                # In one write, for several runs may share it; one of them may have been cut off.
                print(f"\n{encode(one).decode()}", file=file, flush=True)
                found[key_of(one)] = one
    except KeyboardInterrupt:
        is_stopped = True
        print("ladder: interrupted; with --keep FILE the same command goes on", file=sys.stderr)
    if found:
        summary = ShootingSummary(names, rules)
        for key, one in found.items():
            name, board = wanted[key]
            summary.add(names.index(name), board.round, one)
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
        said = report(test, summary, again=again, checks=folders, played=played)
        print(chart(summary.bots), said, sep="\n\n")
    sys.exit(130 * is_stopped)


if __name__ == "__main__":
    main(prog_name="scripts/ladder")
