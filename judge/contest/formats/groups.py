"""Balanced groups: the seating of contests whose games have more than two seats. Pure.

A round has as many games as there are bots, and every bot sits in each seat once a round. The bots
stand in a circle. A round has one step for each seat. The round's first game seats the bots at
these steps from the first place, its second game those at the same steps from the second place, and
so on. Two bots meet once for each pair of seats whose steps are as far apart as the two bots. Each
round's steps are chosen so that all distances occur about equally often.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

from judge.contest.seeds import hashed

SWEEPS = 20  # attempts to improve the steps of a round; a few are enough


def rounds(names: Sequence[str], seats: int, seed: int) -> Iterator[Iterator[tuple[str, ...]]]:
    """The rounds without end. A round is an iterator of games, and a game is its names seat by
    seat. There must be at least as many names as seats. The order of the names does not matter."""
    circle = sorted(names, key=lambda name: (hashed(seed, "circle", name), name))
    for number in itertools.count():
        yield _round(circle, _steps(len(circle), seats, seed, number))


def _round(circle: Sequence[str], steps: Sequence[int]) -> Iterator[tuple[str, ...]]:
    count = len(circle)
    return (tuple(circle[(place + step) % count] for step in steps) for place in range(count))


def _steps(count: int, seats: int, seed: int, number: int) -> tuple[int, ...]:
    """The steps of the seats in round ``number``, on a circle of ``count`` bots."""
    chosen = _chosen(count, seats, seed)
    while len(chosen.steps) <= number:
        chosen.add()
    return chosen.steps[number]


class _Chosen:
    """The steps of the rounds chosen so far, and the number of meetings at each distance on the
    circle."""

    def __init__(self, count: int, seats: int, seed: int) -> None:
        self.steps: list[tuple[int, ...]] = []
        self._count = count
        self._seats = seats
        self._seed = seed
        self._met = [0] * count  # meetings by distance; each pair of seats counts both ways round

    def add(self) -> None:
        """Choose the steps of the next round. First give each seat in turn the place with the least
        cost. Then move each seat to a place with a lower cost; repeat this until nothing changes,
        at most `SWEEPS` times."""
        drawn = [
            hashed(self._seed, "round", f"{len(self.steps)}:{at}") for at in range(self._count)
        ]
        order = sorted(range(self._count), key=drawn.__getitem__)
        places = order[:1]
        while len(places) < self._seats:
            places.append(self._best(places, order))
        for _ in range(SWEEPS):
            before = [*places]
            for at in range(self._seats):
                others = [*places[:at], *places[at + 1 :]]
                places[at] = self._best(others, [places[at], *order])
            if places == before:
                break
        places.sort(key=drawn.__getitem__)  # luck decides who sits in neighbouring seats
        self._met = self._with(places)
        self.steps.append(tuple(places))

    def _best(self, others: Sequence[int], order: Sequence[int]) -> int:
        """The free place with the least cost beside the ``others``; of equal places the first in
        ``order``."""
        met = self._with(others)
        free = (place for place in order if place not in others)
        return min(free, key=lambda place: self._cost(place, others, met))

    def _with(self, places: Sequence[int]) -> list[int]:
        """The number of meetings at each distance on the circle, after a round with seats at these
        places."""
        met = [*self._met]
        for one, other in itertools.combinations(places, 2):
            met[one - other] += 1
            met[other - one] += 1
        return met

    def _cost(self, place: int, others: Sequence[int], met: Sequence[int]) -> int:
        """The amount by which the sum of the squares of ``met`` grows if a seat takes this place.
        Bots half a circle apart have the same distance both ways round, so they meet twice in a
        round."""
        new: dict[int, int] = {}
        cost = 0
        for other in others:
            for distance in ((place - other) % self._count, (other - place) % self._count):
                more = new.get(distance, 0)
                cost += 2 * (met[distance] + more) + 1
                new[distance] = more + 1
        return cost


_chosen = lru_cache(maxsize=16)(_Chosen)
