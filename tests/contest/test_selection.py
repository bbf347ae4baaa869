"""The games that a typed `--since` of `judge ledger void` chooses."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from judge.contest.selection import Wanted, since
from judge.errors import UsageError


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("210", Wanted(number=210)),
        ("#210", Wanted(number=210)),
        ("2026-01-31T18:00+01:00", Wanted(since=datetime(2026, 1, 31, 17, tzinfo=UTC))),
    ],
)
def test_games_are_chosen_from_a_number_or_a_time(text: str, wanted: Wanted) -> None:
    """A number with or without ``#`` is a game's, and a time is one in UTC."""
    assert since(text) == wanted


@pytest.mark.parametrize("text", ["", "#", "now", "-1", "9" * 10, "2026-13-01"])
def test_another_text_is_refused(text: str) -> None:
    """Neither a number of at most nine digits nor a time: one sentence says what to type."""
    with pytest.raises(UsageError, match="say a game's number"):
        since(text)
