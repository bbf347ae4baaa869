"""Matches in a ledger: added at once, with the shots of some games, and judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import played
from judge import schemas
from judge.contest.journal.audit import faults, verify
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.keep import Keep
from judge.contest.ledger.ledger import Ledger, Rated, Repeated, read
from judge.errors import RecordError
from judge.game.outcome import Termination
from judge.game.record import GameRecord, OfMatch
from judge.game.replay import replay
from judge.game.unkept import check, without_shots
from judge.game.variants import BRAINJAR, BROADSIDES, contest
from strategies import examples

WAYS = ["all", "last", "first-last:1", "first-last:5", "each:1", "each:3"]


def match(games: int, *, error: bool = False, seed: int = 0) -> list[GameRecord]:
    """The games of a match, of which the last may be ended by an error."""
    records = [
        played(contest(3), seed + number, game_id=f"{seed}-{number}", names=("ann", "bob"))
        for number in range(1, games + 1)
    ]
    if error:
        lost = (1, Termination.TIMEOUT)
        names = ("ann", "bob")
        records[-1] = played(
            contest(3), seed + games, game_id="error", forfeit=lost, after=2, names=names
        )
    return [
        replace(record, match=OfMatch("m", number, games))
        for number, record in enumerate(records, 1)
    ]


def journal(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.with_suffix(".games.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("error", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_kept_the_table_is_the_same(way: str, error: bool, tmp_path: Path) -> None:
    """X.json has the same bytes as with all shots, what is told has all shots, and all of it is
    judged again and folded anew."""
    records = match(12, error=error)
    paths = [tmp_path / "all.json", tmp_path / "some.json"]
    for path, kept in zip(paths, ("all", way), strict=True):
        with Ledger(path) as ledger:
            added = ledger.add_all(records, numbered=True, keep=Keep.read(kept))
        assert [one.record.shots for one in added if isinstance(one, Rated)] == [
            record.shots for record in records
        ]
        assert [one.record.number for one in added if isinstance(one, Rated)] == [*range(1, 13)]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert verify(paths[1]).problems == ()
    rebuild(paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    kept = {place for place, entry in enumerate(journal(paths[1])) if entry["shots"] is not None}
    assert kept == Keep.read(way).places(records)


def test_which_games_keep_their_shots() -> None:
    """Those at both ends, or so many of each result and the one that an error ended."""
    records = match(12, error=True)
    assert Keep.read("first-last:2").places(records) == {0, 1, 10, 11}
    assert Keep.read("last").places(records) == {11}
    winners = [record.outcome.winner for record in records]
    first = {winners.index(winner) for winner in set(winners)}
    assert Keep.read("each:1").places(records) == first | {11}
    assert Keep.read("first-last:50").places(records) == Keep.read("all").places(records)
    for text in ("", "none", "each", "each:0", "first-last:-1", "all:3", "each:999999"):
        with pytest.raises(ValueError, match="is none of all, last"):
            Keep.read(text)


def test_a_match_that_is_there_is_not_added_again(tmp_path: Path) -> None:
    """Of a part of it the rest is added; a game without shots is compared by its figures."""
    records = match(6)
    with Ledger(tmp_path / "x.json") as ledger:
        ledger.add_all(records[:4], keep=Keep.read("last"))
        other = replace(played(contest(3), 99, names=("ann", "bob")), seed=records[0].seed)
        other = replace(other, seats=records[0].seats, id="other")
        added = ledger.add_all([other, *records[1:]], keep=Keep.read("last"))
        told = [one.difference for one in added if isinstance(one, Repeated)]
        assert told == ["it went on otherwise, as its figures show", None, None, None]
        assert [one.record.number for one in added if isinstance(one, Rated)] == [5, 6]
    assert read(tmp_path / "x.json").recorded == 6


@given(
    st.sampled_from([BRAINJAR, BROADSIDES, contest(3), contest(10)]),
    st.integers(0, 10**6),
    st.sampled_from([None, (0, Termination.CRASH), (1, Termination.ILLEGAL_FLEET)]),
)
@examples(60)
def test_a_record_without_shots_is_sound(rules, seed: int, forfeit) -> None:
    """It is a document by its schema, which is read back as it was, and judged as far as it goes."""
    record = without_shots(played(rules, seed, forfeit=forfeit))
    assert schemas.problem("game-record", record.to_json()) is None
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    check(record)
    with pytest.raises(RecordError, match="its shots were not kept"):
        next(iter(replay(record)))


LIES = {
    "another winner": {"outcome": {"winner": 1, "loser": 0}},
    "the winner lost as well": {"outcome": {"loser": 0}},
    "a tie": {"outcome": {"winner": None, "loser": None}},
    "more hits than shots": {"figures": {"hits": 40}},
    "more ships than there are": {"figures": {"sunk": 9}},
    "another end": {"outcome": {"termination": "round-limit"}},
    "an error": {"outcome": {"termination": "timeout"}},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_result_that_cannot_be_is_found(lie: str) -> None:
    """Verify says so of a game without shots."""
    seed = next(n for n in range(99) if played(contest(3), n).outcome.winner == 0)
    document = without_shots(played(contest(3), seed)).to_json()
    document["outcome"] |= LIES[lie].get("outcome", {})
    document["figures"][0] |= LIES[lie].get("figures", {})
    (fault,) = faults([json.dumps(document).encode()])
    assert fault
    document = without_shots(played(contest(3), seed)).to_json()
    assert faults([json.dumps(document).encode()]) == [None]


@pytest.mark.parametrize("figures", [None, [], [{}] * 2, [{"shots": "x"}] * 2, 7])
def test_figures_of_a_stranger_do_no_harm(figures: object, tmp_path: Path) -> None:
    """A journal with shots or figures that are none is refused with its line."""
    path = tmp_path / "x.json"
    with Ledger(path) as ledger:
        ledger.add_all(match(2), keep=Keep.read("last"))
    lines = journal(path)
    lines[0]["figures"] = figures
    path.with_suffix(".games.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert verify(path).problems
