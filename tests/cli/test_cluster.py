"""``--cluster`` with real schedulers and workers of dask, which are killed in the middle: the ledger
ends as one machine gives it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from clusters import (
    RUN,
    Start,
    alone,
    bots,
    ended,
    games,
    ledger,
    rank,
    ranked,
    scheduler,
    set_up,
    until_games,
    until_no_bot_is_left,
    worker,
)
from commands import judge
from judge import schemas
from judge.contest import cluster as cluster_room
from judge.contest.cluster import dask_engine
from judge.contest.cluster.dask_engine import DaskEngine
from judge.contest.cluster.worker import versions
from needs import strictest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.whole


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    set_up()


def test_the_judge_and_then_each_worker_is_killed(start: Start, cluster: str) -> None:
    """The ledger is that of one machine, played in a sandbox on each worker, without a word of dask's.
    The judge is killed and interrupted, and the same command goes on. A worker is killed with its
    nanny, and the other one plays what it had; then that one is killed too, and comes again. None of
    their bots outlives them. Each worker is seen whenever one looks, also while dask's client asks the
    scheduler by itself, for its own ends."""
    import dask
    import distributed  # which adds to what is set: if it came later, that would be taken back

    bots(0.03)
    first, second = (worker(start, cluster, has_nanny=has) for has in (True, False))
    with (
        dask.config.set({f"{distributed.__name__}.client.scheduler-info-interval": "1ms"}),
        contextlib.closing(DaskEngine(cluster)) as engine,
    ):
        assert [len(engine.workers()) for _ in range(200)] == [2] * 200
    words = ("--ledger", "there.json", "--rounds", "5", "--cluster", cluster)
    for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        before = games("there.json")
        judge = rank(start, *words)
        until_games(judge, "there.json", before + 1)
        judge.kill(number)
        assert judge.end() == status
        assert "Traceback" not in judge.output
    before = games("there.json")
    judge = rank(start, *words)
    until_games(judge, "there.json", before + 1)
    first.kill()
    # No game is under way on both: by then all are over that were when the first was killed.
    until_games(judge, "there.json", games("there.json") + 15)
    second.kill()
    until_no_bot_is_left()
    worker(start, cluster)
    assert f"2 workers with 2 cores at {cluster}" in ended(judge)
    assert ledger("there.json") == alone(5)


def test_the_scheduler_is_killed(start: Start) -> None:
    """The judge says so in one sentence, with exit status 1; with a new scheduler the same command
    goes on, and no game is lost or doubled."""
    bots(0.05)
    first, address = scheduler(start)
    worker(start, address)
    judge = rank(start, "--ledger", "there.json", "--cluster", address, "--quiet")
    until_games(judge, "there.json", 2)
    first.kill()
    said = ended(judge, 1)
    assert said.count("\n") == 1
    assert said.startswith(f"judge: the scheduler at {address} is gone: ")
    assert said.endswith("the same command goes on.\n")
    before = games("there.json")
    _, again = scheduler(start, address.rpartition(":")[2])
    assert again == address
    worker(start, address)
    ranked("--ledger", "there.json", "--cluster", address)
    assert 2 <= before < games("there.json")
    assert ledger("there.json") == alone()


def test_workers_of_other_versions_are_refused_by_name(
    start: Start, cluster: str, tmp_path: Path
) -> None:
    """Before the first game; so are those without the judge. Judge doctor examines each: what it has,
    and whether it plays a game, or the reason; without one that can, the exit status is 1."""
    sayings = {
        "none": ("import sys\nsys.modules['judge'] = None\n", "ModuleNotFoundError("),
        "other": ("import judge\njudge.__version__ = '9.9'\n", "judge 9.9, Python"),
    }
    unfit = []
    for name, (text, why) in sayings.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "sitecustomize.py").write_text(text)
        path = f"{tmp_path / name}{os.pathsep}{ROOT}"
        running = worker(start, cluster, PYTHONPATH=path)
        at = running.until(r"Start worker at:\s+(tcp://\S+)")
        should = f"{at} should have {versions()}, as this judge has, but says: "
        unfit.append((running, should + why))
    said = ranked("--cluster", cluster, "--quiet", status=2)
    assert said.startswith("judge: tcp://")
    assert all(sentence in said for _, sentence in unfit)
    assert not Path("bots.ledger.json").exists()
    unfit[0][0].kill()
    done = judge("doctor", "--cluster", cluster)
    assert done.status == 1
    assert f"Problem: {unfit[1][1]}" in " ".join(done.stdout.split())
    assert "No worker can play games." in done.stdout
    worker(start, cluster)
    found = json.loads(judge("doctor", "--cluster", cluster, "--json").stdout)
    assert schemas.problem("cluster", found) is None
    able = [one for one in found["workers"] if one["reason"] is None]
    assert len(found["workers"]) == 2
    assert [one["cores"] for one in able] == [1]
    assert able[0]["game_ms"] > 0
    assert able[0]["machine"]["isolation"]["level"] == strictest().name


def test_workers_of_this_machine_over_tls(start: Start) -> None:
    """--cluster local:2 starts them and ends them; a fight, a test and a comparison are played there
    too."""
    fight = start(
        *("judge", "fight", "bots/ann.py", "bots/bob.py", "--rules", "tiny.json", *RUN[:4]),
        *("--games", "4", "--cluster", "local:2", "--trust-bots", "--json", "--no-ledger"),
    )
    said = ended(fight)
    assert "2 workers with 2 cores at tls://127.0.0.1:" in said
    test = judge(
        *("test", "bots/ann.py", "--rules", "tiny.json", *RUN[:4], "--boards", "3"),
        *("--cluster", "local:1", "--trust-bots", "--csv", "--quiet"),
    )
    assert test.stdout.count(",ann,") == 3, test.stderr
    pair = ("bots/ann.py", "bots/bob.py", "--rules", "tiny.json", *RUN[:4], "--boards", "2")
    there = ("--games", "2", "--cluster", "local:1", "--trust-bots", "--quiet")
    compared = judge("compare", *pair, *there)
    assert "2 games: bob won" in compared.stdout, compared.stderr


@pytest.mark.parametrize("words", [("rank", "bots"), ("fight", "hunter", "random"), ("doctor",)])
@pytest.mark.parametrize("package", ["distributed", "dask"])
def test_without_the_extra_the_user_is_told_to_install_it(
    words: tuple[str, ...], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is played or written."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("dask", "distributed")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, dask_engine.__name__)
    monkeypatch.delattr(cluster_room, "dask_engine")
    monkeypatch.setitem(sys.modules, package, None)
    before = sorted(Path().iterdir())
    done = judge(*words, "--cluster", "local:1")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == (
        f"judge: --cluster needs {package}, which is not installed: install the judge with its extra "
        "cluster, as `judge guide contests` shows.\n"
    )
    assert sorted(Path().iterdir()) == before
