"""Ledgers of short games, and what is in their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from changes import replace
from games import played
from judge.contest.ledger import order_entries
from judge.contest.ledger.journal import START, Journal
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import contest_key
from judge.documents.game import GameRecord, OfMatch, Termination
from judge.game.variants import VARIANTS, contest

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


def rewritten(path: Path, change: Callable[[list[Any]], object]) -> None:
    """Write a journal anew, with its entries as ``change`` makes them, or texts in their place, and a chain
    that is whole: what a stranger can do."""
    journal = Journal(path.with_suffix(".games.jsonl"))
    entries: list[Any] = [json.loads(line.data) for line in journal.lines()]
    change(entries)
    journal.path.unlink()
    path.with_suffix(".games.cache").unlink(missing_ok=True)
    texts = [
        entry if isinstance(entry, str) else json.dumps(entry, separators=(",", ":"))
        for entry in entries
    ]
    journal.append(START, [text.encode() for text in texts])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the lock, which holds nothing."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith(".lock")
    }


def a_match(games: int, *, error: bool = False, seed: int = 0) -> list[GameRecord]:
    """The games of a match; an error may end the last one."""
    records = [
        played(contest(3), seed + number, game_id=f"{seed}-{number}", names=("ann", "bob"))
        for number in range(1, games + 1)
    ]
    if error:
        lost = (1, Termination.TIMEOUT)
        names = ("ann", "bob")
        records[-1] = played(
            contest(3), seed + games, game_id="error", forfeit=lost, after=2, names=names
        )
    return [
        replace(record, match=OfMatch("m", number, games))
        for number, record in enumerate(records, 1)
    ]


def contest_game(seed, place=1):
    called = contest_key(VARIANTS["brainjar"], seed)
    return played(seed=place, names=("ann", "bob"), game_id=f"ann:bob:{called}:1.{place}")
