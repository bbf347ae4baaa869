"""Lines and offsets: what a reader sees, what a writer leaves."""

from __future__ import annotations

import json
import os
import resource
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.journal import journal as journal_module
from judge.contest.journal.journal import Journal
from judge.errors import LedgerError
from strategies import examples

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=12)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "x.games.jsonl")


@examples(150)
@given(LINES, st.binary(max_size=10).map(lambda data: data.replace(b"\n", b"")), st.integers(1, 50))
def test_both_ways_the_lines_are_the_files_whole_lines(tmp_path_factory, lines, torn, block):
    """Forwards and backwards, whatever the size of the blocks, with what is torn left out."""
    journal = Journal(tmp_path_factory.mktemp("journal") / "x.games.jsonl")
    data = b"".join(line + b"\n" for line in lines)
    journal.path.write_bytes(data + torn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal_module, "BLOCK", block)
        forwards, backwards = list(journal.lines()), list(journal.backwards())
        assert [line.data for line in forwards] == lines
        assert backwards[::-1] == forwards
        assert [data[line.start : line.end - 1] for line in forwards] == lines
        assert [journal.number(line) for line in forwards] == list(range(1, len(lines) + 1))
    for line in forwards:
        assert list(journal.lines(line.start)) == forwards[forwards.index(line) :]
        assert list(journal.lines(0, line.end)) == forwards[: forwards.index(line) + 1]


def test_backwards_reads_no_more_than_it_needs(journal, monkeypatch):
    """For the last line of a long file it looks at its end alone."""
    journal.path.write_bytes(b"x" * 10_000_000 + b"\n" + b"the last\n")
    assert next(journal.backwards()).data == b"the last"
    monkeypatch.setattr(journal_module, "BLOCK", 100)
    assert [len(line.data) for line in journal.backwards()] == [8, 10_000_000]


def test_a_line_that_is_finished_while_it_is_read_is_read_whole(journal):
    """A reader meets the piece of a line, and the writer adds the rest of it."""
    journal.path.write_bytes(b'{"a":1}\n{"b"')
    lines = journal.lines()
    assert next(lines).data == b'{"a":1}'
    with journal.path.open("ab") as file:
        file.write(b":2}\n")
    assert [line.data for line in lines] == [b'{"b":2}']


def test_nothing_is_a_line_after_a_piece_of_one(journal, monkeypatch):
    """A reader met the end of the file in the middle of a line; what it would read next, once the
    writer has gone on, is the rest of that line, and no line."""

    class Growing:
        def __init__(self, *_):
            self.pieces = iter([b'{"a":1}\n', b'{"b"', b":2}\n"])

        def seek(self, offset):
            assert offset == 0

        def readline(self, _):
            return next(self.pieces, b"")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    journal.path.write_bytes(b"anything")
    monkeypatch.setattr(Path, "open", Growing)
    assert [line.data for line in journal.lines()] == [b'{"a":1}']


def test_an_entry_comes_back_as_it_was(journal):
    """Whatever text a bot has printed, half a character among it, and in plain ASCII."""
    entry = {"text": 'half \ud800, line\u2028, NUL \x00, "quotes" \\ and ❤', "n": 0.1 + 0.2}
    journal.append(entry)
    journal.append({"more": 1})
    first, second = journal.lines()
    assert (journal.parse(first), journal.parse(second)) == (entry, {"more": 1})
    assert first.data.isascii()


def test_a_number_that_json_cannot_hold_is_never_written(journal):
    """It is refused before the first byte."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        journal.append({"ms": float("nan")})
    assert not journal.path.exists()


NO_ENTRIES = {
    "an empty line": (b"", "it is not JSON"),
    "no JSON": (b'{"half', "it is not JSON"),
    "a list": (b"[]", "it is no JSON object"),
    "not UTF-8": (b'{"a":"\xff\xff"}', "it is no text, from byte 6"),
    "zeros": (bytes(8), "it is not JSON"),
    "brackets without end": (b"[" * 100_000, "it is nested without end"),
    "a number without end": (b'{"n":' + b"9" * 5000 + b"}", "a number of thousands of digits"),
    "a key twice": (b'{"id":"1","id":"2"}', "it has the key 'id' twice"),
    "no number": (b'{"ms":NaN}', "it holds NaN, which is not JSON"),
}


@pytest.mark.parametrize(("data", "why"), NO_ENTRIES.values(), ids=NO_ENTRIES)
def test_damage_names_its_line(journal, data, why):
    """The error names the file, the line by its number, and what to do."""
    journal.path.write_bytes(b'{"a":1}\n{"b":2}\n' + data + b"\n")
    *_, line = journal.lines()
    with pytest.raises(LedgerError, match=r"x\.games\.jsonl, line 3 is damaged: ") as raised:
        journal.parse(line)
    assert why in str(raised.value)


def test_carriage_returns_do_no_harm(journal):
    """A journal that went through an editor of another system is still one."""
    journal.path.write_bytes(b'{"a":1}\r\n{"b":2}\r\n')
    assert [journal.parse(line) for line in journal.lines()] == [{"a": 1}, {"b": 2}]


def test_a_torn_end_is_set_aside_whole(journal):
    """The journal ends with its last line feed, and the piece is in a file of its own."""
    journal.path.write_bytes(b'{"a":1}\n{"b"')
    aside = journal.set_torn_aside(8)
    assert journal.path.read_bytes() == b'{"a":1}\n'
    assert aside.read_bytes() == b'{"b"\n'
    assert aside.name == "x.games.jsonl.torn"


def test_a_torn_end_is_on_the_disk_before_it_is_cut_off(journal, monkeypatch):
    """The piece, then the name of its file, and only then the cut."""
    journal.path.write_bytes(b'{"a":1}\n{"b"')
    done = []
    cut = os.ftruncate
    monkeypatch.setattr(
        os, "fsync", lambda fd: done.append(Path(f"/proc/self/fd/{fd}").readlink().name)
    )
    monkeypatch.setattr(os, "ftruncate", lambda fd, size: (done.append("cut"), cut(fd, size)))
    aside = journal.set_torn_aside(8)
    assert done == [aside.name, journal.path.parent.name, "cut"]


@pytest.fixture
def full_at():
    """Files may grow to so many bytes and no further, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_an_entry_that_does_not_fit_on_the_disk_leaves_no_trace(journal, full_at):
    """Half of it was written already; the journal ends where it did before."""
    journal.append({"a": 1})
    before = journal.path.read_bytes()
    full_at(50)
    with pytest.raises(LedgerError, match="File too large; what was in it before still is"):
        journal.append({"text": "x" * 100})
    assert journal.path.read_bytes() == before
    full_at(200)
    journal.append({"text": "x" * 100})
    assert len(list(journal.lines())) == 2


def test_an_interrupt_in_the_middle_leaves_no_trace(journal, monkeypatch):
    """Ctrl-C between writing and syncing: nobody will be told of the entry, so it goes."""
    journal.append({"a": 1})
    before = journal.path.read_bytes()

    def interrupted(fd: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        journal.append({"b": 2})
    assert journal.path.read_bytes() == before


def test_the_folder_is_synced_even_where_the_file_was_there(journal, monkeypatch):
    """Who made the file may have been killed before its name was on the disk."""
    journal.path.write_bytes(b"")
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: synced.append(Path(f"/proc/self/fd/{fd}").readlink())
    )
    journal.append({"a": 1})
    journal.append({"b": 2})
    file, folder = journal.path, journal.path.parent
    assert synced == [file, folder, file]


def test_a_journal_that_is_not_there_is_empty(journal):
    """And reading it makes none."""
    assert (journal.size(), list(journal.lines()), list(journal.backwards())) == (0, [], [])
    journal.sync()
    assert not journal.path.exists()


def test_what_cannot_be_read_is_said(tmp_path):
    """A path that leads through a file is an error of the ledger, and no traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="cannot be read: Not a directory"):
        Journal(tmp_path / "file" / "x.games.jsonl").size()


def test_entries_are_one_json_value_a_line(journal):
    """So that jq and its kind can read it."""
    journal.append({"text": "two\nlines"})
    assert [json.loads(line) for line in journal.path.read_text().splitlines()] == [
        {"text": "two\nlines"}
    ]
