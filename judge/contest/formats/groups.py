"""Balanced groups: who sits where in contests whose games have more than two seats. Pure.

A round has as many games as there are bots, and every bot sits in each seat once in it. The bots
are put into a circle, and in a round the seats of every game are the same steps apart on it; the
game goes round the circle, a place a game. Two bots meet as often as the steps of the rounds have
their distance, so the steps of each round are those that make these numbers the most even.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from judge.contest.seeds import hashed

SWEEPS = 20  # over all seats; a few are enough


def rounds(names: Sequence[str], seats: int, seed: int) -> Iterator[Iterator[tuple[str, ...]]]:
    """Round after round, without end: the games of each, seat by seat. At least as many names as
    seats; in which order they are given does not matter."""
    circle = sorted(names, key=lambda name: (hashed(seed, "circle", name), name))
    for number in _numbers():
        yield _round(circle, _steps(len(circle), seats, seed, number))


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def _round(circle: Sequence[str], steps: Sequence[int]) -> Iterator[tuple[str, ...]]:
    count = len(circle)
    return (tuple(circle[(place + step) % count] for step in steps) for place in range(count))


def _steps(count: int, seats: int, seed: int, number: int) -> tuple[int, ...]:
    """The places of the seats in a round, from place 0 of a circle of ``count``."""
    chosen = _chosen(count, seats, seed)
    while len(chosen.steps) <= number:
        chosen.add()
    return chosen.steps[number]


class _Chosen:
    """The steps of the rounds chosen so far, and how often two at each distance have met."""

    def __init__(self, count: int, seats: int, seed: int) -> None:
        self.steps: list[tuple[int, ...]] = []
        self._count = count
        self._seats = seats
        self._seed = seed
        self._met = [0] * count  # meetings by distance, both ways round

    def add(self) -> None:
        """Choose those of the next round: place by place what costs the least, and then whatever
        place is better moved."""
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
        places.sort(key=drawn.__getitem__)  # the neighbours are drawn as well
        self._met = self._with(places)
        self.steps.append(tuple(places))

    def _best(self, others: Sequence[int], order: Sequence[int]) -> int:
        """The first place of the ``order`` that costs the least beside the others."""
        met = self._with(others)
        free = (place for place in order if place not in others)
        return min(free, key=lambda place: self._cost(place, others, met))

    def _with(self, places: Sequence[int]) -> list[int]:
        """How often two at each distance have met after a round with these steps."""
        met = [*self._met]
        for one, other in combinations(places, 2):
            met[one - other] += 1
            met[other - one] += 1
        return met

    def _cost(self, place: int, others: Sequence[int], met: Sequence[int]) -> int:
        """How much the squares of all meetings grow by a place. Half the circle is as far both ways
        round, so those who face each other meet twice in a round."""
        new: dict[int, int] = {}
        cost = 0
        for other in others:
            for distance in ((place - other) % self._count, (other - place) % self._count):
                more = new.get(distance, 0)
                cost += 2 * (met[distance] + more) + 1
                new[distance] = more + 1
        return cost


_chosen = lru_cache(maxsize=16)(_Chosen)
