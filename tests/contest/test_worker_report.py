"""The reports of workers on themselves and on how their game goes; here they are in this
process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from random import Random

import pytest

from judge import schemas
from judge.contest.cluster.pool import Answer
from judge.contest.cluster.worker import GameWorker
from judge.contest.cluster.worker_report import reports
from judge.documents.codec import builtins
from judge.documents.machines import Cluster, Worker
from judge.errors import JudgeFault
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import Parcel
from judge.process.run.connection import Connection, Script
from judge.show.cluster import text
from judge.testing import board
from players import telling

MACHINE = {
    "host": "lab1",
    "system": "Debian",
    "architecture": "x86_64",
    "judge": "0.1.0",
    "python": "3.13.1",
    "isolation": "none",
    "enforcement": [],
    "more_isolation": "apt-get install bubblewrap",
    "programs": [{"name": "bash", "version": "5.2"}, {"name": "perl", "version": None}],
    "problems": ["there is little space"],
}


def by_seed(_: Bot, seed: int, __: Callable[[], Connection]) -> Connection:
    luck = Random(seed)
    return Script(telling(random_fleet(BRAINJAR, luck), luck.sample(board(BRAINJAR), 64)))


class Alone:
    """An engine with one worker, ``w``, and one of another version."""

    def __init__(self, folder: Path, said: str | JudgeFault) -> None:
        self.worker = GameWorker(folder)
        self.unfit = {"old": "has judge 9.9 where this judge has judge 0.1; install the same"}
        self.spoil: Callable[[str], str] = str
        self._said = said

    def workers(self) -> Mapping[str, int]:
        return {"w": 3}

    def examine(self, worker: str) -> Future[str]:
        future: Future[str] = Future()
        if isinstance(self._said, str):
            future.set_result(self._said)
        else:
            future.set_exception(self._said)
        return future

    def submit(
        self, workers: Iterable[str], text: str, parcels: Mapping[str, Callable[[], Parcel]]
    ) -> Future[Answer]:
        files = [parcel() for parcel in parcels.values()]
        future: Future[Answer] = Future()
        future.set_result(("w", self.spoil(self.worker.play(text, files, connect=by_seed))))
        return future


Engines = Callable[[str | JudgeFault], Alone]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engines]:
    made: list[Alone] = []

    def make(said: str | JudgeFault) -> Alone:
        made.append(Alone(tmp_path / f"{len(made)}", said))
        return made[-1]

    yield make
    for one in made:
        one.worker.close()


def of_worker(engine: Alone) -> Worker:
    """The report of the one that may play; the other is refused for its version."""
    old, worker = reports(engine)
    assert old.name == "old"
    assert old.reason == engine.unfit["old"]
    assert old.machine is None
    assert schemas.problem("cluster", builtins(Cluster(address="x", workers=(old, worker)))) is None
    return worker


@pytest.mark.whole
def test_a_worker_that_plays_is_shown_with_what_it_has(engine: Engines) -> None:
    """And with what is amiss; where it holds bots by less than bwrap, that is said with the mend."""
    worker = of_worker(engine(json.dumps(MACHINE)))
    assert (worker.reason, worker.cores) == (None, 3)
    assert worker.game_ms is not None
    shown = text("tcp://lab1:8786", [worker], colour=False)
    assert "1 worker at tcp://lab1:8786" in shown
    assert "lab1" in shown
    assert "has bash, perl" in shown
    assert "Problem: w: there is little space." in shown
    said = "bots are held by none alone, so it plays with --trust-bots; to mend it:"
    assert said in " ".join(shown.split())
    assert shown.endswith("Games can be played on 1 worker with 3 cores.")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (JudgeFault("it was killed"), "cannot examine itself: it was killed"),
        ("{", "no report of a worker"),
        ("[" * 100_000, "no report of a worker"),
        ("null", "no report of a worker"),
        (json.dumps(MACHINE | {"isolation": "tight"}), "no report of a worker"),
        (json.dumps(MACHINE | {"host": "x" * 2000}), "no report of a worker"),
    ],
)
def test_a_worker_that_says_nonsense_gets_no_game(
    engine: Engines, said: str | JudgeFault, reason: str
) -> None:
    """It is told as the reason, and nothing of what it said is shown."""
    worker = of_worker(engine(said))
    assert worker.reason is not None
    assert reason in worker.reason
    assert (worker.machine, worker.game_ms) == (None, None)
    assert text("x", [worker], colour=False).endswith("No worker can play games.")


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (
            lambda _: "no JSON",
            (
                "cannot play a game: what a worker sent cannot be read: it is not JSON "
                "(Expecting value: line 1 column 1 (char 0))"
            ),
        ),
        (
            lambda said: json.dumps(json.loads(said) | {"records": [], "refused": "no sandbox"}),
            "cannot play a game: no sandbox",
        ),
        (
            lambda said: json.dumps(json.loads(said) | {"records": [], "fault": "no memory"}),
            "cannot play a game: no memory",
        ),
    ],
)
def test_a_worker_whose_game_fails_cannot_play(
    engine: Engines, spoil: Callable[[str], str], reason: str
) -> None:
    """The reason is told beside what it has."""
    alone = engine(json.dumps(MACHINE))
    alone.spoil = spoil
    worker = of_worker(alone)
    assert worker.reason == reason
    assert worker.machine is not None
    assert builtins(worker.machine) == MACHINE
