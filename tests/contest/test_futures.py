"""Work in order: the results stand where the things stood, whoever did the work."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.contest.futures import in_order


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("window", [1, 2, 9])
@pytest.mark.parametrize("pooled", [False, True], ids=["alone", "in a pool"])
def test_each_thing_has_its_result_and_few_are_taken_ahead(
    size: int, window: int, pooled: bool
) -> None:
    """No more than a window of batches is taken before the first result is asked for."""
    taken: list[int] = []

    def things() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        found = in_order(str, things(), pool if pooled else None, size=size, window=window)
        assert next(found) == (0, "0")
        assert len(taken) == min(20, size * window)
        assert [*found] == [(number, str(number)) for number in range(1, 20)]


def test_an_error_of_the_work_comes_in_its_place() -> None:
    """The results before it are told."""
    with ThreadPoolExecutor(2) as pool:
        found = in_order(lambda number: 6 // number, [3, 2, 0, 1], pool, window=2)
        assert [next(found), next(found)] == [(3, 2), (2, 3)]
        with pytest.raises(ZeroDivisionError):
            next(found)
