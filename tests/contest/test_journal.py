"""The chain of lines: what a reader sees, what a writer leaves, and how each change of a line is seen."""

from __future__ import annotations

import json
import os
import resource
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.ledger import journal as journal_module
from judge.contest.ledger.journal import BEGIN, START, Journal
from judge.errors import LedgerError
from strategies import examples

ENTRIES = st.lists(
    st.dictionaries(st.text(max_size=3), st.text(max_size=40), min_size=1, max_size=2).map(
        lambda entry: json.dumps(entry).encode()
    ),
    max_size=12,
)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "x.games.jsonl")


def texts(journal: Journal) -> list[bytes]:
    return [line.data for line in journal.lines()]


@examples(150)
@given(ENTRIES, st.binary(max_size=10).map(lambda data: data.replace(b"\n", b"")))
def test_the_lines_are_the_files_whole_lines(tmp_path_factory, entries, torn):
    """However they were added, with what is torn left out; each is found again by the place where it
    begins."""
    journal = Journal(tmp_path_factory.mktemp("journal") / "x.games.jsonl")
    half = len(entries) // 2
    last = journal.append(START, entries[:half])
    journal.append(last, entries[half:])
    with journal.path.open("ab") as file:
        file.write(torn)
    forwards = list(journal.lines())
    assert [line.data for line in forwards] == entries
    assert [line.position.number for line in forwards] == list(range(1, len(entries) + 1))
    start = BEGIN
    for at, line in enumerate(forwards):
        before = journal.line_end(start.end, at)
        assert before == start
        assert next(journal.lines(before)) == line
        start = line.position
        assert journal.line_end(line.position.end, line.position.number) == line.position
        assert list(journal.lines(line.position)) == forwards[at + 1 :]
        assert list(journal.lines(end=line.position.end)) == forwards[: at + 1]


def test_a_line_that_was_edited_is_not_read_by_its_place(journal):
    """The line before it is; where no line ends, it is the beginning that is found."""
    journal.append(START, [b'{"a":1}', b'{"b":2}', b'{"c":3}'])
    first, *_ = journal.lines()
    journal.path.write_bytes(journal.path.read_bytes().replace(b'"b":2', b'"b":3'))
    assert next(journal.lines(journal.line_end(0))) == first
    with pytest.raises(LedgerError, match="was edited at line 2"):
        next(journal.lines(journal.line_end(first.position.end, 1)))
    for end in (-1, 0, 7, first.position.end + 1):
        assert journal.line_end(end, 1) == BEGIN


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """The lines of two journals of 50 entries."""
    folder = tmp_path_factory.mktemp("two")
    found = []
    for name in ("one", "other"):
        journal = Journal(folder / f"{name}.games.jsonl")
        journal.append(START, [b'{"%b":%d}' % (name.encode(), number) for number in range(50)])
        found.append(journal.path.read_bytes().splitlines(keepends=True))
    return found


@pytest.mark.parametrize("number", range(1, 51))
def test_each_change_of_each_line_is_seen(journal, two, number):
    """A byte is another, the line is gone, doubled, swapped with the next one, or is that of another
    ledger: the error names the line, and both ways out."""
    lines, others = two
    before, line, after = lines[: number - 1], lines[number - 1], lines[number:]
    damaged = [
        [*before, line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :], *after]
        for at in range(len(line))
    ]
    damaged += [[*before, others[number - 1], *after]] * (
        number > 1
    )  # any line may begin a journal
    if after:
        damaged += [[*before, *after], [*before, after[0], line, *after[1:]]]
    for changed in damaged:
        journal.path.write_bytes(b"".join(changed))
        with pytest.raises(
            LedgerError, match=rf"was edited at line {number}: restore a copy.* --from {number}"
        ):
            list(journal.lines())
    journal.path.write_bytes(b"".join([*before, line, line, *after]))
    with pytest.raises(LedgerError, match=rf"was edited at line {number + 1}: "):
        list(journal.lines())


def test_a_line_that_is_finished_while_it_is_read_is_read_whole(journal):
    """A reader meets the piece of a line, and the writer adds the rest of it."""
    journal.append(START, [b'{"a":1}', b'{"b":2}'])
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-30])
    lines = journal.lines()
    assert next(lines).data == b'{"a":1}'
    with journal.path.open("ab") as file:
        file.write(whole[-30:])
    assert [line.data for line in lines] == [b'{"b":2}']


def test_nothing_is_a_line_after_a_piece_of_one(journal, monkeypatch):
    """A reader met the end of the file in the middle of a line; what it would read next, once the
    writer has gone on, is the rest of that line, and no line."""
    journal.append(START, [b'{"a":1}', b'{"b":2}'])
    first, second = journal.path.read_bytes().splitlines(keepends=True)

    class Growing:
        def __init__(self, *_):
            self.pieces = iter([first, second[:9], second[9:]])

        def seek(self, offset):
            assert offset == 0

        def readline(self, _):
            return next(self.pieces, b"")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(Path, "open", Growing)
    assert texts(journal) == [b'{"a":1}']


def test_a_line_without_end_is_no_line(journal, monkeypatch):
    """It is refused before all of it is in memory."""
    monkeypatch.setattr(journal_module, "LONGEST_LINE", 100)
    journal.path.write_bytes(b"x" * 1000)
    with pytest.raises(LedgerError, match="was edited at line 1"):
        list(journal.lines())


def test_a_torn_end_is_set_aside_whole(journal):
    """The journal ends with its last line feed, and the piece is in a file of its own."""
    aside = journal.path.with_name("x.games.jsonl.torn")
    journal.path.write_bytes(b'{"a":1}\n{"b"')
    assert journal.cut(8, ".torn") == aside
    assert journal.path.read_bytes() == b'{"a":1}\n'
    assert aside.read_bytes() == b'{"b"\n'


def test_a_torn_end_is_on_the_disk_before_it_is_cut_off(journal, monkeypatch):
    """The piece, then the name of its file, and only then the cut."""
    journal.path.write_bytes(b'{"a":1}\n{"b"')
    done = []
    cut = os.ftruncate
    monkeypatch.setattr(
        os, "fsync", lambda fd: done.append(Path(f"/proc/self/fd/{fd}").readlink().name)
    )
    monkeypatch.setattr(os, "ftruncate", lambda fd, size: (done.append("cut"), cut(fd, size)))
    aside = journal.cut(8, ".torn")
    assert done == [aside.name, journal.path.parent.name, "cut"]


@pytest.fixture
def full_at():
    """Files may grow to a given number of bytes and no further, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_an_entry_that_does_not_fit_on_the_disk_leaves_no_trace(journal, full_at):
    """Half of it was written already; the journal ends where it did before."""
    last = journal.append(START, [b'{"a":1}'])
    before = journal.path.read_bytes()
    full_at(100)
    with pytest.raises(LedgerError, match="File too large; what was in it before still is"):
        journal.append(last, [b'{"text":"%b"}' % (b"x" * 100)])
    assert journal.path.read_bytes() == before
    full_at(400)
    journal.append(last, [b'{"text":"%b"}' % (b"x" * 100)])
    assert len(list(journal.lines())) == 2


def test_an_interrupt_in_the_middle_leaves_no_trace(journal, monkeypatch):
    """Ctrl-C between writing and syncing: nobody will be told of the entry, so it goes."""
    last = journal.append(START, [b'{"a":1}'])
    before = journal.path.read_bytes()

    def interrupted(fd: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        journal.append(last, [b'{"b":2}'])
    assert journal.path.read_bytes() == before


def test_the_folder_is_synced_even_where_the_file_was_there(journal, monkeypatch):
    """Who made the file may have been killed before its name was on the disk."""
    journal.path.write_bytes(b"")
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: synced.append(Path(f"/proc/self/fd/{fd}").readlink())
    )
    last = journal.append(START, [b'{"a":1}'])
    journal.append(last, [b'{"b":2}'])
    file, folder = journal.path, journal.path.parent
    assert synced == [file, folder, file]


def test_a_journal_that_is_not_there_is_empty(journal):
    """And reading it makes none."""
    assert (journal.size(), texts(journal)) == (0, [])
    assert journal.line_end(0) == BEGIN
    assert not journal.path.exists()


def test_what_cannot_be_read_is_said(tmp_path):
    """A path that leads through a file is an error of the ledger, and no traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="cannot be read: Not a directory"):
        [*Journal(tmp_path / "file" / "x.games.jsonl").lines()]


def test_entries_are_one_json_value_a_line(journal):
    """So that jq and its kind can read it; each ends with its hash."""
    journal.append(START, [rb'{"text":"two\nlines"}'])
    (entry,) = map(json.loads, journal.path.read_text().splitlines())
    (line,) = journal.lines()
    assert entry == {"text": "two\nlines", "hash": line.position.hash}
