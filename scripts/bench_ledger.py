"""What a ledger costs at 100 and at 100,000 games: adding to it, opening it, going over it.

`make` writes a ledger of any size with a few thousand lines a second: games of random shots,
played once by the engine, are written again and again under other ids and between other bots.
Each is as valid as the first. Run as a program, it prints its figures; adding is measured
A B A B with the same games and bots, and its ratio is what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, count, cycle, islice
from pathlib import Path
from random import Random

from judge.contest import audit
from judge.contest.fold import Fold
from judge.contest.ledger import Ledger, located, read, rebuild
from judge.game.events import Target, Termination
from judge.game.game import Game
from judge.game.record import Aside, GameRecord, Limits, RecordedSeat, RecordedShot
from judge.game.rules import BRAINJAR, Cell, random_fleet

DIGEST = "sha256:" + 64 * "0"
TEMPLATES = 20


def game(seed: int, shots: int | None = None) -> GameRecord:
    """A game of random shots at fresh cells: some 116 shots, 3.3 KB; or one that is resigned
    after so many."""
    rng = Random(seed)
    position = Game(BRAINJAR, 2, seed % 2)
    for seat in range(2):
        position.place(seat, random_fleet(BRAINJAR, rng))
    cells = [[Cell(column, row) for column in range(8) for row in range(8)] for _ in range(2)]
    for board in cells:
        rng.shuffle(board)
    asides = []
    while position.outcome is None:
        (seat,) = position.to_move
        if len(position.shots) == shots:
            position.resign(seat)
            asides.append(Aside(shots, seat, Termination.RESIGNED))
        else:
            position.shoot(seat, [Target(1 - seat, cells[1 - seat].pop())])
    return GameRecord(
        id=str(seed),
        rules=BRAINJAR,
        dialect="readme",
        seed=seed,
        first=position.first,
        launch="exec",
        isolation="limits",
        limits=Limits(),
        seats=tuple(
            RecordedSeat(f"bot{seat}", DIGEST, seed, position.fleet(seat), 31.5)
            for seat in range(2)
        ),
        shots=tuple(RecordedShot(shot, 31.25) for shot in position.shots),
        asides=tuple(asides),
        outcome=position.outcome,
        evidence=(),
        started="2026-01-31T12:00:00.000Z",
        finished="2026-01-31T12:00:03.000Z",
    )


def games(bots: int, prefix: str = "", shots: int | None = None) -> Iterator[GameRecord]:
    """Games without end: every two of so many bots against each other, again and again."""
    templates = cycle([game(seed, shots) for seed in range(TEMPLATES)])
    pairs = cycle(combinations(range(bots), 2))
    for number, record, pair in zip(count(1), templates, pairs):
        seats = tuple(
            replace(seat, name=f"bot{bot:03}") for seat, bot in zip(record.seats, pair, strict=True)
        )
        yield replace(record, id=f"{prefix}{number}", seats=seats)


def make(path: Path, size: int, bots: int) -> Path:
    """Write a ledger of so many games between so many bots, and return its path."""
    _, journal = located(path)
    with journal.path.open("wb") as file:
        for record in islice(games(bots), size):
            file.write(json.dumps(record.to_json(), separators=(",", ":")).encode() + b"\n")
    rebuild(path)
    return path


def seconds_to_add(ledger: Ledger, records: list[GameRecord]) -> float:
    """The mean time of adding one of these games, with what X.json takes now and then."""
    before = time.perf_counter()
    for record in records:
        ledger.add(record)
    return (time.perf_counter() - before) / len(records)


def adding(small: Path, large: Path, bots: int, *, rounds: int, a_round: int) -> list[float]:
    """Ratios of the time of adding to the large ledger : to the small one, round by round."""
    ratios = []
    ledgers = Ledger(small), Ledger(large)
    source = games(bots, "added-")
    for ledger in ledgers:
        ledger.add(next(source))  # what is read once is read before
    for _ in range(rounds):
        records = list(islice(source, a_round))
        fewer, more = (seconds_to_add(ledger, records) for ledger in ledgers)
        ratios.append(more / fewer)
        print(f"  {1000 * more:.2f} ms : {1000 * fewer:.2f} ms", flush=True)
    for ledger in ledgers:
        ledger.save()
    return ratios


def timed(what: str, act: Callable[[], object]) -> None:
    """Print how long it takes, and how much memory at most, in a process of its own."""
    sys.stdout.flush()
    before = time.perf_counter()
    if not (child := os.fork()):
        act()
        os._exit(0)
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter() - before
    assert not status, f"{what} has failed"
    print(f"{what:40} {took:8.2f} s {usage.ru_maxrss / 1024:8.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--bots", type=int, default=200, help="bots of the ledger that is read")
    parser.add_argument("--few", type=int, default=10, help="bots of those that are added to")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--a-round", type=int, default=200)
    parser.add_argument("--verify", action="store_true", help="verify the large one, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large, many = (Path(folder, f"{name}.json") for name in ("small", "large", "many"))
        timed(f"making {given.games} games", lambda: make(many, given.games, given.bots))
        timed("reading its .json and tail", lambda: read(many))
        timed("reading all of its journal", lambda: Fold(many, located(many)[1], None))
        timed("which games it has", lambda: Ledger(many).known())
        timed("its first game", lambda: audit.game(many, "1"))
        timed("a bot's history", lambda: list(audit.history(many, "bot000")))
        if given.verify:
            timed("verifying it", lambda: audit.verify(many))
        # As many bots in both, each having met each other: their X.json are equally long.
        timed("making another of few bots", lambda: make(large, given.games, given.few))
        timed("and one of 100 games", lambda: make(small, 100, given.few))
        print(f"adding, {given.games} games : 100 games")
        ratios = adding(small, large, given.few, rounds=given.rounds, a_round=given.a_round)
        print(f"  ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} … {max(ratios):.3f})")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
