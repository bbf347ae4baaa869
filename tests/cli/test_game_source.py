"""The game that a user names, in every form, and the sentence if there is no such game:
cli/ledgers/game_source.py. Pages stand in test_strangers_records.py, broken rules in tests/game."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from changes import replace
from games import match, played, the_game
from judge.contest.ledger.ledger import Ledger
from judge.documents.codec import builtins
from judge.errors import JudgeFault, LedgerError, RecordError, UsageError
from ledgers import rewritten

RECORD = played(seed=3)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger of three games, with the ids 1, 2 and 3."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        for record in match(3):
            ledger.add(record, numbered=True)
    return path


def test_a_record_is_read_from_its_file(tmp_path: Path) -> None:
    """The content of a record's own JSON is what is shown."""
    path = tmp_path / "game"
    path.write_text(json.dumps(builtins(RECORD)))
    assert the_game(str(path), tmp_path / "no.json") == RECORD


def test_a_ledger_gives_its_last_game_or_the_one_of_an_id(ledger: Path) -> None:
    """LEDGER is its last game, LEDGER#ID any; without LEDGER it is the default one."""
    journal = ledger.with_name("ledger.games.jsonl")
    for given in (None, str(ledger), f"{ledger}#3", "#3", str(journal)):
        assert the_game(given, ledger).id == "3", given
    assert the_game(f"{ledger}#1", Path("other.json")).id == "1"
    assert the_game("#2", ledger).seed == match(3)[1].seed


def test_a_number_is_the_place_of_a_game_in_its_journal(tmp_path: Path) -> None:
    """Whatever its id."""
    games = [
        replace(one, id=str(10 - number), number=number) for number, one in enumerate(match(4), 1)
    ]
    ledger = tmp_path / "ledger.json"
    with Ledger(ledger) as kept:
        for one in games:
            kept.add(one)
    for number in (1, 2, 3, 4):
        assert the_game(f"{ledger}#{number}", ledger) == games[number - 1]
    assert the_game(str(ledger), ledger).number == 4
    for number in ("0", "5", "6", "9" * 30):
        with pytest.raises(UsageError, match=f"there is no game {number}"):
            the_game(f"#{number}", ledger)


def test_a_ranked_game_is_found_by_its_id(tmp_path: Path) -> None:
    """The last one, where a bot's new version has played the game of that id anew."""
    with Ledger(tmp_path / "x.json") as ledger:
        for seed in range(3):
            ledger.add(played(seed=seed, game_id="ada:bob:brainjar:x:1.1"))
    assert the_game("#ada:bob:brainjar:x:1.1", tmp_path / "x.json").number == 3


def test_what_a_fight_printed_gives_its_games(tmp_path: Path) -> None:
    """The document of `judge fight --json` is a source of games like a ledger."""
    path = tmp_path / "fight#1.json"
    games = match(2)
    path.write_text(
        json.dumps({"version": 1, "kind": "fight", "records": [builtins(one) for one in games]})
    )
    assert the_game(str(path), tmp_path / "no.json") == games[1]
    assert the_game(f"{path}#{games[0].id}", tmp_path / "no.json") == games[0]


def _changed(change: Callable[[dict[str, Any]], Any]) -> str:
    document = builtins(RECORD)
    change(document)
    return json.dumps(document)


def _lie_about_a_shot(document: dict[str, Any]) -> None:
    shot = next(shot for shot in document["shots"] if shot[4] == 1)
    shot[4] = 3


WRONG: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "it is empty"),
    "half of it": (_changed(len)[:900], "it is damaged, or no game record: it is not JSON"),
    "no text": (b"\xff\xfe\x00", "it is not text, from byte 0"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "it is not text"),
    "nested": ("[" * 100_000, "it is nested without end"),
    "too many values": ("[" + "0," * 2_000_001, "it has more than 2,000,000 values"),
    "too many values of a fight": (
        '{"kind": "fight", "records": [' + "[]," * 15_000_001,
        "it has more than 30,000,000 values",
    ),
    "another document": ('{"kind": "standings", "version": 1}', "it is no game record"),
    "a list": ("[1, 2]", "it is no game record"),
    "a newer version": (_changed(lambda d: d.update(version=2)), "$.version: 2 is not one of 1"),
    "no version": (_changed(lambda d: d.pop("version")), "it has no 'version'"),
    "a field too few": (_changed(lambda d: d.pop("shots")), "it has no 'shots'"),
    "a field too many": (_changed(lambda d: d.update(more=1)), "a key that is not known: 'more'"),
    "a false result": (_changed(_lie_about_a_shot), "is recorded as hit, but is a miss"),
    "an empty fight": ('{"kind": "fight", "records": []}', "a fight without any game"),
    "a ledger alone": ('{"version": 1, "kind": "ledger"}', "its journal is not beside it"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_sound_game_is_refused(what: str, tmp_path: Path) -> None:
    """Damaged, of another version, no record, or against the rules half way: one sentence that
    names the file and the fault, and no game."""
    text, sentence = WRONG[what]
    path = tmp_path / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RecordError) as raised:
        the_game(str(path), tmp_path / "no.json")
    assert str(raised.value).startswith(f"{path}: ")
    assert sentence in str(raised.value)
    assert len(str(raised.value)) < 600


def test_a_game_that_breaks_its_rules_in_a_ledger_is_refused_too(ledger: Path) -> None:
    """An entry of a journal is trusted no more than a file, though its chain is whole."""
    rewritten(ledger, lambda entries: _lie_about_a_shot(entries[-1]["record"]))
    with pytest.raises(JudgeFault, match="is recorded as hit"):
        the_game(None, ledger)
    assert the_game("#2", ledger).id == "2"
    journal = ledger.with_name("ledger.games.jsonl")
    *lines, _ = journal.read_text().splitlines()
    journal.write_text("\n".join([*lines, "{nonsense", ""]))
    for given in (None, "#1", "#some:id"):
        with pytest.raises(LedgerError, match="was edited at line 4: restore a copy of it, or "):
            the_game(given, ledger)


def test_a_ledger_without_games_has_none_to_show(tmp_path: Path) -> None:
    """An empty ledger is told from one that is not there."""
    with pytest.raises(UsageError, match="there is no such game record, and no such ledger"):
        the_game(None, tmp_path / "ledger.json")
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.contest_seed(1)
    with pytest.raises(UsageError, match="there is no game in it yet"):
        the_game(None, tmp_path / "ledger.json")


def test_names_and_ids_do_not_confuse_files(tmp_path: Path) -> None:
    """A # in a file's name is part of it where such a file is there."""
    path = tmp_path / "a#1"
    path.write_text(json.dumps(builtins(replace(RECORD, id="1"))))
    assert the_game(str(path), tmp_path / "no.json").id == "1"
