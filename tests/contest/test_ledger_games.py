"""The games that the options of `judge ledger void` choose."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from changes import replace
from games import played
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger_games import Wanted, games_that_count, ids_of, since
from judge.documents.game import Termination
from judge.errors import UsageError
from ledgers import void


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Five games, one a day. In the second ann runs out of time, in the third bob crashes, and the
    last does not count."""
    path = tmp_path / "ledger.json"
    forfeits = {2: (0, Termination.TIMEOUT), 3: (1, Termination.CRASH)}
    with Ledger(path) as opened:
        for day in range(1, 6):
            names = ("cid", "bob") if day == 4 else ("ann", "bob")
            record = played(seed=day, names=names, game_id=f"g{day}", forfeit=forfeits.get(day))
            opened.add(replace(record, started=f"2031-01-0{day}T12:00:00.000Z"))
        void(opened, 5)
    return path


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Wanted(), [1, 2, 3, 4]),
        (Wanted(bot="ann"), [1, 2, 3]),
        (Wanted(cause="timeout"), [2]),
        (Wanted(bot="ann", cause="timeout"), [2]),
        (Wanted(bot="bob", cause="timeout"), []),
        (Wanted(number=3), [3, 4]),
        (Wanted(bot="ann", number=2), [2, 3]),
        (Wanted(since=datetime(2031, 1, 3, 12, tzinfo=UTC)), [3, 4]),
        (Wanted(since=datetime(2031, 1, 3, 13, tzinfo=UTC)), [4]),
    ],
)
def test_a_game_is_chosen_if_it_meets_every_condition(
    wanted: Wanted, numbers: list[int], ledger: Path
) -> None:
    """A cause is that of the bot's own forfeit. Games that do not count are not chosen."""
    assert [*games_that_count(ledger, wanted)] == numbers
    assert ids_of(ledger, numbers) == [f"g{number}" for number in numbers]


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
