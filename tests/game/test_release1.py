"""Files that the first release wrote, in tests/release1/: read, verified, replayed, gone on with.

They were made by that release in a folder /tmp/contest: games of the bots in it, a contest of all
three by `judge rank bots --rules rules.json --seed 12`, one game of it taken out of the count.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import judge as in_process
from games import played, void
from judge import schemas
from judge.contest.bot_games import history
from judge.contest.journal.audit import game as game_of
from judge.contest.journal.audit import last_game, verify
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import rules_id
from judge.errors import RecordError
from judge.game.events import Result
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.game.rules import Rules, Sinking, Turn
from judge.game.variants import BRAINJAR, XBS

KEPT = Path(__file__).parents[1] / "release1"
RECORDS = ["won", "forfeited", "void"]
VOIDED = "bob:cid:small.eb6b4917:12:1.2"


def document(name: str) -> dict[str, Any]:
    return json.loads((KEPT / f"{name}.json").read_text())


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A copy of the contest."""
    for kept in ("contest.json", "contest.games.jsonl"):
        shutil.copy(KEPT / kept, tmp_path)
    return tmp_path / "contest.json"


def lines(ledger: Path) -> list[bytes]:
    return ledger.with_suffix(".games.jsonl").read_bytes().splitlines()


def judge(*arguments: str | Path) -> str:
    done = in_process(*map(str, arguments))
    assert done.status == 0, done.stderr
    return done.stdout


# Records


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_read_and_judged_again(name: str) -> None:
    """It is valid by the schema of its version, its moves give its outcome, and written again it
    is of today's version and the same game."""
    old = document(name)
    assert old["version"] == 1
    assert schemas.problem("game-record-1", old) is None
    record = GameRecord.from_json(old)
    *_, last = replay(record)
    assert last.outcome == record.outcome
    new = record.to_json()
    assert new["version"] == 2
    assert schemas.problem("game-record", new) is None
    assert GameRecord.from_json(new) == record
    for kept in ("id", "seed", "first", "isolation", "limits", "shots", "asides", "started"):
        assert new[kept] == old[kept]


def test_what_a_record_did_not_say_is_what_it_then_was() -> None:
    """One wire, and one dialect and launch for all; no match, no number, no author."""
    record = GameRecord.from_json(document("won"))
    assert (record.number, record.match, record.host, record.rated) == (None, None, None, True)
    assert record.rules == BRAINJAR
    for seat in record.seats:
        assert (seat.wire, seat.dialect, seat.launch) == ("brainjar", "readme", "exec")
        assert (seat.author, seat.data_digest) == ("", None)
    sunk = [one.shot for one in record.shots if one.shot.result is Result.SUNK]
    assert all(shot.ship is not None and shot.ship.length == shot.sunk for shot in sunk)


def test_the_evidence_of_a_record_is_kept() -> None:
    """With no exchanges, for nothing then stayed alive."""
    record = GameRecord.from_json(document("forfeited"))
    assert record.outcome.termination is Termination.BAD_OUTPUT
    (evidence,) = record.evidence
    assert (evidence.stdout, evidence.stderr) == ('{"mov":"00"}\n', "what now?\n")
    assert evidence.exchanges == ()


def test_a_void_record_counts_for_nobody() -> None:
    """As it did."""
    record = GameRecord.from_json(document("void"))
    assert record.outcome.termination is Termination.VOID
    assert not record.rated


def test_a_version_is_held_to_its_own_schema() -> None:
    """A record of version 1 with a field of version 2 is none, and the reverse."""
    with pytest.raises(RecordError, match="'host' was unexpected"):
        GameRecord.from_json({**document("won"), "host": None})
    with pytest.raises(RecordError, match="not a game record"):
        GameRecord.from_json({**document("won"), "version": 2})


def as_version_1(record: GameRecord) -> dict[str, Any]:
    """A record as the first release would have written it."""
    new = record.to_json()
    told = new["rules"].pop("sinking") == "size"
    since = ("opening", "wire", "timeout_ms", "bot_bytes", "match")
    old = {name: value for name, value in new.items() if name not in ("number", "match", "host")}
    del old["rated"]
    old |= {"version": 1, "dialect": "readme", "launch": "exec"}
    old["rules"] = {name: value for name, value in new["rules"].items() if name not in since}
    old["rules"]["sinkings_told"] = told
    fields = ("name", "digest", "seed", "fleet", "ms")
    old["seats"] = [{field: one[field] for field in fields} for one in new["seats"]]
    old["outcome"] = {**new["outcome"], "evidence": None}
    return old


@pytest.mark.parametrize("rules", [BRAINJAR, replace(XBS, may_return=False)], ids=lambda r: r.name)
def test_who_left_for_good_had_resigned(rules: Rules) -> None:
    """In version 1 there was no other word for it, and such a record is as sound as ever."""
    old = as_version_1(played(rules, seed=4, forfeit=(0, Termination.RESIGNED), after=4))
    ((at, seat, _),) = old["asides"]
    old["asides"] = [[at, seat, "leave"]]
    assert schemas.problem("game-record-1", old) is None
    record = GameRecord.from_json(old)
    assert record.outcome.termination is Termination.RESIGNED
    *_, last = replay(record)
    assert last.outcome == record.outcome


def test_a_tie_of_failures_was_named_after_one_of_them() -> None:
    """Where rules have ties; that of two fleets was void, and does not count now either."""
    both = replace(BRAINJAR, turn=Turn.BOTH)
    game = played(both, seed=4, forfeit=(0, Termination.CRASH), after=4)
    old = as_version_1(game)
    old["asides"] = [[len(old["shots"]), seat, "crash"] for seat in (0, 1)]
    old["outcome"] |= {"winner": None, "loser": None, "termination": "crash"}
    record = GameRecord.from_json(old)
    assert (record.outcome.termination, record.rated) == (Termination.BOTH_FAILED, True)
    *_, last = replay(record)
    assert last.outcome == record.outcome
    record = GameRecord.from_json(as_version_1(replace(void(), rules=both)))
    assert (record.outcome.termination, record.rated) == (Termination.VOID, False)
    *_, last = replay(record)
    assert last.outcome == record.outcome


# Rules and pages


def test_a_rules_file_is_read() -> None:
    """Its word for what is told of a sinking was a boolean: the size, or nothing."""
    old = document("rules")
    assert schemas.problem("rules", old) is None
    rules = Rules.from_json(old)
    assert rules.sinking is Sinking.NOTHING
    assert Rules.from_json({**old, "sinkings_told": True}).sinking is Sinking.SIZE
    assert rules_id(rules) == "small.eb6b4917", "so the games of a contest keep their names"
    assert rules_id(replace(rules, sinking=Sinking.SUNK)) != rules_id(rules)
    assert rules_id(replace(rules, timeout_ms=5)) != rules_id(rules)


def test_a_page_is_read_and_verified() -> None:
    """The record in it is the game's, and is judged again."""
    page = KEPT / "forfeited.html"
    record = GameRecord.from_json(document("forfeited"))
    assert json.loads(judge("replay", page, "--json")) == record.to_json()
    assert "1 game judged again; all is as it should be" in judge("ledger", "verify", page)


# A ledger


def test_a_ledger_is_verified_and_its_table_is_what_it_was(ledger: Path) -> None:
    """Every game is judged again, nothing is changed, and rebuilt it has the same bytes."""
    found = verify(ledger)
    assert (found.games, found.voided, found.behind, found.problems) == (6, 1, 0, ())
    games = lines(ledger)
    Ledger(ledger).save()
    assert json.loads(ledger.read_bytes())["version"] == 4
    assert verify(ledger) == found
    before = ledger.read_bytes(), games
    table = json.loads(judge("standings", ledger, "--json"))
    old = document("standings")
    same = old.keys() - {"bots", "version"}
    assert {name: table[name] for name in same} == {name: old[name] for name in same}
    for bot, then in zip(table["bots"], old["bots"], strict=True):
        assert {name: bot[name] for name in then} == then
    rebuild(ledger)
    assert (ledger.read_bytes(), lines(ledger)) == before


def test_a_game_of_a_ledger_is_found(ledger: Path) -> None:
    """By its id, as the last one, and in the history of a bot, with its evidence."""
    assert game_of(ledger, VOIDED).outcome.termination is Termination.BAD_OUTPUT
    *_, last = replay(last_game(ledger))
    assert last.outcome is not None
    games = list(history(ledger, "cid"))
    assert [one.forfeit for one in games].count("bad-output") == 4
    shown = json.loads(judge("ledger", "show", ledger, "cid", "--json"))
    assert schemas.problem("history", shown) is None


def test_a_journal_goes_on_in_lines_of_version_2(ledger: Path) -> None:
    """The old lines stay as they are, and both count."""
    old = lines(ledger)
    with Ledger(ledger) as opened:
        opened.add(
            played(Rules.from_json(document("rules")), seed=3, names=("ann", "dan"), game_id="new")
        )
    assert lines(ledger)[: len(old)] == old
    assert [json.loads(line)["version"] for line in lines(ledger)] == [1] * len(old) + [2]
    assert verify(ledger) == replace(verify(ledger), games=7, problems=())
    before = ledger.read_bytes()
    rebuild(ledger)
    assert ledger.read_bytes() == before


@pytest.mark.whole
def test_an_old_contest_goes_on(ledger: Path) -> None:
    """`judge rank` knows the games that are there, under rules of a file too, and plays only the
    one that was voided and those of a new bot."""
    bots, old = ledger.parent / "bots", lines(ledger)
    shutil.copytree(KEPT / "bots", bots)
    again = ["rank", bots, "--rules", KEPT / "rules.json", "--isolation", "none", "--quiet"]
    judge(*again, "--ledger", ledger)
    (once_more,) = lines(ledger)[len(old) :]
    assert json.loads(once_more)["id"] == VOIDED
    old = lines(ledger)
    judge(*again, "--ledger", ledger)
    assert lines(ledger) == old
    shutil.copytree(bots / "ann", bots / "dan")
    judge(*again, "--ledger", ledger)
    added = [json.loads(line) for line in lines(ledger)[len(old) :]]
    assert len(added) == 6
    assert all(entry["version"] == 2 for entry in added)
    assert all("dan" in [seat["name"] for seat in entry["seats"]] for entry in added)
    assert verify(ledger).problems == ()
