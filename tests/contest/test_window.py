"""Many games at once: the order of results, the window, faults, and stopping early."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.contest.schedule import Fight, First, Pairing
from judge.contest.window import MOST_FAULTS, Fault, OrderedResults, attempts
from judge.errors import (
    HeldUp,
    Interrupted,
    JudgeFault,
    LaunchFault,
    MachineBusy,
    Starved,
    TooManyReferences,
    UsageError,
)
from strategies import examples


class Fake(Future):
    """A future that plays its game, and others', when somebody waits for it."""

    def __init__(self, pool: Shuffling, job: Callable[[], Any], pairing: Pairing) -> None:
        super().__init__()
        self.pool = pool
        self.job = job
        self.pairing = pairing

    def done(self) -> bool:
        """Whether it is, and so it will be: whoever asks waits for it."""
        self.pool.work_until(self)
        return True

    def has_ended(self) -> bool:
        return super().done()

    def work(self) -> None:
        if self.set_running_or_notify_cancel():
            try:
                self.set_result(self.job())
            except BaseException as error:  # noqa: BLE001 - whoever takes the result gets it
                self.set_exception(error)


class Shuffling(Executor):
    """A pool without threads: games are under way as soon as they have come, and end in an order of
    its own. ``seen`` is called whenever one has come or has ended."""

    def __init__(self, luck: Random, seen: Callable[[], None] = lambda: None) -> None:
        self.luck = luck
        self.seen = seen
        self.under_way: list[Fake] = []
        self.all: list[Fake] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **more: Any) -> Fake:
        future = Fake(self, lambda: function(*args, **more), args[-1])
        self.under_way.append(future)
        self.all.append(future)
        return future

    def work_until(self, one: Fake) -> None:
        """Have games end at random until this one has."""
        self.seen()
        while not one.has_ended():
            self.under_way.pop(self.luck.randrange(len(self.under_way))).work()
            self.seen()


def in_order(pairing: Pairing) -> Any:
    """Stands for a record where only the order counts."""
    return pairing.id


def ids(games: int) -> list[str]:
    return [pairing.id for pairing in fight(games)]


def fight(games: int) -> Fight:
    return Fight(games, 7, First.ALTERNATE)


def of_seeds(seeds: list[int]) -> list[Pairing]:
    """A schedule of games with these seeds."""
    return [
        replace(one, seed=seed, bot_seeds=(seed, seed))
        for one, seed in zip(fight(len(seeds)), seeds, strict=True)
    ]


SEEDS = st.one_of(
    st.lists(st.integers(0, 5), max_size=30),
    st.builds(lambda rounds, games: [one // games for one in range(rounds * games)],
              st.integers(0, 8), st.integers(1, 5)),
)  # fmt: skip


@given(SEEDS, st.integers(1, 4), st.integers(1, 6), st.randoms(use_true_random=False))
@examples(300)
def test_the_law_of_the_window(seeds: list[int], jobs: int, window: int, luck: Random) -> None:
    """Whatever the schedule, and whichever game ends first: each game is played once, and results
    come in the order of the schedule. Never are two games with one seed under way at once, nor more
    games than jobs, nor has the window more seeds than it may. The first game that may begin does,
    and no job idles while a game of the window could be played."""
    read: list[Pairing] = []
    results: list[str] = []

    def schedule() -> Iterator[Pairing]:
        for pairing in of_seeds(seeds):
            read.append(pairing)
            yield pairing

    def look() -> None:
        playing = {one.pairing.seed for one in pool.under_way}
        begun = {one.pairing.id for one in pool.all}
        waiting = [one for one in read if one.id not in begun]
        assert len(playing) == len(pool.under_way) <= jobs
        in_window = {one.seed for one in read[len(results) :]}
        assert len(in_window) <= window
        assert len(in_window) == window or len(read) == len(seeds)
        if len(playing) < jobs:
            assert playing.issuperset(one.seed for one in waiting)

    def in_turn(pairing: Pairing) -> Future[Any]:
        playing = {one.pairing.seed for one in pool.under_way}
        begun = {one.pairing.id for one in pool.all}
        assert pairing == next(
            one for one in read if one.id not in begun and one.seed not in playing
        )
        return attempts(in_order, pool)(pairing)

    pool = Shuffling(luck, look)
    for result in OrderedResults(schedule(), in_turn, jobs, window):
        results.append(result)  # noqa: PERF402 - `look` counts them meanwhile
    assert results == ids(len(seeds))
    assert len(pool.all) == len(seeds)


@given(
    SEEDS,
    st.integers(1, 4),
    st.integers(1, 6),
    st.lists(st.integers(0, 5), min_size=40, max_size=40),
    st.randoms(use_true_random=False),
)
@examples(300)
def test_the_law_of_busy_machines(
    seeds: list[int], jobs: int, window: int, failures: list[int], luck: Random
) -> None:
    """However often a game fails for a busy machine: it is played again alone, three times at most,
    and comes in its place all the same, as a fault if it has always failed. The others are played
    once each; no two games with one seed are ever under way at once."""
    schedule = of_seeds(seeds)
    left = {one.id: number for one, number in zip(schedule, failures, strict=False)}
    counts: Counter[str] = Counter()
    error = Starved(900, 2000)

    def play(pairing: Pairing) -> Any:
        left[pairing.id] -= 1
        if left[pairing.id] >= 0:
            raise error
        return pairing.id

    def submit(pairing: Pairing) -> Future[Any]:
        counts[pairing.id] += 1
        if counts[pairing.id] > 1:
            assert not pool.under_way
        assert pairing.seed not in {one.pairing.seed for one in pool.under_way}
        again = [one for one in pool.under_way if counts[one.pairing.id] > 1]
        assert not again, "no other game begins beside one that is played again"
        return attempts(play, pool)(pairing)

    # All games have a bot in common, which is no reason to stop.
    named = [replace(one, names=("a", one.id)) for one in schedule]
    pool = Shuffling(luck)
    results = list(OrderedResults(named, submit, jobs, window))
    expected = [
        one.id if number <= 3 else Fault(one, error)
        for one, number in zip(named, failures, strict=False)
    ]
    assert results == expected
    tries = {one.id: min(number, 3) + 1 for one, number in zip(named, failures, strict=False)}
    assert counts == tries


class Failing:
    """Plays as `in_order`, but fails at some games, as many times as ``failures`` says."""

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
    assert list(OrderedResults(fight(4), attempts(failing, Shuffling(Random(1))), 1, 1)) == ids(4)
    assert failing.tries == ["7-1", "7-2", "7-2", "7-3", "7-4", "7-4"]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_fault_twice_is_told(error: Exception) -> None:
    """A game that failed twice is a fault in its place, with its error; the others are played."""
    failing = Failing({"7-2": 2}, error)
    results = list(OrderedResults(fight(4), attempts(failing, Shuffling(Random(1))), 2, 3))
    faulty = list(fight(4))[1]
    assert results == ["7-1", Fault(faulty, error), "7-3", "7-4"]
    assert failing.tries.count("7-2") == 2


BUSY = [HeldUp(), Starved(900, 2000), TooManyReferences()]


@pytest.mark.parametrize("error", BUSY, ids=lambda error: type(error).__name__)
def test_a_bot_that_keeps_the_machine_busy_does_not_stop_a_contest(error: Exception) -> None:
    """Its games are faults after four tries each, however many follow each other; the others are
    played. If no bot plays in all of a row of faults, the machine is at fault and the run ends."""
    couples = [("a", "x")] * MOST_FAULTS + [("b", "x")] * MOST_FAULTS + [("a", "b")] * 2
    schedule = [
        replace(one, names=names) for one, names in zip(fight(len(couples)), couples, strict=True)
    ]

    def play(pairing: Pairing) -> Any:
        tries[pairing.id] += 1
        if "x" in pairing.names or pairing.names == of_all:
            raise error
        return pairing.id

    tries: Counter[str] = Counter()
    of_all: tuple[str, ...] = ("none",)
    results = list(OrderedResults(schedule, attempts(play, Shuffling(Random(1))), 2, 4))
    assert [isinstance(one, Fault) for one in results] == ["x" in one for one in couples]
    assert [tries[one.id] for one in schedule] == [4 if "x" in one else 1 for one in couples]

    of_all = ("a", "b")
    with pytest.raises(JudgeFault, match="21 games in a row could not be played"):
        list(OrderedResults(schedule, attempts(play, Shuffling(Random(1))), 2, 4))
    alike = [replace(one, names=()) for one in schedule]
    of_all = ()
    with pytest.raises(JudgeFault, match=f"{MOST_FAULTS} games in a row could not be played"):
        list(OrderedResults(alike, attempts(play, Shuffling(Random(1))), 2, 4))


def test_a_machine_on_which_no_game_can_be_played_ends_the_run() -> None:
    """A bot that plays in each of the games is not blamed. After a game that could be played, the
    count begins again."""
    schedule = list(fight(2 * MOST_FAULTS))
    error = JudgeFault("no space left on the device")

    def results(*played: str) -> Iterator[Any]:
        def play(pairing: Pairing) -> Any:
            if pairing.id in played:
                return pairing.id
            raise error

        return iter(OrderedResults(schedule, attempts(play, Shuffling(Random(1))), 2, 4))

    with pytest.raises(JudgeFault, match=f"{MOST_FAULTS} games in a row could not be played"):
        list(results())
    assert len([*results(f"7-{MOST_FAULTS}", f"7-{2 * MOST_FAULTS - 1}")]) == 2 * MOST_FAULTS


def test_a_learners_next_game_begins_once_its_last_is_taken() -> None:
    """Not when it is over, for what it has learned counts once the game is kept. Others fill the
    time; a game that is played again alone is alone then too; and jobs that are taken by later
    games are waited for."""
    couples = [(0, 1), (2, 3), (0, 1), (2, 3), (1, 2), (4, 5), (4, 5), (0, 3)] * 4
    schedule = [
        replace(one, seats=seats)
        for one, seats in zip(of_seeds([*range(len(couples))]), couples, strict=True)
    ]
    learners = {pairing.id: {str(bot) for bot in pairing.seats if bot < 4} for pairing in schedule}
    taken: list[str] = []
    under_way: set[str] = set()
    tries: Counter[str] = Counter()
    busy = {"7-1": 2, "7-11": 1, "7-14": 3}
    lock = threading.Lock()

    def play(pairing: Pairing) -> str:
        with lock:
            earlier = schedule[: schedule.index(pairing)]
            mine = [one.id for one in earlier if learners[one.id] & learners[pairing.id]]
            assert set(mine) <= set(taken)
            under_way.add(pairing.id)
            tries[pairing.id] += 1
            assert tries[pairing.id] == 1 or under_way == {pairing.id}
        time.sleep(0.001 * (len(taken) % 3))
        with lock:
            under_way.discard(pairing.id)
            if busy.get(pairing.id):
                busy[pairing.id] -= 1
                raise MachineBusy
        return pairing.id

    with ThreadPoolExecutor(3) as pool:
        for result in OrderedResults(
            schedule, attempts(play, pool), 3, 6, learners=lambda one: learners[one.id]
        ):
            taken.append(result)  # noqa: PERF402 - games look meanwhile
    assert taken == [one.id for one in schedule]
    assert not any(busy.values())


@pytest.mark.parametrize("error", [UsageError("no such bot"), Interrupted(), KeyboardInterrupt()])
def test_what_is_not_the_games_own_passes_through(error: BaseException) -> None:
    """A mistake that the user typed, and the wish to stop, end the run; neither is tried again, and
    what has not begun is dropped."""
    failing = Failing({"7-2": 1}, error)
    pool = Shuffling(Random(1))
    results = OrderedResults(fight(9), attempts(failing, pool), 2, 4)
    assert next(results) == "7-1"
    with pytest.raises(type(error)) as caught:
        next(results)
    assert caught.value is error
    assert failing.tries.count("7-2") == 1
    submitted = len(pool.all)
    assert all(future.done() for future in pool.all)
    with pytest.raises(StopIteration):
        next(results)
    assert len(pool.all) == submitted


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
        results = OrderedResults(fight(100), attempts(slow, pool), 1, 8)
        assert next(results) == "7-1"
        assert under_way.wait(60)
        results.close()
        go_on.set()
    assert played == ["7-1", "7-2"]


PAIRS = st.builds(lambda rounds: [one // 2 for one in range(2 * rounds)], st.integers(1, 10))


@given(PAIRS, st.integers(1, 4), st.integers(0, 12), st.randoms(use_true_random=False))
@examples(200)
def test_forgetting_drops_what_nobody_waits_for(
    seeds: list[int], jobs: int, number: int, luck: Random
) -> None:
    """Games that have begun are played to their end, and so are the wanted ones of their seeds; the
    others of the window are dropped, and the run goes on behind them, in order."""
    window = luck.randint(2, 6)
    schedule = of_seeds(seeds)
    wanted = {pairing.id for pairing in schedule if luck.random() < 0.5}
    pool = Shuffling(luck)
    results = OrderedResults(schedule, attempts(in_order, pool), jobs, window)
    taken = [*islice(results, number)]
    begun = {future.pairing.id: future.pairing.seed for future in pool.all}
    dropped = results.forget(lambda pairing: pairing.id in wanted)
    taken += results
    missing = [pairing for pairing in schedule if pairing.id not in taken]
    assert taken == [pairing.id for pairing in schedule if pairing not in missing]
    assert {pairing.seed for pairing in missing} == dropped
    assert begun.keys() <= set(taken)
    assert not any(pairing.seed in begun.values() and pairing.id in wanted for pairing in missing)
    assert len(dropped) <= window


def test_what_is_finished_at_a_stop_is_given() -> None:
    """Once it has been interrupted, it gives the results of games that are over, and of those whose
    player returns when told to stop, in order up to the first that is not; nothing else begins."""
    under_way, stopped = threading.Barrier(3), threading.Event()
    played = []

    def play(pairing: Pairing) -> Any:
        played.append(pairing.id)
        if pairing.id in ("7-3", "7-5"):
            under_way.wait(60)
            assert stopped.wait(60)
        if pairing.id == "7-5":
            raise Interrupted
        return pairing.id

    with ThreadPoolExecutor(2) as pool:
        results = OrderedResults(fight(9), attempts(play, pool), 2, 6, stop=stopped.set)
        assert next(results) == "7-1"
        under_way.wait(60)
        assert list(results.finished()) == ["7-2", "7-3"]
        assert not results.is_complete
        assert list(results) == []
    assert sorted(played) == ["7-1", "7-2", "7-3", "7-5"]


def test_a_slow_game_holds_no_other_back_where_order_does_not_matter() -> None:
    """The others are given as they end, and it is given last, with the other game of its pair."""
    first, second, *others = ids(9)
    may_end = threading.Event()

    def play(pairing: Pairing) -> Any:
        if pairing.id == first:
            assert may_end.wait(60)
        return pairing.id

    with ThreadPoolExecutor(2) as pool:
        results = OrderedResults(fight(9), attempts(play, pool), 2, 4)
        results.in_order = False
        try:
            assert [next(results) for _ in others] == others
        finally:
            may_end.set()
        assert [*results] == [first, second]
