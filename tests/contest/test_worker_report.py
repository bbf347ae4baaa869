"""The reports of workers on themselves and on how their game goes; here they are in this
process."""

from __future__ import annotations

import json
from concurrent.futures import Future

import pytest

from judge import schemas
from judge.contest.cluster import worker_report
from judge.contest.cluster.worker_report import own_report, reports
from judge.documents.codec import builtins
from judge.documents.machines import Cluster, Worker
from judge.errors import JudgeFault, UsageError
from judge.show.doctor import cluster_text

ISOLATION = {
    "level": "none",
    "limits": [],
    "note": None,
    "enforcement": [],
    "more": "apt-get install bubblewrap",
}
MACHINE = {
    "judge": "0.1.0",
    "python": "3.13.1",
    "python_path": "/usr/bin/python3",
    "system": "Debian",
    "kernel": "6.1.0",
    "architecture": "x86_64",
    "cores": 8,
    "launching": [],
    "isolation": ISOLATION,
    "programs": [
        {"name": "bash", "path": "/bin/bash", "version": "5.2", "mend": None},
        {"name": "perl", "path": "/usr/bin/perl", "version": None, "mend": None},
        {"name": "ruby", "path": None, "version": None, "mend": "apt-get install ruby"},
    ],
    "scratch": {"path": "/tmp", "free_bytes": 5},
    "schemas": [],
    "bots": [],
}


REPORT = {
    "name": "another",
    "host": "lab1",
    "cores": 500,
    "reason": None,
    "game_ms": 20.5,
    "problems": ["there is little space"],
    "machine": MACHINE,
}


class Alone:
    """An engine with one worker, ``w``, and one of another version."""

    unfit = {"old": "has judge 9.9 where this judge has judge 0.1; install the same"}  # noqa: RUF012

    def __init__(self, said: object) -> None:
        """``said`` is the worker's answer or error; None if it never answers."""
        self._said = said

    def workers(self) -> dict[str, int]:
        return {"w": 3}

    def examine(self, worker: str) -> Future[object]:
        future: Future[object] = Future()
        if isinstance(self._said, JudgeFault):
            future.set_exception(self._said)
        elif self._said is not None:
            future.set_result(self._said)
        return future


def of_worker(said: object) -> Worker:
    """The report of the one that may play; the other is refused for its version."""
    engine = Alone(said)
    old, worker = reports(engine)  # type: ignore[arg-type] # this much of an engine is enough
    assert old.name == "old"
    assert old.reason == engine.unfit["old"]
    assert old.machine is None
    assert (worker.name, worker.cores) == ("w", 3)
    assert schemas.problem("cluster", builtins(Cluster(address="x", workers=(old, worker)))) is None
    return worker


@pytest.mark.whole
def test_a_worker_plays_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is in the report; if it cannot be played to its end, the reason is."""
    assert of_worker(own_report()).game_ms
    monkeypatch.setattr(worker_report, "LIMITS", worker_report.LIMITS.__class__(timeout_ms=1))
    late = of_worker(own_report())
    assert late.game_ms is None
    assert late.machine is not None
    assert (late.reason or "").startswith("cannot play a game: ")

    def refused(*_: object) -> object:
        raise UsageError("no sandbox")

    monkeypatch.setattr(worker_report, "choose", refused)
    assert of_worker(own_report()).reason == "cannot play a game: no sandbox"


def test_a_worker_is_shown_with_its_features() -> None:
    """And with its defects; if it holds bots by less than bwrap, that is said with the mend. Its word on its own name and cores is not taken."""
    worker = of_worker(json.dumps(REPORT))
    assert worker.machine is not None
    assert builtins(worker.machine) == MACHINE
    shown = cluster_text("tcp://lab1:8786", [worker], colour=False)
    assert "1 worker at tcp://lab1:8786" in shown
    assert "lab1" in shown
    assert "20 ms" in shown
    narrow = cluster_text("tcp://lab1:8786", [worker], colour=False, width=40)
    assert narrow.splitlines()[:3] == shown.splitlines()[:3]  # a row of the table is not broken
    assert "has bash, perl" in shown
    assert "Problem: w: there is little space." in shown
    said = "bots are held by none alone, so it plays with --trust-bots; to mend it:"
    assert said in " ".join(shown.split())
    assert shown.endswith("Games can be played on 1 worker with 3 cores.")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (JudgeFault("it was killed"), "cannot examine itself: it was killed"),
        (None, "has not answered within 0 s"),
        (b"{}", "its report cannot be read"),
        ("{", "its report cannot be read"),
        ("[" * 100_000, "its report cannot be read"),
        ("null", "no report of a worker"),
        (json.dumps(REPORT | {"game_ms": -1}), "no report of a worker"),
        (json.dumps(REPORT | {"reason": "x" * 20_001}), "no report of a worker"),
        (
            json.dumps(
                REPORT | {"machine": MACHINE | {"isolation": ISOLATION | {"level": "tight"}}}
            ),
            "no report of a worker",
        ),
        (json.dumps(REPORT | {"host": "x" * 2000}), "no report of a worker"),
        (
            json.dumps(REPORT | {"machine": MACHINE | {"judge": "x" * 2000}}),
            "no report of a worker",
        ),
    ],
)
def test_a_worker_that_says_nonsense_gets_no_game(
    said: object, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told as the reason, and nothing of the report is taken."""
    if said is None:
        monkeypatch.setattr(worker_report, "MOST_SECONDS", 0.0)
    worker = of_worker(said)
    assert worker.reason is not None
    assert reason in worker.reason
    assert (worker.machine, worker.game_ms, worker.problems) == (None, None, ())
    assert cluster_text("x", [worker], colour=False).endswith("No worker can play games.")
