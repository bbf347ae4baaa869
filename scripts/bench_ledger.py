"""Ledgers of any size, and the rows that read, write and show them.

Games of random shots are played once, and written again and again under other ids and between
other bots, each as valid as the first.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, count, cycle, islice, product
from pathlib import Path
from random import Random
from zlib import crc32

from msgspec import structs

import judge
import measuring
from judge.contest.ledger.entries import encoded, entry_of
from judge.contest.ledger.files import located
from judge.contest.ledger.journal import START
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.verify import rebuild
from judge.documents.game import GameRecord
from judge.documents.ledger import Game, Header
from judge.documents.rules import Cell, Fleet, Rules
from judge.game.events import View
from judge.game.variants import BRAINJAR
from measuring import Round, Rounds, timed

DIGEST = "sha256:" + 64 * "0"  # of the last version of each bot
TEMPLATES = 20
MANY, FEW = 100_000, 100  # games in a ledger
BOTS, VERSIONS = 200, 5  # in a large ledger
ADDED = 100  # games in a round


def add_row(folder: Path) -> Rounds:
    """Adding a game to a ledger of 100,000 games of 1,000 versions, to adding it to one of 100, in
    turns; with what is saved now and then, which is some megabytes of the large one."""
    source = games(BOTS, "added-")
    with Ledger(make(folder / "large.json", MANY, BOTS, VERSIONS)) as large:
        for number in count():
            with Ledger(make(folder / f"{number}.json", FEW, BOTS)) as small:
                first, *records = islice(source, 1 + ADDED)
                for ledger in (large, small):
                    ledger.add(first)  # reads what is read but once
                seconds = {large: 0.0, small: 0.0}
                for record in records:
                    # The first to add it pays for what is loaded or computed of it but once.
                    for ledger in seconds:
                        seconds[ledger] += timed(partial(ledger.add, record))
                    seconds = dict(reversed(seconds.items()))
            yield [Round(seconds[large] / ADDED, seconds[small] / ADDED)]


def open_row(folder: Path) -> Rounds:
    """Seconds and memory of `judge standings` of 100,000 games of 200 bots of 5 versions."""
    ledger = make(folder / "ledger.json", MANY, BOTS, VERSIONS)
    command = [measuring.JUDGE, "standings", str(ledger)]
    while True:
        yield [*map(Round, measuring.weighed(command))]


def site_row(folder: Path) -> Rounds:
    """Seconds to write the pages of a ledger of 1,000 games, and their size in MB."""
    ledger = make(folder / "ledger.json", 1000, bots=12)
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            site = Path(fresh, "site")
            command = [measuring.JUDGE, "site", str(site), "--ledger", str(ledger)]
            seconds, _ = measuring.weighed(command)
            size = sum(path.stat().st_size for path in site.rglob("*.*"))
        yield [Round(seconds), Round(size / 1e6)]


class AtRandom:
    """A bot of this process, which shoots at any cell that is left, as its seed has it."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def place(self, rules: Rules, seed: int) -> Fleet:
        self._left = [Cell(*cell) for cell in product(range(rules.columns), range(rules.rows))]
        Random(seed).shuffle(self._left)
        return judge.random_fleet(rules, seed)

    def shoot(self, _: View) -> Cell:
        return self._left.pop()


def of_programs(game: GameRecord) -> GameRecord:
    """The same game as one of programs, which a ledger takes."""
    program = {"digest": DIGEST, "wire": "brainjar", "dialect": "readme", "launch": "exec"}
    seats = tuple(structs.replace(seat, **program) for seat in game.seats)
    return structs.replace(game, seats=seats, rated=True)


def templates(rules: Rules = BRAINJAR) -> list[GameRecord]:
    """Games of random shots: by the usual rules some 116 shots, 3 KB."""
    bots = [AtRandom(name) for name in ("one", "two")]
    games = judge.fight(*bots, games=TEMPLATES, rules=rules, seed=measuring.SEED, timeout_ms=30_000)
    return [
        structs.replace(
            of_programs(game),
            started="2026-01-31T12:00:00.000Z",
            finished="2026-01-31T12:00:03.000Z",
        )
        for game in games
    ]


def games(bots: int, prefix: str = "", rules: Rules = BRAINJAR) -> Iterator[GameRecord]:
    """Games without end: every two of that number of bots against each other, again and again.
    Those of another ``prefix``, which is that of their ids, are others."""
    records = cycle(templates(rules))
    pairs = cycle(combinations(range(bots), 2))
    first = crc32(prefix.encode()) << 20 if prefix else 0
    for number, record, pair in zip(count(1), records, pairs):
        seats = tuple(
            structs.replace(seat, name=f"bot{bot:03}")
            for seat, bot in zip(record.seats, pair, strict=True)
        )
        yield structs.replace(record, id=f"{prefix}{number}", seed=first + number, seats=seats)


def make(
    path: Path, size: int, bots: int, versions: int = 1, digests: Mapping[str, str] | None = None
) -> Path:
    """Write a ledger of ``size`` of these games, and return its path; 100,000 take half a minute.
    Every bot has that number of ``versions``, one after the other, or files of these
    ``digests``."""

    def entry(number: int, record: GameRecord) -> Game:
        version = versions - 1 - (number - 1) * versions // size  # 0 is the one that plays now
        usual = f"{DIGEST[:-1]}{version}"
        seats = tuple(
            structs.replace(seat, digest=(digests or {}).get(seat.name, usual))
            for seat in record.seats
        )
        return entry_of(structs.replace(record, number=number, seats=seats))

    _, journal = located(path)
    before = journal.append(START, [encoded(Header(version=1, id=secrets.token_hex(16)))])
    numbered = enumerate(islice(games(bots), size), 1)
    while batch := [encoded(entry(*each)) for each in islice(numbered, 1000)]:
        before = journal.append(before, batch)
    rebuild(path)
    return path
