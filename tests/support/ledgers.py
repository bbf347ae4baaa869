"""Ledgers of short games, what is in their files, and what may have been done to these."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from games import played
from judge.contest.journal import order_entries
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import contest_called
from judge.documents.game import Termination
from judge.game.variants import VARIANTS

NAMES = ("ann", "bob", "cid")


def void(ledger: Ledger, *numbers: int) -> None:
    ledger.order(partial(order_entries.void, games=numbers, reason="a test"))


def short(number: int, a: str = "ann", b: str = "bob", **more):
    """A game that is over after a few shots: quick to check and to write."""
    forfeit = (number % 2, Termination.CRASH)
    return played(seed=number, names=(a, b), game_id=f"g{number}", forfeit=forfeit, after=2, **more)


def fill(path: Path, *numbers: int) -> Path:
    with Ledger(path) as ledger:
        for number in numbers:
            ledger.add(short(number, NAMES[number % 3], NAMES[(number + 1) % 3]))
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the lock, which holds nothing."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith(".lock")
    }


def x_json(change):
    def spoil(path: Path) -> None:
        path.write_text(json.dumps(change(json.loads(path.read_text()))))

    return spoil


def spoil_line(number: int, data: bytes):
    """Replace a line of the journal, from 0."""

    def spoil(path: Path) -> None:
        journal = path.with_suffix(".games.jsonl")
        lines = journal.read_bytes().splitlines(keepends=True)
        lines[number] = data + b"\n"
        journal.write_bytes(b"".join(lines))

    return spoil


def another_journal(path: Path) -> None:
    fill(path.with_name("other.json"), 5, 6)
    path.with_name("other.games.jsonl").replace(path.with_suffix(".games.jsonl"))
    path.with_name("other.json").unlink()


def lines_of(path):
    return path.with_suffix(".games.jsonl").read_bytes().splitlines(keepends=True)


def without_lines(path, *numbers):
    """Remove lines, counted from 1."""
    kept = [line for number, line in enumerate(lines_of(path), 1) if number not in numbers]
    path.with_suffix(".games.jsonl").write_bytes(b"".join(kept))


def contest_game(seed, place=1):
    called = contest_called(VARIANTS["brainjar"], seed)
    return played(seed=place, names=("ann", "bob"), game_id=f"ann:bob:{called}:1.{place}")
