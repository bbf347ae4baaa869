"""Games handed out to workers, which here are threads: whatever becomes of a worker, each game has
one result, in the order of the schedule."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from changes import replace
from commands import judge
from judge.cli.setup import Embedding
from judge.contest import threads
from judge.contest.cluster.pool import Answer, ConnectionLost, GamePool
from judge.contest.cluster.reached import require_fit
from judge.contest.cluster.worker import GameWorker
from judge.contest.schedule import Fight, First, Pairing, Solo
from judge.contest.settings import PlaySettings
from judge.contest.standings.fight_documents import under
from judge.contest.window import Fault
from judge.documents.codec import encode
from judge.documents.game import GameRecord, Limits
from judge.documents.tasks import SentTask, TaskResult, Terms
from judge.errors import (
    BotChanged,
    JudgeFault,
    RunsNowhere,
    Starved,
    UsageError,
    WorkersDied,
)
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR, CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.parcel import Parcel, packed_as_known
from judge.process.run.connection import Connection, Script
from judge.testing import board
from players import telling
from wire_players import Policy, connected

CONDITIONS = Conditions(rules=BRAINJAR, limits=Limits(timeout_ms=60_000))
MATCHES = replace(
    CONTEST, name="matches", columns=5, rows=5, fleet=(3, 3, 2), round_limit=25, match=4
)


def by_seed(bot: Bot, seed: int, connect: Callable[[], Connection]) -> Connection:
    """A scripted player for any bot: its seed is all its luck."""
    if bot.wires == ("contest",):
        return connected("contest", Policy(MATCHES, ("a", "b").index(bot.name), 2, seed=seed))
    luck = Random(seed)
    return Script(telling(random_fleet(BRAINJAR, luck), luck.sample(board(BRAINJAR), 64)))


class Asked(Future[Answer]):
    """An answer that is still to come; it may be given up at any time."""

    def result(self, timeout: float | None = None) -> Answer:
        try:
            return super().result(timeout)
        except CancelledError:
            raise ConnectionLost("nobody waits for it") from None


class Threads:
    """Workers of one core each, by name; ``said`` may change what one says of a task. A task goes to
    the worker that has had the fewest, of those that are named for it."""

    def __init__(self, folder: Path, *names: str, connect: Connect = by_seed) -> None:
        self.there = dict.fromkeys(names, 1)
        self.unfit: dict[str, str] = {}
        self.sent: list[str] = []  # to which worker each task went
        self.priorities: list[int] = []  # of each task
        self.packed: list[str] = []  # digests of the bots that were packed
        self.said: Callable[[str, str, Callable[[], str]], object] = lambda _, __, play: play()
        self._folder = folder
        self._connect = connect
        self._parcels: dict[str, Parcel] = {}
        self._workers: dict[str, GameWorker] = {}
        self._threads = ThreadPoolExecutor(32)
        self._busy = {name: threading.Lock() for name in names}

    def workers(self) -> Mapping[str, int]:
        return dict(self.there)

    def submit(
        self, workers: Iterable[str], text: str, bots: Iterable[Bot], priority: int
    ) -> Asked:
        self.priorities.append(priority)
        worker = min(workers, key=lambda name: (self.sent.count(name), name))
        bots = [*bots]
        for bot in bots:
            if bot.digest not in self._parcels:
                self._parcels[bot.digest] = packed_as_known(bot)
                self.packed.append(bot.digest)
        self.sent.append(worker)
        plays = self._workers.setdefault(
            worker, GameWorker(self._folder / worker, connect=self._connect)
        )
        files = [self._parcels[bot.digest] for bot in bots]

        here = Asked()

        def play() -> None:
            try:
                with self._busy[worker]:
                    said: Any = self.said(worker, text, lambda: plays.play(text, files))
            except Exception as error:  # noqa: BLE001 - it is told
                if here.set_running_or_notify_cancel():
                    here.set_exception(error)
            else:
                if here.set_running_or_notify_cancel():
                    here.set_result((worker, said))

        self._threads.submit(play)
        return here

    def close(self) -> None:
        self._threads.shutdown()
        for worker in self._workers.values():
            worker.close()


def scripts(folder: Path, *names: str) -> tuple[Bot, ...]:
    """Bots whose files differ; what they would do is never asked."""
    for name in names:
        (folder / f"{name}.py").write_text(f"# {name}\n")
    bots = find_all([f"{name}={folder / name}.py" for name in names])
    return tuple(replace(bot, wires=("brainjar",), dialect="readme") for bot in bots)


@contextmanager
def pool_of(
    engine: Threads, bots: tuple[Bot, ...], conditions: Conditions = CONDITIONS
) -> Iterator[tuple[GamePool, list[str]]]:
    told: list[str] = []
    pool = GamePool(engine, bots, conditions, told.append)
    try:
        yield pool, told
    finally:
        engine.close()


def untimed(results: Iterable[Sequence[GameRecord] | Fault]) -> list[GameRecord | str]:
    """The records of these results, and the errors of faults."""
    found: list[GameRecord | str] = []
    for result in results:
        if isinstance(result, Fault):
            found.append(str(result.error))
            continue
        for record in result:
            shots = tuple(replace(one, ms=0.0) for one in record.shots)
            seats = tuple(replace(one, ms=None) for one in record.seats)
            more = {"started": "", "finished": "", "host": None}
            found.append(replace(record, shots=shots, seats=seats, **more))
    return found


def played(
    engine: Threads,
    bots: tuple[Bot, ...],
    games: int,
    conditions: Conditions = CONDITIONS,
) -> tuple[list[GameRecord | str], list[str]]:
    """The results of a fight, and what was told of workers."""
    schedule = fight(games, conditions)
    with (
        pool_of(engine, bots, conditions) as (pool, told),
        pool.playing(schedule, lambda one: threads.task(one, bots)) as results,
    ):
        return untimed(results), told


def fight(games: int, conditions: Conditions = CONDITIONS) -> Fight:
    return Fight(games, 7, First.ALTERNATE, is_match=conditions.rules.match > 1)


def here(
    bots: tuple[Bot, ...], games: int, conditions: Conditions = CONDITIONS
) -> list[GameRecord | str]:
    run = Run(conditions, bots, by_seed)
    with threads.playing(fight(games, conditions), bots, run, jobs=1) as results:
        return untimed(results)


def test_games_are_the_same_as_here_and_in_the_same_order(tmp_path: Path) -> None:
    """Two workers share them, play those of earlier rounds first, and get each bot's files once."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1", "w2")
    assert played(engine, bots, 40) == (here(bots, 40), [])
    assert (len(engine.sent), {*engine.sent}) == (40, {"w1", "w2"})
    assert sorted(engine.priorities) == sorted(-one.round for one in fight(40))
    assert sorted(engine.packed) == sorted(bot.digest for bot in bots)


def test_matches_are_the_same_as_here(tmp_path: Path) -> None:
    """The games of a match come as they do on one machine."""
    conditions = replace(CONDITIONS, rules=MATCHES)
    bots = tuple(
        replace(bot, wires=("contest",), dialect="") for bot in scripts(tmp_path, "a", "b")
    )
    engine = Threads(tmp_path / "cache", "w1")
    assert played(engine, bots, 4, conditions) == (here(bots, 4, conditions), [])


def test_a_worker_keeps_what_starts_bots_until_other_terms_come(tmp_path: Path) -> None:
    """Games of the same terms share it. It is ended when a game of new terms comes, unless a game
    still uses it."""
    bots = scripts(tmp_path, "a", "b")
    parcels = [packed_as_known(bot) for bot in bots]
    pairings = iter(Fight(4, 7, First.RANDOM))  # each has a seed of its own
    kept: list[list[Run]] = []

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if not kept and len(worker._runs) == 1:
            kept.append([*worker._runs.values()])
            play(2)
            kept.append([*worker._runs.values()])
        return by_seed(bot, seed, usual)

    def play(seconds: int) -> None:
        terms = replace(terms_of, limits=Limits(timeout_ms=1000 * seconds))
        task = threads.task(next(pairings), bots)
        worker.play(encode(SentTask(terms=terms, game=task)).decode(), parcels)

    terms_of = Terms(**under(CONDITIONS))
    worker = GameWorker(tmp_path / "cache", connect=connect)
    with closing(worker):
        play(1)
        (first,), both = kept
        assert both[0] is first
        assert len(both) == 2
        play(2)
        assert [*worker._runs.values()] == both
        play(3)
        (third,) = worker._runs.values()
        assert third not in both


def test_a_board_is_cleared_alone(tmp_path: Path) -> None:
    """As `judge test` has it."""
    bots = scripts(tmp_path, "a")
    fleet_of = lambda _: random_fleet(BRAINJAR, Random(3))  # noqa: E731
    with (
        pool_of(Threads(tmp_path / "cache", "w1"), bots) as (pool, _),
        pool.playing(Solo(1, 3, 5), lambda one: threads.task(one, bots, fleet_of)) as results,
    ):
        records = list(results)
    assert [len(one.seats) for one in untimed(records)] == [2, 2, 2], records


class Busy:
    """The games that workers play now, by seed and id; for `Threads.said`. If it ``fails``, each
    game does the first time."""

    def __init__(self, *, fails: bool = False) -> None:
        self._fails = fails
        self._failed: set[tuple[int, str]] = set()
        self.now: list[tuple[int, str]] = []
        self.together: list[list[tuple[int, str]]] = []  # what was under way whenever a game began
        self._lock = threading.Lock()

    def said(self, worker: str, text: str, play: Callable[[], str]) -> str:
        sent = json.loads(text)["game"]
        game = sent["seed"], sent["id"]
        with self._lock:
            self.now.append(game)
            self.together.append([*self.now])
        try:
            if self._fails and game not in self._failed:
                self._failed.add(game)
                raise JudgeFault("its disk is full")
            return play()
        finally:
            with self._lock:
                self.now.remove(game)


@pytest.mark.parametrize("alone", [False, True], ids=["pairs", "boards"])
def test_games_that_share_a_seed_are_never_under_way_at_once(tmp_path: Path, alone: bool) -> None:
    """Neither the two of a pair nor those on one board, on whatever workers, though many are
    tried twice."""
    bots, busy = scripts(tmp_path, "a", "b"), Busy(fails=True)
    engine = Threads(tmp_path / "cache", "w1", "w2")
    engine.said = busy.said
    fleet_of = (lambda _: random_fleet(BRAINJAR, Random(3))) if alone else None
    schedule = Solo(2, 20, 7) if alone else fight(40)
    with (
        pool_of(engine, bots) as (pool, _),
        pool.playing(schedule, lambda one: threads.task(one, bots, fleet_of)) as results,
    ):
        records = [one for one in results if not isinstance(one, Fault)]
    assert [record.id for (record,) in records] == [one.id for one in schedule]
    assert max(map(len, busy.together)) > 1
    for games in busy.together:
        assert len({seed for seed, _ in games}) == len(games)


@pytest.mark.parametrize("often", [3, 4])
def test_a_game_that_failed_for_a_busy_worker_is_played_again_alone(
    tmp_path: Path, often: int
) -> None:
    """With no other game on any worker, three times at most; then it is a fault with its reason."""
    bots, busy = scripts(tmp_path, "a", "b"), Busy()
    schedule = Fight(20, 7, First.RANDOM)
    late = [*schedule][6]
    failures = [Starved(900, 2000) for _ in range(often)]

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if failures and seed == late.bot_seeds[0]:
            raise failures.pop()
        return by_seed(bot, seed, usual)

    engine = Threads(tmp_path / "cache", "w1", "w2", connect=connect)
    engine.said = busy.said
    with (
        pool_of(engine, bots) as (pool, told),
        pool.playing(schedule, lambda one: threads.task(one, bots)) as results,
    ):
        found = [*results]
    assert [isinstance(one, Fault) for one in found] == [
        often == 4 and one == late for one in schedule
    ]
    assert {str(one.error) for one in found if isinstance(one, Fault)} <= {str(Starved(900, 2000))}
    _, *again = [games for games in busy.together if (late.seed, late.id) in games]
    assert again[-3:] == [[(late.seed, late.id)]] * 3
    assert told == []


def test_what_workers_had_that_are_gone_is_played_by_another(tmp_path: Path) -> None:
    """Only the first is there when the games are sent, and the second comes when it is gone: no
    game is lost, none doubled, and all are as if nothing had been."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1", "w2")
    del engine.there["w2"]
    silence = threading.Event()

    def said(worker: str, text: str, play: Callable[[], str]) -> str:
        if worker == "w1":
            engine.there.pop("w1", None)
            engine.there["w2"] = 1
            silence.wait(20)
        return play()

    engine.said = said
    with (
        pool_of(engine, bots) as (pool, told),
        pool.playing(fight(8), lambda one: threads.task(one, bots)) as found,
    ):
        results = untimed(found)
        silence.set()
    assert (results, told) == (here(bots, 8), [])
    assert "w2" in engine.sent


def test_games_wait_for_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That none is left is told once; after five minutes, which are shorter here, the run ends."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1")
    looks = iter(range(10**6))

    def workers() -> Mapping[str, int]:
        return {"w1": 1} if next(looks) > 3 else {}

    engine.workers = workers  # type: ignore[method-assign]
    engine.there.clear()
    monkeypatch.setattr("judge.contest.cluster.pool.LOOK_SECONDS", 0.01)
    assert played(engine, bots, 1) == (here(bots, 1), [])
    engine = Threads(tmp_path / "other", "w1")
    engine.said = lambda _, __, ___: threading.Event().wait(2)
    monkeypatch.setattr("judge.contest.cluster.pool.NO_WORKER_SECONDS", 0.5)
    with pool_of(engine, bots) as (pool, told):
        engine.workers = dict  # type: ignore[method-assign]
        with (
            pytest.raises(JudgeFault, match="there has been no worker for"),
            pool.playing(fight(1), lambda one: threads.task(one, bots)) as results,
        ):
            next(results)
        assert [one.partition(";")[0] for one in told] == ["no worker is left"]


@pytest.mark.parametrize("is_deadly", [False, True])
def test_a_game_whose_workers_died_is_played_again_alone(
    tmp_path: Path, *, is_deadly: bool
) -> None:
    """Another game may have killed them. If they die again, it is given up, and no other is."""
    bots = scripts(tmp_path, "a", "b")
    engine, busy = Threads(tmp_path / "cache", "w1", "w2"), Busy()
    fatal = [pairing.id for pairing in fight(12)][5]
    deaths: list[str] = []

    def said(worker: str, text: str, play: Callable[[], str]) -> str:
        if f'"{fatal}"' in text and (is_deadly or not deaths):
            deaths.append(worker)
            raise WorkersDied(worker)
        return busy.said(worker, text, play)

    engine.said = said
    results, told = played(engine, bots, 12)
    expected = here(bots, 12)
    assert [results[:5], results[6:], told] == [expected[:5], expected[6:], []]
    if is_deadly:
        assert len(deaths) == 2
        assert "its workers died while it was played, at last w" in str(results[5])
    else:
        assert results[5] == expected[5]
        assert [[fatal]] == [
            [name for _, name in games] for games in busy.together if fatal in str(games)
        ]


def test_a_game_whose_only_workers_are_gone_twice_is_played_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that its nanny starts again has another address each time; so a game that kills the
    only worker does not do so for ever."""
    bots = scripts(tmp_path, "a", "b")
    names = [f"w{number}" for number in range(20)]
    engine = Threads(tmp_path / "cache", *names)
    engine.there = {"w0": 1}

    def said(worker: str, text: str, play: Callable[[], str]) -> str:
        engine.there = {names[names.index(worker) + 1]: 1}
        threading.Event().wait(0.5)
        raise ConnectionLost("nobody hears this")

    engine.said = said
    monkeypatch.setattr("judge.contest.cluster.pool.LOOK_SECONDS", 0.01)
    results, _ = played(engine, bots, 1)
    assert "its workers died while it was played" in str(results[0])
    assert len(engine.sent) == 3


def test_a_connection_that_is_lost_costs_nothing(tmp_path: Path) -> None:
    """The games that were under way are sent again, however often."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1")
    lost = iter(range(5))

    def said(worker: str, text: str, play: Callable[[], str]) -> str:
        if next(lost, None) is not None:
            raise ConnectionLost("the cable")
        return play()

    engine.said = said
    assert played(engine, bots, 6) == (here(bots, 6), [])


def test_a_scheduler_that_is_gone_ends_the_run(tmp_path: Path) -> None:
    """The engine's error passes through."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1")

    def gone() -> Mapping[str, int]:
        raise JudgeFault("the scheduler is gone")

    def said(worker: str, text: str, play: Callable[[], str]) -> str:
        raise ConnectionLost("the cable")

    engine.workers, engine.said = gone, said  # type: ignore[method-assign]
    with pytest.raises(JudgeFault, match="the scheduler is gone"):
        played(engine, bots, 3)


def test_a_worker_that_cannot_hold_bots_is_named_and_gets_no_game(tmp_path: Path) -> None:
    """The other plays all; if there is no other, the reason ends the run."""
    bots = scripts(tmp_path, "a", "b")
    refusal = encode(TaskResult(unfit={"": "bwrap is missing"})).decode()
    engine = Threads(tmp_path / "cache", "w1", "w2")
    engine.said = lambda worker, _, play: refusal if worker == "w1" else play()
    results, told = played(engine, bots, 10)
    assert results == here(bots, 10)
    assert told == ["w1 plays no game: bwrap is missing"]
    engine = Threads(tmp_path / "other", "w1")
    engine.said = lambda _, __, ___: refusal
    with pytest.raises(UsageError, match="none of the workers can play these games: bwrap"):
        played(engine, bots, 3)


def test_a_bot_that_no_worker_can_run_is_left_out(tmp_path: Path) -> None:
    """Its games are faults that name it and the reason; a worker that cannot run it gets none of
    its games as long as another can."""
    bots = scripts(tmp_path, "a", "b")
    refusal = encode(TaskResult(unfit={bots[0].digest: "ruby is missing"})).decode()
    engine = Threads(tmp_path / "cache", "w1", "w2")
    engine.said = lambda worker, _, play: refusal if worker == "w1" else play()
    results, told = played(engine, bots, 10)
    assert results == here(bots, 10)
    assert told == ["w1 plays no game of a: ruby is missing"]
    engine = Threads(tmp_path / "other", "w1")
    engine.said = lambda _, __, ___: refusal
    with (
        pool_of(engine, bots) as (pool, _),
        pool.playing(fight(2), lambda one: threads.task(one, bots)) as found,
    ):
        faults = [one.error for one in found if isinstance(one, Fault)]
    assert all(isinstance(one, RunsNowhere) and one.name == "a" for one in faults)
    assert "none of the workers can run a: ruby is missing" in str(faults[0])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: "{",
        lambda _: "[" * 100_000,
        lambda _: '{"version": 1}',
        lambda said: said.replace('"kind"', '"kine"'),
        lambda said: said.replace('"shots": [[', '"shots": [["a", '),
        lambda said: said.replace('"shots": [[', '"shots": [[999'),
        lambda said: said.replace('"id": "', '"id": "another-'),
        lambda said: json.dumps({**json.loads(said), "records": [1]}),
        lambda _: None,
        lambda said: said.encode(),
        json.loads,
        lambda said: said.replace('"records":', '"records": [], "records":'),
        lambda said: said.replace('"winner": ', '"winner": 5'),
        lambda said: said.replace('"shots": [[', '"shots": [[9'),
        lambda said: said.replace('"incidents": []', '"incidents": [[0, 2, "leave"]]'),
        lambda said: said.replace('"scores": null', '"scores": [1]'),
        lambda said: said.replace('"first": ', '"first": 7'),
        lambda said: said.replace('"number": null', '"number": 3'),
        lambda said: said.replace('"unfit": {}', '"unfit": {}, "unfit": {}'),
        lambda said: said.replace('"unfit": {}', f'"unfit": {"[" * 30_000}{"]" * 30_000}'),
        lambda said: said.replace('"isolation": "none"', '"isolation": "bwrap"'),
        lambda said: said.replace('"timeout_ms": 60000', '"timeout_ms": 60001'),
        lambda said: said.replace('"round_limit": ', '"round_limit": 9'),
        lambda said: said.replace('"match": null', '"match": {"id": "x", "game": 1, "games": 1}'),
        lambda said: said.replace("fleet-destroyed", "round-limit"),
        lambda said: json.dumps({**json.loads(said), "records": []}),
        lambda said: json.dumps({**json.loads(said), "records": 2 * json.loads(said)["records"]}),
        lambda said: json.dumps({**json.loads(said), "unfit": {"../x": "no"}}),
        lambda said: json.dumps({**json.loads(said), "unfit": {f"sha256:{64 * '0'}": "no"}}),
    ],
)
def test_what_makes_no_sense_is_no_result(tmp_path: Path, spoil: Callable[[str], Any]) -> None:
    """It is asked for again, and then it is the judge's fault."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1")
    engine.said = lambda _, __, play: spoil(json.dumps(json.loads(play())))
    results, _ = played(engine, bots, 1)
    assert [type(one) for one in results] == [str]
    assert "worker" in str(results[0])
    assert engine.sent == ["w1", "w1"]


def test_connections_of_the_calling_program_are_refused(tmp_path: Path) -> None:
    """No worker could make them."""
    bots = [str(bot.files[0]) for bot in scripts(tmp_path, "a", "b")]
    cluster = ("--cluster", "tcp://127.0.0.1:9", "--trust-bots", "--no-ledger")
    done = judge("fight", *bots, *cluster, embedding=Embedding(connect=by_seed))
    assert (done.status, done.stdout) == (2, "")
    assert "leave out connect, or --cluster" in done.stderr


def test_a_data_file_is_refused() -> None:
    """Workers get a bot's own files alone."""
    settings = PlaySettings(rules=BRAINJAR, limits=Limits(), bot_size_bytes=1)
    with pytest.raises(UsageError, match="leave out the data file of ann, or --cluster"):
        require_fit(settings, (), bring_data=["ann"], connect=None)
    require_fit(settings, (), bring_data=[], connect=None)


def test_a_bot_whose_files_change_before_they_are_sent_plays_no_more(tmp_path: Path) -> None:
    """As on one machine; its opponents' other games go on."""
    bots = scripts(tmp_path, "a", "b")
    (tmp_path / "a.py").write_text("# another\n")
    engine = Threads(tmp_path / "cache", "w1")
    with (
        pool_of(engine, bots) as (pool, _),
        pool.playing(fight(1), lambda one: threads.task(one, bots)) as found,
    ):
        (fault,) = found
    assert isinstance(fault, Fault)
    assert isinstance(fault.error, BotChanged)


def test_a_run_that_is_stopped_keeps_what_is_there(tmp_path: Path) -> None:
    """Results in order up to the first that is not; and the pool plays on afterwards."""
    bots = scripts(tmp_path, "a", "b")
    engine = Threads(tmp_path / "cache", "w1")

    def task_of(one: Pairing) -> object:
        return threads.task(one, bots)

    with pool_of(engine, bots) as (pool, _):
        with pool.playing(fight(30), task_of) as results:  # type: ignore[arg-type]
            (first,) = untimed([next(results)])
            rest = untimed(results.finished())
        expected = here(bots, 30)
        assert [first, *rest] == expected[: len(rest) + 1]
        with pool.playing(fight(4), task_of) as results:  # type: ignore[arg-type]
            assert untimed(results) == expected[:4]
