"""Matches in a ledger: added at once, and judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from changes import replace
from games import played
from judge.contest.ledger.ledger import Ledger, Rated, Repeated, read
from judge.contest.ledger.verify import rebuild, verify
from judge.game.variants import contest
from ledgers import a_match


def journal(path: Path) -> list[dict]:
    """The records in it."""
    lines = map(json.loads, path.with_suffix(".games.jsonl").read_text().splitlines())
    return [line["record"] for line in lines if line["kind"] == "game"]


@pytest.mark.parametrize("error", [False, True])
def test_a_match_is_added_at_once(error: bool, tmp_path: Path) -> None:
    """Its games are what was played, with their numbers and all shots, and are judged again and
    folded anew."""
    records, path = a_match(12, error=error), tmp_path / "x.json"
    with Ledger(path) as ledger:
        added = ledger.add_all(records, numbered=True)
    assert [one.record.shots for one in added if isinstance(one, Rated)] == [
        record.shots for record in records
    ]
    assert [one.record.number for one in added if isinstance(one, Rated)] == [*range(1, 13)]
    assert [len(entry["shots"]) for entry in journal(path)] == [len(one.shots) for one in records]
    before = path.read_bytes()
    assert verify(path).problems == ()
    rebuild(path)
    assert path.read_bytes() == before


def test_a_match_that_is_there_is_not_added_again(tmp_path: Path) -> None:
    """The rest of a match is added if a part of it is there, and how a game went otherwise is
    told."""
    records = a_match(6)
    with Ledger(tmp_path / "x.json") as ledger:
        ledger.add_all(records[:4])
        other = replace(played(contest(3), 99, names=("ann", "bob")), seed=records[0].seed)
        other = replace(other, seats=records[0].seats, id="other")
        added = ledger.add_all([other, *records[1:]])
        told = [one.difference for one in added if isinstance(one, Repeated)]
        assert told == ["shot 1 was another", None, None, None]
        assert [one.record.number for one in added if isinstance(one, Rated)] == [5, 6]
    assert read(tmp_path / "x.json").recorded == 6


def test_a_match_is_won_by_the_seat_with_more_of_its_games(tmp_path: Path) -> None:
    """Each bot is counted one match, won, lost or tied, against the other bot too."""
    for seed in range(0, 40, 4):
        records = a_match(3, seed=seed)
        winners = [record.outcome.winner for record in records]
        with Ledger(tmp_path / f"{seed}.json") as ledger:
            ledger.add_all(records)
            table = ledger.tally.table
        one, other = winners.count(0), winners.count(1)
        assert table.met(("ann", 1), ("bob", 1)) == (one > other, one < other, one == other)
