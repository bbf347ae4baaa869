"""The side index: whatever is in it, what is looked up by it is what the journal holds."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.contest.journal.index import HEADER, LONG, NO_KEY, ROW, Index, count_of, line_of, path_of
from judge.contest.journal.journal import Journal
from judge.contest.ledger.files import located
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.ledger import Ledger, Rated, read
from judge.errors import LedgerError
from judge.game.record import GameRecord
from ledgers import contents, fill, short, spoil_line

PERSON = {"digest": None, "wire": None, "dialect": None, "launch": None}


def person(number: int) -> GameRecord:
    record = short(number)
    return replace(record, seats=(replace(record.seats[0], **PERSON), record.seats[1]))


RECORDS = [short(1), short(2), person(3), short(1), short(4), short(2), person(3), short(5)]
ENTRIES = [
    {"version": 1, "kind": "contest", "seed": "7"},
    *(record.to_json() for record in RECORDS[:4]),
    {"version": 1, "kind": "void", "number": 1, "games": [1], "reason": "a test"},
    *(record.to_json() for record in RECORDS[4:]),
]
LINES = [json.dumps(entry).encode() + b"\n" for entry in ENTRIES]
WHOLE = b"".join(LINES)


def scanned(journal: Journal) -> tuple[dict[bytes, list[int]], list[bytes]]:
    """The numbers of the games by their keys, and the games' lines, by reading all of it."""
    numbers: dict[bytes, list[int]] = {}
    games = []
    for each in journal.lines():
        entry = json.loads(each.data)
        if "kind" not in entry:
            games.append(each.data)
            if key := key_of(entry):
                numbers.setdefault(key, []).append(len(games))
    return numbers, games


def looked_up(journal: Journal) -> tuple[dict[bytes, list[int]], list[bytes]]:
    """The same by an index that is opened now; it has what it took from elsewhere checked."""
    index = Index(journal, [])
    numbers, games = scanned(journal)
    index.catch_up(journal.size(), len(games))
    keys = [*numbers, b"k" * len(NO_KEY), NO_KEY]
    found = {key: [*index.numbers(key)] for key in keys if index.numbers(key)}
    return found, [index.line(number).data for number in range(1, len(index) + 1)]


@pytest.fixture(scope="module")
def sound() -> bytes:
    """The bytes of the index of the whole journal."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder, "x.games.jsonl"))
        journal.path.write_bytes(WHOLE)
        looked_up(journal)
        return path_of(journal).read_bytes()


@pytest.fixture(scope="module")
def journal() -> Iterator[Journal]:
    """A file to be written anew for every example."""
    with tempfile.TemporaryDirectory() as folder:
        yield Journal(Path(folder, "x.games.jsonl"))


def test_a_row_is_a_game_and_where_its_line_begins(sound: bytes) -> None:
    """One after the other, behind a header; a game without a key has zeros."""
    rows = [*ROW.iter_unpack(sound.removeprefix(HEADER))]
    assert len(sound) == len(HEADER) + len(RECORDS) * ROW.size
    starts = [WHOLE.index(row) for row in LINES]
    assert [offset for _, offset in rows][:3] == starts[1:4]
    keys = [key_of(record.to_json()) for record in RECORDS]
    assert [key for key, _ in rows] == [key or NO_KEY for key in keys]


@given(data=st.data())
def test_whatever_the_index_holds_lookups_are_those_of_a_scan(
    journal: Journal, sound: bytes, data: st.DataObject
) -> None:
    """Cut anywhere, of an earlier or a later state of the journal, with bytes changed, or garbage,
    or not there: what is found by it is what a scan finds, and it is sound afterwards."""
    lines = data.draw(st.integers(0, len(LINES)), "lines")
    journal.path.write_bytes(b"".join(LINES[:lines]))
    path = path_of(journal)
    path.unlink(missing_ok=True)
    cut = sound[: data.draw(st.integers(0, len(sound)), "cut")]
    kind = data.draw(st.sampled_from(["cut", "tail", "garbage", "none"]), "kind")
    if kind == "cut":
        path.write_bytes(cut)
    elif kind == "tail":
        path.write_bytes(cut + data.draw(st.binary(max_size=3 * ROW.size)))
    elif kind == "garbage":
        path.write_bytes(data.draw(st.binary(max_size=200)))
    assert looked_up(journal) == scanned(journal)
    assert looked_up(journal) == scanned(journal)
    games = scanned(journal)[1]
    whole = len(HEADER) + len(games) * ROW.size
    assert not games or path.read_bytes()[:whole] == sound[:whole]


@pytest.fixture(scope="module")
def three() -> Iterator[Path]:
    """A ledger of three games, whose index is to be spoilt."""
    with tempfile.TemporaryDirectory() as folder:
        yield fill(Path(folder, "ledger.json"), 1, 2, 3)


@given(at=st.integers(0), bit=st.integers(0, 7))
def test_a_changed_row_makes_no_game_another(three: Path, at: int, bit: int) -> None:
    """A key or an offset that was changed can hide a game; it never makes one known that is not
    there, for a hit is read in the journal."""
    index = three.with_suffix(".games.index")
    keys = [key_of(short(number, *names(number)).to_json()) for number in (1, 2, 3)]
    starts = [each.start for each in located(three)[1].lines()]
    rows = zip(keys, starts, strict=True)
    data = bytearray(HEADER + b"".join(ROW.pack(key, start) for key, start in rows))
    data[at % len(data)] ^= 1 << bit
    index.write_bytes(data)
    with Ledger(three) as ledger:
        for key, _ in ROW.iter_unpack(bytes(data[len(HEADER) :])):
            assert key in keys or not ledger.is_played(key)


def names(number: int) -> tuple[str, str]:
    everyone = ("ann", "bob", "cid")
    return everyone[number % 3], everyone[(number + 1) % 3]


def test_a_run_adds_rows_to_what_is_there(tmp_path: Path) -> None:
    """Each game is a row more, by whoever adds it, and nothing else changes."""
    path = tmp_path / "ledger.json"
    index = path.with_suffix(".games.index")
    states = []
    with Ledger(path) as one, Ledger(path) as other:
        for number in range(4):
            (one, other)[number % 2].add(short(number))
            states.append(index.read_bytes())
    assert [len(state) for state in states] == [len(HEADER) + ROW.size * n for n in (1, 2, 3, 4)]
    assert all(states[-1].startswith(state) for state in states)
    index.unlink()
    with Ledger(path) as ledger:
        assert ledger.add(short(2)).number == 3
    assert index.read_bytes() == states[-1]


def test_an_index_is_never_followed_through_a_link(tmp_path: Path) -> None:
    """The file that a link leads to is neither read nor written; the link gives way."""
    path = tmp_path / "ledger.json"
    fill(path, 1, 2)
    index = path.with_suffix(".games.index")
    sound = index.read_bytes()
    other = tmp_path / "mine.txt"
    other.write_bytes(b"mine")
    for make in (index.symlink_to, index.hardlink_to):
        index.unlink()
        make(other)
        with Ledger(path) as ledger:
            assert ledger.add(short(1, "bob", "cid")).number == 1
        assert other.read_bytes() == b"mine"
        assert index.read_bytes() == sound
        assert not index.is_symlink()


def test_where_no_index_can_be_written_games_are_added_all_the_same(tmp_path: Path) -> None:
    """A folder lies in its place; every game is known, in this run and in the next."""
    path = tmp_path / "ledger.json"
    path.with_suffix(".games.index").mkdir()
    with Ledger(path) as ledger:
        assert isinstance(ledger.add(short(1)), Rated)
        assert ledger.add(short(1)).number == 1
    with Ledger(path) as ledger:
        assert ledger.add(short(1)).number == 1
        assert ledger.notices == []
    assert read(path).recorded == 1


def test_an_index_that_took_long_to_make_is_said(tmp_path: Path) -> None:
    """One line more than is quick makes it a sentence; a short one is made silently."""
    path = tmp_path / "ledger.json"
    fill(path, 1)
    with Ledger(path) as ledger:
        os.truncate(path.with_suffix(".games.index"), 3)
        ledger.add(short(2))
        assert ledger.notices == []
    _, journal = located(path)
    index, notices = path_of(journal), []
    index.unlink()
    blank = {**short(3).to_json(), "id": "x" * 1000}
    with journal.path.open("wb") as file:
        row = json.dumps(blank).encode()
        games = 0
        while file.tell() <= LONG:
            file.write(row + b" " * 2**20 + b"\n")
            games += 1
    Index(journal, notices).catch_up(journal.size(), games)
    assert notices == [f"{index} was missing or did not fit its journal, and is computed anew"]


def test_a_game_is_found_by_its_number(tmp_path: Path) -> None:
    """By the index where it can be trusted, and otherwise by reading the journal; readers need no
    lock and write nothing."""
    path = tmp_path / "ledger.json"
    fill(path, 1, 2, 3)
    _, journal = located(path)
    index = path_of(journal)
    sound, whole = index.read_bytes(), [*journal.lines()]
    turned = HEADER + b"".join(
        ROW.pack(key, offset) for key, offset in [*ROW.iter_unpack(sound[len(HEADER) :])][::-1]
    )
    for state in (sound, sound[:-1], turned, HEADER, b"", None):
        index.unlink()
        if state is not None:
            index.write_bytes(state)
        before = contents(tmp_path)
        for number in (1, 2, 3):
            assert line_of(journal, number) == whole[number - 1]
        assert line_of(journal, 4) is None
        assert line_of(journal, 0) is None
        assert contents(tmp_path) == before
        index.touch()


def test_a_game_before_damage_is_found(tmp_path: Path) -> None:
    """A damaged line is named only by who has to read past it."""
    path = tmp_path / "ledger.json"
    fill(path, 1, 2, 3)
    spoil_line(1, b"garbage")(path)
    _, journal = located(path)
    path_of(journal).unlink()
    assert line_of(journal, 1) == next(journal.lines())
    with pytest.raises(LedgerError, match="line 2 is damaged"):
        line_of(journal, 3)


def test_an_index_is_read_no_further_than_it_is_in_order(tmp_path: Path) -> None:
    """A file with a hole of a terabyte is no index, whoever looks."""
    journal = Journal(tmp_path / "x.games.jsonl")
    journal.path.write_bytes(WHOLE)
    index = Index(journal, [])
    index.catch_up(len(WHOLE), len(RECORDS))
    sound = path_of(journal).read_bytes()
    os.truncate(path_of(journal), 2**40)
    assert count_of(journal) == len(RECORDS)
    assert line_of(journal, 2**30) is None
    again = Index(journal, [])
    again.catch_up(len(WHOLE), len(RECORDS))
    assert path_of(journal).read_bytes() == sound


def test_rows_of_lines_that_are_not_there_are_none(tmp_path: Path) -> None:
    """However many there are, in order among themselves."""
    journal = Journal(tmp_path / "x.games.jsonl")
    journal.path.write_bytes(WHOLE)
    rows = b"".join(ROW.pack(NO_KEY, at) for at in range(100_000))
    path_of(journal).write_bytes(HEADER + rows)
    assert count_of(journal) == len(RECORDS)
