"""Ledgers and contests of any size, to be measured or killed: valid games without playing bots.

Games of random shots, played once by the engine, are written again and again under other ids
and between other bots, each as valid as the first. A contest is played for real, but by
functions and on a tiny board. What is measured, and how, stands in bench.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, combinations, count, cycle, islice
from pathlib import Path
from random import Random
from zlib import crc32

from judge.cli.ledgers.ledger_table import print_table, standings_of
from judge.cli.settings import Color
from judge.contest.arena import WINDOW
from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.formats.plan import Plan
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.files import located
from judge.contest.ledger.identity import Seat, key
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Games, Pairing, contest_called, without
from judge.contest.tournament import Fault, Results, attempts
from judge.game.events import Target
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import Aside, GameRecord, RecordedSeat, RecordedShot
from judge.game.rules import Cell
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.referee import play_game
from judge.process.run.connection import Script
from judge.wire.brainjar import Brainjar, fleet_reply

DIGEST = "sha256:" + 64 * "0"  # of the last version of each bot
TEMPLATES = 20
TINY = replace(BRAINJAR, name="tiny", columns=3, rows=2, fleet=(2,))
JOBS = 2


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
        seed=seed,
        first=position.first,
        isolation="limits",
        limits=Limits(),
        seats=tuple(
            RecordedSeat(
                f"bot{seat}",
                DIGEST,
                seed,
                position.fleet(seat),
                31.5,
                wire="brainjar",
                dialect="readme",
                launch="exec",
            )
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
    """Games without end: every two of so many bots against each other, again and again. Those of
    another ``prefix``, which is that of their ids, are others."""
    templates = cycle([game(seed, shots) for seed in range(TEMPLATES)])
    pairs = cycle(combinations(range(bots), 2))
    first = crc32(prefix.encode()) << 20 if prefix else 0
    for number, record, pair in zip(count(1), templates, pairs):
        seats = tuple(
            replace(seat, name=f"bot{bot:03}") for seat, bot in zip(record.seats, pair, strict=True)
        )
        yield replace(record, id=f"{prefix}{number}", seed=first + number, seats=seats)


def make(path: Path, size: int, bots: int, versions: int = 1) -> Path:
    """Write a ledger of so many of these games, and return its path; 100,000 take ten seconds,
    nearly all of it for counting them. Every bot has so many ``versions``, one after the other."""
    _, journal = located(path)
    templates = cycle([_split(game(seed)) for seed in range(TEMPLATES)])
    pairs = cycle(combinations(range(bots), 2))
    with journal.path.open("w") as file:
        for number, parts, (one, two) in islice(zip(count(1), templates, pairs), size):
            values = (*[str(number)] * 3, f"bot{one:03}", f"bot{two:03}", "")
            later = versions - 1 - (number - 1) * versions // size  # than the one that plays now
            line = "".join(chain.from_iterable(zip(parts, values, strict=True)))
            file.write(line.replace(DIGEST, f"{DIGEST[:-1]}{later}") if later else line)
    rebuild(path)
    return path


def _split(record: GameRecord) -> list[str]:
    """A game's line, in the parts between which its id, its number, its seed and its bots' names
    belong."""
    seats = tuple(replace(seat, name="@") for seat in record.seats)
    document = replace(record, id="@", number=0, seed=0, seats=seats).to_json()
    line = json.dumps(document, separators=(",", ":")) + "\n"
    head, seated, rest = line.partition('"seats":')
    for what in ("number", "seed"):
        head = head.replace(f'"{what}":0,', f'"{what}":@,')
    return (head + seated + rest).split("@")


def rank(path: Path, size: int) -> None:
    """What `judge rank` does with two jobs, from an empty ledger to the table; the bots are
    functions, and the games (a multiple of 20) of some ten shots."""
    names = tuple(f"bot{number}" for number in range(5))
    with Ledger(path) as ledger, ThreadPoolExecutor(JOBS) as pool:
        rounds, remaining = divmod(size, len(names) * (len(names) - 1))
        assert not remaining, "in a round every two bots play two games"
        plan = Plan(format="rounds", bots=names, units=2 * rounds)
        meetings = Meetings(tuple(circle(names)), plan.units)
        seed = ledger.contest_seed(1)
        schedule = Games(names, contest_called(TINY, seed), seed, plan, meetings)
        missing = without(schedule, lambda pairing: ledger.is_played(_key(pairing)))
        for result in Results(missing, attempts(_play, pool), JOBS, WINDOW * JOBS):
            if isinstance(result, Fault):
                raise result.error
            ledger.add(result)
    assert ledger.tally.recorded == size, "each game is added once"
    print_table(standings_of(ledger.tally), path, Color.NEVER)


def _key(pairing: Pairing) -> bytes | None:
    seats = [
        Seat(name, None, "brainjar", "readme", seed)
        for name, seed in zip(pairing.names, pairing.bot_seeds, strict=True)
    ]
    return key(TINY, Limits(), pairing.seed, pairing.first, seats)


def _play(pairing: Pairing) -> GameRecord:
    players = [
        ProgramPlayer(
            RecordedSeat(name, None, seed, None, None, wire="brainjar", dialect="readme"),
            Brainjar(TINY, seat, "readme"),
            Script(Lucky(seed)),
        )
        for seat, (name, seed) in enumerate(zip(pairing.names, pairing.bot_seeds, strict=True))
    ]
    record = play_game(
        Conditions(rules=TINY, dialect="readme"),
        players,
        game_id=pairing.id,
        seed=pairing.seed,
        first=pairing.first,
    )
    assert record.outcome.termination is Termination.FLEET_DESTROYED, record.outcome
    return record


class Lucky:
    """A bot of `TINY` that shoots at any cell that it has not shot at, as its seed will have it."""

    def __init__(self, seed: int) -> None:
        self._luck = Random(seed)

    def __call__(self, question: bytes) -> bytes:
        asked = json.loads(question)
        if asked["cmd"] == "init":
            return json.dumps(fleet_reply(random_fleet(TINY, self._luck))).encode()
        cells = {f"{column}{row}" for column in range(TINY.columns) for row in range(TINY.rows)}
        left = sorted(cells.difference(asked["hit"], asked["missed"]))
        return json.dumps({"move": self._luck.choice(left)}).encode()
