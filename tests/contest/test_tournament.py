"""Many games at once: the order of results, the window, faults, and stopping early."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.learning import Kept
from judge.contest.schedule import Fight, First, Pairing
from judge.contest.tournament import MOST_FAULTS, Fault, Results, attempts
from judge.errors import Interrupted, JudgeFault, LaunchFault, TooManyReferences, UsageError
from judge.game.record import GameRecord
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.process.bots.bot import find
from learner import learners
from players import Scripted, by_luck
from strategies import examples


def play(pairing: Pairing) -> GameRecord:
    """A game of two random players whose luck is the pairing's."""
    players = [Scripted(by_luck(BRAINJAR, Random(seed))) for seed in pairing.bot_seeds]
    return play_game(
        Conditions(rules=BRAINJAR),
        players,
        game_id=pairing.id,
        seed=pairing.seed,
        first=pairing.first,
    )


class Fake(Future):
    """A future that plays its game, and others', when somebody waits for it."""

    def __init__(self, pool: Shuffling, job: Callable[[], Any]) -> None:
        super().__init__()
        self.pool = pool
        self.job = job

    def result(self, timeout: float | None = None) -> Any:
        self.pool.work_until(self)
        self.pool.taken += 1
        return super().result(timeout)

    def work(self) -> None:
        if self.set_running_or_notify_cancel():
            try:
                self.set_result(self.job())
            except BaseException as error:  # noqa: BLE001 - whoever takes the result gets it
                self.set_exception(error)


class Shuffling(Executor):
    """A pool without threads, which plays what it was given in an order of its own."""

    def __init__(self, luck: Random) -> None:
        self.luck = luck
        self.waiting: list[Fake] = []
        self.all: list[Fake] = []
        self.taken = 0
        self.most_open = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **more: Any) -> Fake:
        future = Fake(self, lambda: function(*args, **more))
        self.waiting.append(future)
        self.all.append(future)
        self.most_open = max(self.most_open, len(self.all) - self.taken)
        return future

    def work_until(self, one: Fake) -> None:
        """Play games at random until this one is played."""
        while not one.done():
            self.waiting.pop(self.luck.randrange(len(self.waiting))).work()


def in_order(pairing: Pairing) -> Any:
    """Stands for a record where only the order counts."""
    return pairing.id


def ids(games: int) -> list[str]:
    return [pairing.id for pairing in fight(games)]


def fight(games: int) -> Fight:
    return Fight(games, 7, First.ALTERNATE)


@given(st.integers(0, 30), st.integers(1, 8), st.randoms(use_true_random=False))
@examples(100)
def test_results_come_in_schedule_order(games: int, window: int, luck: Random) -> None:
    """Whichever game is played first, results come in the order of the schedule, each once; and
    no more than a window of games is ever submitted without its result being taken."""
    pool = Shuffling(luck)
    results = []
    for result in Results(fight(games), attempts(in_order, pool), window):
        results.append(result)
        assert len(pool.all) - len(results) <= window
    assert results == ids(games)
    assert len(pool.all) == games
    assert pool.most_open == min(window, games)


def test_the_schedule_is_read_as_needed() -> None:
    """A schedule may be endless: no more of it is read than a window."""
    read = []

    def endless() -> Iterator[Pairing]:
        for pairing in Fight(10**9, 7, First.ALTERNATE):
            read.append(pairing)
            yield pairing

    results = Results(endless(), attempts(in_order, Shuffling(Random(1))), 4)
    first = [next(results) for _ in range(10)]
    assert first == ids(10)
    assert len(read) == 14
    results.close()
    assert len(read) == 14


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_same_games_with_any_number_of_jobs(jobs: int) -> None:
    """The same seed gives the same games in the same order, however many are played at once."""

    def told(record: GameRecord | Fault) -> dict[str, Any]:
        assert isinstance(record, GameRecord)
        return {**record.to_json(), "started": None, "finished": None}

    alone = [told(play(pairing)) for pairing in fight(6)]
    with ThreadPoolExecutor(jobs) as pool:
        assert [
            told(record) for record in Results(fight(6), attempts(play, pool), 2 * jobs)
        ] == alone


class Failing:
    """Plays as `in_order`, but fails at some games so many times."""

    def __init__(self, failures: dict[str, int], error: BaseException) -> None:
        self.left = dict(failures)
        self.error = error
        self.tries: list[str] = []

    def __call__(self, pairing: Pairing) -> Any:
        self.tries.append(pairing.id)
        if self.left.get(pairing.id, 0):
            self.left[pairing.id] -= 1
            raise self.error
        return pairing.id


ERRORS = [JudgeFault("no"), LaunchFault("no"), OSError(28, "full"), AssertionError(), KeyError(1)]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_fault_is_tried_again(error: Exception) -> None:
    """A game that the judge failed to play is tried once more, and then is as any other."""
    failing = Failing({"7-2": 1, "7-4": 1}, error)
    assert list(Results(fight(4), attempts(failing, Shuffling(Random(1))), 1)) == ids(4)
    assert failing.tries == ["7-1", "7-2", "7-2", "7-3", "7-4", "7-4"]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_fault_twice_is_told(error: Exception) -> None:
    """A game that failed twice is a fault in its place, with its error; the others are played."""
    failing = Failing({"7-2": 2}, error)
    results = list(Results(fight(4), attempts(failing, Shuffling(Random(1))), 3))
    faulty = list(fight(4))[1]
    assert results == ["7-1", Fault(faulty, error), "7-3", "7-4"]
    assert failing.tries.count("7-2") == 2


def test_a_game_without_room_for_descriptors_is_played_again_alone() -> None:
    """When too many descriptors are on their way in a game, it is played again once those under way
    have ended; and if they still are, it is a fault that does not stop the run."""
    begun, failed = threading.Event(), threading.Event()
    under_way: set[str] = set()
    tries: list[list[str]] = []

    def play(pairing: Pairing) -> Any:
        under_way.add(pairing.id)
        try:
            if pairing.id == "7-1":
                begun.set()
                assert failed.wait(60)
                return pairing.id
            assert begun.wait(60)
            tries.append(sorted(under_way))
            if pairing.id != "7-2" or len(tries) <= 2:
                raise TooManyReferences
            return pairing.id
        finally:
            under_way.discard(pairing.id)
            if len(tries) == 2:
                failed.set()

    with ThreadPoolExecutor(2) as pool:
        results = Results(fight(2), attempts(play, pool), 2)
        assert list(results) == ["7-1", "7-2"]
        assert tries == [["7-1", "7-2"], ["7-1", "7-2"], ["7-2"]]
    with ThreadPoolExecutor(1) as pool:
        played = list(Results(fight(MOST_FAULTS + 5), attempts(play, pool), 1))
    assert played[:2] == ["7-1", "7-2"]
    assert len(played) == MOST_FAULTS + 5
    assert all(isinstance(one.error, TooManyReferences) for one in played[2:])


def test_games_that_wait_for_others_do_not_keep_one_from_being_alone(tmp_path: Path) -> None:
    """Of players that learn, games wait for earlier ones to be settled. One that is played again
    alone does not wait for those; they are put back meanwhile, and played in their turn."""
    folder = learners(tmp_path / "players", "ann", "bob", "cy", "dan")
    bots = [find(str(path), wire="broadsides") for path in sorted(folder.iterdir())]
    kept = Kept(bots)
    # The second game is over when the first one fails; all others wait for one of the two.
    couples = [(0, 1), (2, 3), (0, 1), (2, 3), (1, 2), (0, 3)]
    schedule = [replace(one, seats=seats) for one, seats in zip(fight(6), couples, strict=True)]
    under_way: set[str] = set()
    tries: list[list[str]] = []
    is_over = threading.Event()

    def play(pairing: Pairing) -> Any:
        kept.begin(pairing.id, [bots[seat].name for seat in pairing.seats])
        under_way.add(pairing.id)
        try:
            if pairing.id == "7-1":
                assert is_over.wait(60)
                tries.append(sorted(under_way))
                if len(tries) < 3:
                    raise TooManyReferences
            return pairing.id
        finally:
            under_way.discard(pairing.id)
            if pairing.id == "7-2":
                is_over.set()

    played = []
    with ThreadPoolExecutor(3) as pool:
        patience = threading.Timer(60, kept.interrupt)
        patience.start()
        queued = kept.in_turn(schedule, [bot.name for bot in bots])
        for result in Results(queued, attempts(play, pool), 6, nobody_waits=kept.nobody_waits):
            played.append(result)
            kept.settle(result, is_kept=True)
        patience.cancel()
    assert played == ids(6)
    assert tries == [["7-1"]] * 3


@pytest.mark.parametrize("error", [UsageError("no such bot"), Interrupted(), KeyboardInterrupt()])
def test_what_is_not_the_games_own_passes_through(error: BaseException) -> None:
    """What the user typed wrong, and the wish to stop, end the run; neither is tried again, and
    what has not begun is dropped."""
    failing = Failing({"7-2": 1}, error)
    pool = Shuffling(Random(1))
    results = Results(fight(9), attempts(failing, pool), 4)
    assert next(results) == "7-1"
    with pytest.raises(type(error)) as caught:
        next(results)
    assert caught.value is error
    assert failing.tries.count("7-2") == 1
    assert len(pool.all) == 5
    assert all(future.done() for future in pool.all)
    with pytest.raises(StopIteration):
        next(results)


def test_closing_drops_what_has_not_begun() -> None:
    """Who has heard enough closes the run: games that have not begun are never played, and no
    more are asked for; those under way are played out."""
    under_way, go_on = threading.Event(), threading.Event()
    played = []

    def slow(pairing: Pairing) -> Any:
        played.append(pairing.id)
        if pairing.id == "7-2":
            under_way.set()
            assert go_on.wait(60)
        return pairing.id

    with ThreadPoolExecutor(1) as pool:
        results = Results(fight(100), attempts(slow, pool), 8)
        assert next(results) == "7-1"
        assert under_way.wait(60)
        results.close()
        go_on.set()
    assert played == ["7-1", "7-2"]


def test_what_is_finished_at_a_stop_is_given() -> None:
    """Once it has been interrupted, it gives the results of games that are over, and of those whose
    player returns when told to stop, in order up to the first that is not; nothing else begins."""
    under_way, stopped = threading.Barrier(3), threading.Event()
    played = []

    def play(pairing: Pairing) -> Any:
        played.append(pairing.id)
        if pairing.id in ("7-3", "7-4"):
            under_way.wait(60)
            assert stopped.wait(60)
        if pairing.id == "7-4":
            raise Interrupted
        return pairing.id

    with ThreadPoolExecutor(2) as pool:
        results = Results(fight(9), attempts(play, pool), 6, stop=stopped.set)
        assert next(results) == "7-1"
        under_way.wait(60)
        assert list(results.finished()) == ["7-2", "7-3"]
        assert not results.is_complete
        assert list(results) == []
    assert sorted(played) == ids(4)


def test_a_stop_at_the_end_leaves_nothing_out() -> None:
    """Where all that was left is finished, all results have been given."""
    under_way, stopped = threading.Event(), threading.Event()

    def play(pairing: Pairing) -> Any:
        if pairing.id == "7-2":
            under_way.set()
            assert stopped.wait(60)
        return pairing.id

    with ThreadPoolExecutor(1) as pool:
        results = Results(fight(2), attempts(play, pool), 1, stop=stopped.set)
        assert next(results) == "7-1"
        assert under_way.wait(60)
        assert list(results.finished()) == ["7-2"]
        assert results.is_complete


def test_an_exhausted_run_is_over() -> None:
    """After its last result a run ends; of an empty schedule there is nothing to play."""
    assert list(Results([], attempts(in_order, Shuffling(Random(1))), 4)) == []
    pool = Shuffling(Random(1))
    results = Results(fight(2), attempts(in_order, pool), 4)
    assert list(results) == ids(2)
    assert list(results) == []
    assert len(pool.all) == 2
