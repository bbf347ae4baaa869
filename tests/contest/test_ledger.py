"""The ledger while nobody dies: adding, reading, voiding, and every way it can be unusable."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

from changes import replace
from games import introduced, match, played
from judge import schemas
from judge.contest import bot_games
from judge.contest.ledger import fold, order_entries
from judge.contest.ledger.journal import Journal
from judge.contest.ledger.ledger import Ledger, Repeated, read
from judge.contest.ledger.verify import rebuild, verify
from judge.contest.ledger_games import games_begun
from judge.contest.seeds import spelled
from judge.documents.game import Termination
from judge.documents.ledger import WonLostTied
from judge.errors import LedgerError, UsageError
from judge.game.variants import VARIANTS
from ledgers import NAMES, contents, fill, short, void

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


@pytest.fixture
def journal(path):
    return path.with_suffix(".games.jsonl")


# Adding


def test_a_game_is_returned_with_the_points_around_it(path):
    """Before and after, seat by seat; a bot that is new has 10."""
    with Ledger(path) as ledger:
        first = ledger.add(played(seed=1), numbered=True)
        second = ledger.add(played(seed=1, bot_seeds=(5, 6)), numbered=True)
    winner = first.record.outcome.winner
    assert first.before == (10.0, 10.0)
    assert first.after[winner] == second.before[winner] == 10.5
    assert second.after[winner] == 10.5 + 0.05 * 10


def test_games_are_numbered_through_all_runs(path, journal):
    """By their place among the games of the journal, whatever else is in it; a numbered game has
    that for its id as well."""
    with Ledger(path) as ledger:
        ledger.contest_seed(7)
        assert ledger.add(played(seed=1), numbered=True).record.id == "1"
        assert ledger.add(short(5)).record.id == "g5"
        void(ledger, 2)
    with Ledger(path) as ledger:
        assert ledger.add(played(seed=2), numbered=True).record.id == "3"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    games = [line["record"] for line in lines if line["kind"] == "game"]
    assert [game["number"] for game in games] == [1, 2, 3]


def test_a_game_that_is_there_is_not_added_again(path):
    """It gets the number of the one that counts, and there is not a byte more, in this run and in
    the next; its times, and how it was launched and held, make no difference."""
    with Ledger(path) as ledger:
        points = ledger.add(short(1)).after
        assert ledger.add(short(1)) == Repeated("g1", 1, None, points)
    before = contents(path.parent)
    other = replace(short(1), isolation="bwrap", started="2031-01-01T00:00:00.000Z", id="other")
    other = replace(other, seats=tuple(replace(seat, launch="fork") for seat in other.seats))
    with Ledger(path) as ledger:
        assert ledger.add(other, numbered=True) == Repeated("other", 1, None, points)
        assert not ledger.is_played(None)
    assert contents(path.parent) == before


def test_how_a_game_went_otherwise_is_said(path):
    """The first thing that differs is said, and who won instead."""
    one = played(seed=1)
    loses = played(seed=1, forfeit=(one.outcome.winner, Termination.CRASH), after=5)
    moved = replace(one, shots=(one.shots[1], *one.shots[1:]))
    placed = replace(one, seats=(replace(one.seats[0], fleet=one.seats[1].fleet), one.seats[1]))
    winner, loser = (one.seats[seat].name for seat in (one.outcome.winner, one.outcome.loser))
    at = len(loses.shots)
    with Ledger(path) as ledger:
        ledger.add(one)
        said = [ledger.add(again).difference for again in (one, loses, moved, placed)]
    assert said == [
        None,
        f"after shot {at} the games differ, and it was won by {winner} then and by {loser} now",
        "shot 1 was another",
        "hunter had another fleet",
    ]


def test_a_void_game_may_be_played_again(path):
    """It counts for nobody, so the same game is added, and is the one that counts."""
    with Ledger(path) as ledger:
        ledger.add(played(seed=1), numbered=True)
        void(ledger, 1)
        assert ledger.add(played(seed=1), numbered=True).record.number == 2
        assert ledger.add(played(seed=1), numbered=True).number == 2


def test_a_game_of_a_person_is_like_no_other(path):
    """Nobody's course can be told by a seed; the same goes for a game without one."""
    record = short(1)
    person = replace(record.seats[0], wire=None, dialect=None, launch=None)
    with Ledger(path) as ledger:
        for _ in range(2):
            ledger.add(replace(record, seats=(person, record.seats[1])), numbered=True)
            ledger.add(replace(record, seed=None), numbered=True)
    assert read(path).recorded == 4


def test_what_is_written_is_to_the_schemas(path, journal):
    """The standings, and every line of the journal."""
    with Ledger(path) as ledger:
        ledger.contest_seed(7)
        for record in match(4):
            ledger.add(record)
        void(ledger, 2)
        for give in (
            partial(order_entries.reset, bot="hunter"),
            partial(order_entries.retire, bot="hunter"),
            partial(order_entries.disqualify, bot="random", reason="a test"),
            partial(order_entries.undo, number=1),
        ):
            ledger.order(give)
    assert schemas.problem("ledger", json.loads(path.read_text())) is None
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [schemas.problem("journal-entry", line) for line in lines] == [None] * 11


def test_the_same_games_give_the_same_bytes_whatever_it_is_called(tmp_path):
    """Neither the name, nor the folder, nor times, nor how many runs it took, are in it."""
    (tmp_path / "sub").mkdir()
    one, other = tmp_path / "a.json", tmp_path / "sub" / "other.json"
    fill(one, 1, 2, 3)
    fill(other, 1)
    with Ledger(other) as ledger:
        for number in (2, 3):
            late = short(number, NAMES[number % 3], NAMES[(number + 1) % 3])
            ledger.add(replace(late, started="2031-01-01T00:00:00.000Z"))
    assert one.read_bytes() == other.read_bytes()


def test_x_json_is_written_once_a_second_at_most(path):
    """However many games are added; and always at the end."""
    now = [0.0]
    written = []
    with Ledger(path, clock=lambda: now[0]) as ledger:
        for number in range(30):
            now[0] += 0.3
            ledger.add(short(number))
            if path.exists():
                written.append(json.loads(path.read_text())["recorded"])
    assert sorted(set(written)) == [4, 8, 12, 16, 20, 24, 28]
    assert json.loads(path.read_text())["recorded"] == 30


def test_saving_takes_a_twentieth_of_the_time_at_most(path):
    """A save that takes long, as that of a large table does, makes the next one that much later."""
    seconds = itertools.count()  # one passes with each look, so that a save takes one
    written = []
    with Ledger(path, clock=lambda: next(seconds)) as ledger:
        for number in range(60):
            ledger.add(short(number))
            if path.exists():
                written.append(json.loads(path.read_text())["recorded"])
    assert sorted(set(written)) == [1, 21, 41]


def test_two_open_ledgers_take_in_each_others_games(path):
    """Turn by turn, on one fold, whoever saves last."""
    records = [short(number) for number in range(6)]
    with Ledger(path.with_name("alone.json")) as alone:
        expected = [alone.add(record) for record in records]
    with Ledger(path) as one, Ledger(path) as other:
        rated = [(one, other)[number % 2].add(record) for number, record in enumerate(records)]
        assert other.add(records[0]).number == 1
    assert rated == expected
    assert path.read_bytes() == path.with_name("alone.json").read_bytes()


def test_a_run_that_is_behind_never_takes_x_json_back(path):
    """Who saves takes in first what others have added."""
    one = Ledger(path)
    one.add(short(1))
    fill(path, 2, 3)
    one.save()
    assert json.loads(path.read_text())["recorded"] == 3


# Reading


def test_a_ledger_knows_who_its_bots_are(path):
    """From the cache and without it alike."""
    with Ledger(path) as ledger:
        ledger.add(introduced(short(1), ann=("Salvo", "Ann & Ed")))
    for _ in range(2):
        assert read(path).people["ann"] == ("Salvo", "Ann & Ed")
        path.with_suffix(".games.cache").unlink(missing_ok=True)


def test_reading_counts_what_the_cache_lacks_and_writes_nothing(path):
    """Whether it lags behind the journal or is not there at all."""
    cache = path.with_suffix(".games.cache")
    fill(path, 1, 2)
    old = cache.read_bytes()
    fill(path, 3)
    new = contents(path.parent)
    cache.write_bytes(old)
    assert read(path).recorded == 3
    assert cache.read_bytes() == old
    for data in (None, b"", b"\x00", old[:-3], new["ledger.json"]):
        cache.unlink(missing_ok=True)
        if data is not None:
            cache.write_bytes(data)
        before = contents(path.parent)
        assert read(path).recorded == 3
        assert contents(path.parent) == before
    fill(path)
    assert contents(path.parent) == new


def test_reading_needs_no_lock(path):
    """A writer may hold it for ever."""
    fill(path, 1)
    with Ledger(path) as ledger, ledger._adding():
        assert read(path).recorded == 1


def test_what_looks_like_damage_only_once_is_none(path, journal):
    """A reader may meet a line in the instant in which a writer cuts it off."""
    fill(path, 1)
    whole = journal.read_bytes()
    opened = 0

    def cut_off(event, arguments):
        """Once the damaged journal has been read, and the reader begins anew."""
        nonlocal opened
        if event == "open" and arguments[0] == str(journal) and opened is not None:
            opened += 1
            if opened == 3:
                os.truncate(journal, len(whole))

    journal.write_bytes(whole + b"garbage\n")
    sys.addaudithook(cut_off)
    assert read(path).recorded == 1
    assert opened >= 3
    opened = None


def test_a_ledger_that_nobody_played_on_leaves_no_files(path):
    """A run that is refused before its first game makes no ledger."""
    fill(path)
    assert contents(path.parent) == {}
    with pytest.raises(UsageError, match="there is no such ledger"):
        read(path)


# Notes


def test_another_open_run_honours_a_void_game(path):
    """The next game that it adds is rated without it."""
    with Ledger(path) as one, Ledger(path) as other:
        one.add(short(1))
        void(other, 1)
        assert one.add(short(3)).before == (10.0, 10.0)


REFUSED = {
    "a game that is not there": (
        partial(order_entries.void, games=[1, 9, 3], reason="a test"),
        "there is no game #3, #9: its last game is #2",
    ),
    "no game": (partial(order_entries.void, games=[], reason="a test"), "no such game that counts"),
    "no reason": (
        partial(order_entries.void, games=[1], reason=" "),
        "say why game #1 should be void",
    ),
    "void already": (
        partial(order_entries.void, games=[1, 2], reason="a test"),
        "game #2 is void already",
    ),
    "retired already": (
        partial(order_entries.retire, bot="cid"),
        "cid is retired already, by order 2",
    ),
    "disqualified already": (
        partial(order_entries.disqualify, bot="bob", reason="again"),
        "bob is disqualified already, by order 3",
    ),
    "a reset of who has played nothing": (
        partial(order_entries.reset, bot="ann"),
        "ann has played no game that counts",
    ),
    "no order": (
        partial(order_entries.undo, number=9),
        "order 9 is not in force; the last in force is 3",
    ),
    "taken back already": (partial(order_entries.undo, number=4), "order 4 is not in force"),
}


@pytest.mark.parametrize(("give", "says"), REFUSED.values(), ids=REFUSED)
def test_an_order_that_makes_no_sense_is_refused(path, give, says):
    """The user is told, and nothing is written."""
    fill(path, 1, 2)
    with Ledger(path) as ledger:
        void(ledger, 2)
        ledger.order(partial(order_entries.retire, bot="cid"))
        ledger.order(partial(order_entries.disqualify, bot="bob", reason="a test"))
        ledger.order(partial(order_entries.retire, bot="ann"))
        ledger.order(partial(order_entries.undo, number=None))
    before = contents(path.parent)
    with Ledger(path) as ledger, pytest.raises(UsageError, match=says):
        ledger.order(give)
    assert contents(path.parent) == before


def test_an_order_whose_games_were_played_again_stays(path):
    """Taken back, it would make a game count twice. It can be once the later game does not count."""
    with Ledger(path) as ledger:
        for number in (1, 2):
            ledger.add(short(number))
        void(ledger, 1)
        ledger.add(short(1))
        with pytest.raises(UsageError, match=r"order 1 cannot be taken back.* twice: #1 as #3; "):
            ledger.order(partial(order_entries.undo, number=1))
        assert ledger.tally.table.games == 2
        void(ledger, 3)
        ledger.order(partial(order_entries.undo, number=1))
        assert ledger.tally.table.games == 2


def test_the_order_about_the_later_of_two_same_games_stays_too(path):
    """Whichever was played first, the game that counts is the one to be voided."""
    with Ledger(path) as ledger:
        ledger.add(short(1))
        void(ledger, 1)
        ledger.add(short(1))
        void(ledger, 2)
        ledger.order(partial(order_entries.undo, number=1))
        with pytest.raises(UsageError, match="twice: #1 as #2; first take one of each two out"):
            ledger.order(partial(order_entries.undo, number=2))
        void(ledger, 1)
        ledger.order(partial(order_entries.undo, number=2))
        assert ledger.tally.orders.voided == {1: 3}


def test_games_that_a_disqualified_bot_played_again_do_not_all_come_back(path):
    """They count for nobody, so each may be played again; but only one of them may count."""
    with Ledger(path) as ledger:
        ledger.add(short(1))
        ledger.order(partial(order_entries.disqualify, bot="bob", reason="a test"))
        for _ in range(2):
            ledger.add(short(1))
        says = "twice: #1 as #2, #1 as #3; first take one"
        with pytest.raises(UsageError, match=says):
            ledger.order(partial(order_entries.undo, number=1))
        void(ledger, 2, 3)
        ledger.order(partial(order_entries.undo, number=1))
        assert ledger.tally.table.games == 1


def test_without_an_order_there_is_none_to_take_back(path):
    """Nor where all are taken back."""
    fill(path, 1)
    with Ledger(path) as ledger:
        with pytest.raises(UsageError, match="there is no order to take back"):
            ledger.order(partial(order_entries.undo, number=None))
        void(ledger, 1)
        ledger.order(partial(order_entries.undo, number=None))
        assert ledger.tally.table.games == 1
        with pytest.raises(UsageError, match="there is no order to take back"):
            ledger.order(partial(order_entries.undo, number=None))


def test_a_contest_keeps_its_first_seed(path):
    """In this run, in the next, and for two that begin at once."""
    with Ledger(path) as one, Ledger(path) as other:
        assert one.contest_seed(10**39 - 1) == 10**39 - 1
        assert other.contest_seed(8) == 10**39 - 1
    with Ledger(path) as ledger:
        assert ledger.contest_seed(9) == 10**39 - 1
    assert json.loads(path.read_text())["seed"] == spelled(10**39 - 1)


def test_a_game_of_three_is_won_over_each_of_the_others(path):
    """A single winner gains a twentieth of what each of the others has; the same by a rebuild."""
    record = played(VARIANTS["xbs"], names=("a", "b", "c"))
    winner = record.outcome.winner
    assert winner is not None
    with Ledger(path) as ledger:
        rated = ledger.add(record, numbered=True)
        assert rated.before == (10.0,) * 3
        assert rated.after == tuple(11.0 if seat == winner else 10.0 for seat in range(3))
        table = ledger.tally.table
        assert (table.games, sorted(table.bots)) == (1, ["a", "b", "c"])
    assert verify(path).problems == ()
    assert [game.opponents for game in bot_games.history(path, "b")] == [("a", "c")]
    before = contents(path.parent)
    rebuild(path)
    assert contents(path.parent) == before


# What cannot be recorded


def test_a_bot_against_itself_is_refused(path):
    """It would win and lose points at once."""
    with Ledger(path) as ledger, pytest.raises(UsageError, match="ann against itself"):
        ledger.add(short(1, "ann", "ann"))


def test_a_number_that_json_cannot_hold_is_refused(path):
    """A time that is no number is not a valid record; nothing is written."""
    record = short(1)
    seats = (replace(record.seats[0], ms=float("inf")), record.seats[1])
    with Ledger(path) as ledger, pytest.raises(LedgerError, match=r"seats\[0\]\.ms"):
        ledger.add(replace(record, seats=seats))
    assert contents(path.parent) == {}


# What cannot be used


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def journal_to_folder(path: Path) -> None:
    path.with_suffix(".games.jsonl").unlink()
    path.with_suffix(".games.jsonl").mkdir()


def cut(end: int):
    def spoil(path: Path) -> None:
        journal = path.with_suffix(".games.jsonl")
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:end]))

    return spoil


def without_order(path: Path) -> None:
    with Ledger(path) as ledger:
        void(ledger, 1)
    cut(3)(path)


SPOILT = {
    "a folder": (to_folder, UsageError, r"is a folder; --ledger names a file"),
    "a journal that is a folder": (
        journal_to_folder,
        UsageError,
        r"games\.jsonl is not a file, and a journal is",
    ),
    "no journal": (
        lambda path: path.with_suffix(".games.jsonl").unlink(),
        LedgerError,
        r"ledger\.json is there, but its journal .*games\.jsonl is not",
    ),
    "an empty journal": (cut(0), LedgerError, "3 of 3 lines are missing at the end"),
    "a journal without its last game": (
        cut(2),
        LedgerError,
        r"1 of 3 lines are missing at the end.*restore a copy of it, or remove ledger\.games\.cache",
    ),
    "a journal without its last order": (
        without_order,
        LedgerError,
        r"1 of 4 lines are missing at the end.*restore a copy of it, or remove ledger\.games\.cache",
    ),
}


@pytest.mark.parametrize(("spoil", "kind", "says"), SPOILT.values(), ids=SPOILT)
def test_a_ledger_that_cannot_be_trusted_stays_as_it_is(path, spoil, kind, says):
    """One sentence names the file, for who reads and for who would add, and not a byte is changed."""
    fill(path, 1, 2)
    spoil(path)
    before = contents(path.parent)
    with pytest.raises(kind, match=says):
        Ledger(path)
    with pytest.raises(kind, match=says):
        read(path)
    assert contents(path.parent) == before


def test_x_json_is_never_read(path):
    """Whatever it holds, the games of the journal count, and the next game that is added replaces it;
    `verify` says that it differs."""
    fill(path, 1, 2)
    for data in (b"", b"{half", b'{"version":5}', b"\xff\xfe\x00"):
        path.write_bytes(data)
        assert read(path).recorded == 2
        assert "ledger.json" in verify(path).problems[0]
        assert "judge ledger rebuild" in verify(path).problems[0]
    fill(path, 3)
    assert json.loads(path.read_bytes())["recorded"] == 3
    assert verify(path).problems == ()


def test_rebuild_computes_x_json_whatever_it_held(path):
    """From the journal alone: the bytes that were there before."""
    fill(path, 1, 2, 3)
    good = path.read_bytes()
    for bad in (b"", b"{}", b'{"version":0}'):
        path.write_bytes(bad)
        assert rebuild(path).recorded == 3
        assert path.read_bytes() == good


def test_rebuild_needs_a_journal(path):
    """And says that there is no ledger."""
    with pytest.raises(UsageError, match=r"ledger\.json: there is no such ledger"):
        rebuild(path)


LATE = (Path(__file__).read_bytes())[:3000].replace(b"\n", b" ")


@pytest.mark.parametrize("torn", [b"{", LATE, bytes(50)])
def test_a_torn_last_line_is_set_aside_and_said(path, journal, torn):
    """The piece is kept, a sentence says where, and the game may be added anew."""
    fill(path, 1, 2)
    good = contents(path.parent)
    with journal.open("ab") as file:
        file.write(torn)
    assert read(path).recorded == 2  # a reader leaves it to the next writer
    with Ledger(path) as ledger:
        assert len(ledger.notices) == 1
        assert "the piece is set aside in" in ledger.notices[0]
        assert ledger.add(short(7)) is not None
    aside = path.with_name("ledger.games.jsonl.torn")
    assert aside.read_bytes() == torn + b"\n"
    assert contents(path.parent)["ledger.games.jsonl"].startswith(good["ledger.games.jsonl"])
    assert read(path).recorded == 3


def test_a_torn_line_of_another_run_is_set_aside_in_the_middle_of_this(path, journal):
    """The other was killed while this one was playing."""
    with Ledger(path) as ledger:
        ledger.add(short(1))
        with journal.open("ab") as file:
            file.write(LATE[:100])
        ledger.add(short(2))
        assert len(ledger.notices) == 1
    assert rebuild(path).recorded == 2


@pytest.mark.parametrize("at", range(1, 4))
def test_a_signal_in_the_middle_of_counting_counts_nothing_twice(path, monkeypatch, at):
    """Interrupted while an entry is taken in, a run still saves the table of its journal."""
    entered = 0

    def enter_and_be_interrupted(*given, **more):
        nonlocal entered
        entered += 1
        found = enter(*given, **more)
        if entered == at:
            raise KeyboardInterrupt
        return found

    enter = fold.enter
    # The signal has to come between two instructions, where no program can have it come.
    monkeypatch.setattr("judge.contest.ledger.fold.enter", enter_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        fill(path, 1, 2, 3)
    games = path.with_suffix(".games.jsonl").read_bytes().count(b'{"kind":"game"')
    assert json.loads(path.read_bytes())["recorded"] == games
    assert verify(path).problems == ()


def test_a_journal_that_shrinks_under_a_run_stops_it(path, journal):
    """Somebody has removed or replaced it."""
    ledger = Ledger(fill(path, 1, 2))
    journal.write_bytes(b"")
    with pytest.raises(LedgerError, match="has become shorter since it was read"):
        ledger.add(short(3))


# Places


def test_names_that_cannot_be_a_ledger_are_refused(tmp_path):
    """Each with the reason, before any file is made."""
    for name, says in {
        "ledger": "name ends in .json",
        "x.games.jsonl": "name ends in .json",
        "no/ledger.json": "there is no folder",
    }.items():
        for use in (Ledger, read, rebuild):
            with pytest.raises(UsageError, match=says):
                use(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_link_to_a_ledger_stays_a_link(tmp_path):
    """The journal and the lock are beside the file that it leads to: one ledger, two names."""
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "ledger.json", tmp_path / "link.json"
    link.symlink_to(real)
    fill(link, 1)
    fill(real, 2)
    assert link.is_symlink()
    assert read(link) == read(real)
    kept = {"ledger.json", "ledger.games.jsonl", "ledger.games.cache"}
    assert set(contents(tmp_path / "real")) == kept


def test_the_permissions_of_x_json_stay(path):
    """Replacing the file keeps its mode; a new one has that of any new file."""
    fill(path, 1)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    fill(path, 2)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_games_are_safe_where_x_json_cannot_be_written(path):
    """The error says so, and X.json is as it was; the next opening makes it good."""
    fill(path, 1)
    before = path.read_bytes()
    blocked = path.with_name(".ledger.json.new")
    blocked.mkdir()
    with pytest.raises(LedgerError, match="every game is safe in its journal"):
        fill(path, 2)
    assert path.read_bytes() == before
    assert read(path).recorded == 2
    blocked.rmdir()
    fill(path)
    assert json.loads(path.read_text())["recorded"] == 2


def test_an_error_on_its_way_out_is_not_replaced(path):
    """Interrupted while X.json cannot be written: it is the interrupt that is told."""
    path.with_name(".ledger.json.new").mkdir()

    def interrupted() -> None:
        with Ledger(path) as ledger:
            ledger.add(short(1))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert read(path).recorded == 1


NOBODY = """
import os, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from judge.contest.ledger.ledger import Ledger, read
from ledgers import short
import jsonschema
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
path = Path(sys.argv[1])
print("read", read(path).recorded)
try:
    with Ledger(path) as ledger:
        ledger.add(short(2))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def open_folder():
    """A folder that any user may look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_nobody(path: Path) -> str:
    run = subprocess.run(
        [sys.executable, "-c", NOBODY, path, ROOT, ROOT / "tests" / "support"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.whole
def test_a_read_only_folder_can_be_read_and_says_that_it_is(open_folder):
    """The sentence names the folder and both ways out."""
    path = fill(open_folder / "ledger.json", 1)
    for file in open_folder.iterdir():
        file.chmod(0o444)
    open_folder.chmod(0o555)
    before = contents(open_folder)
    told = as_nobody(path)
    open_folder.chmod(0o755)
    assert "read 1\n" in told
    assert f"LedgerError no ledger can be kept in {open_folder}: Permission denied" in told
    assert "--no-ledger" in told
    assert contents(open_folder) == before


@pytest.mark.whole
def test_a_read_only_journal_is_said_before_a_game_is_played(open_folder):
    """Opening it for adding fails already."""
    path = fill(open_folder / "ledger.json", 1)
    path.with_suffix(".games.jsonl").chmod(0o444)
    (open_folder / ".ledger.json.lock").unlink()
    open_folder.chmod(0o777)
    told = as_nobody(path)
    assert "LedgerError" in told
    assert "ledger.games.jsonl cannot be written: it is read-only" in told


def test_where_no_file_can_be_made_is_said_at_once() -> None:
    """A place such as /proc, where a lock cannot be made, is not a place to wait in for ever."""
    with pytest.raises(LedgerError, match="no ledger can be kept in /proc"):
        Ledger(Path("/proc/x.json"))


# Games that have begun


def test_a_game_that_has_begun_counts_once_it_is_over(path, journal):
    """It is an entry that counts for nothing; of those begun, the games that are not added stay."""
    first, second = short(1), short(2, "cid", "dan")
    with Ledger(path) as ledger:
        ledger.begin(first)
        ledger.begin(second)
        assert games_begun(path) == [first, second]
        assert (ledger.tally.recorded, ledger.tally.versions) == (0, {})
        rated = ledger.add(first)
        assert (rated.record.number, rated.record.id) == (1, "g1")
        assert games_begun(path) == [second]
    before = contents(path.parent)
    assert verify(path).problems == ()
    with Ledger(path) as ledger:
        assert games_begun(path) == [second]
    rebuild(path)
    assert contents(path.parent) == before
    for line in journal.read_bytes().splitlines():
        assert schemas.problem("journal-entry", json.loads(line)) is None


FORGED = {
    "a pair of nobody": lambda tally: tally.table.pairs[0].update({10**9: WonLostTied(1)}),
    "fewer games than none": lambda tally: setattr(tally.table, "games", -7),
    "a pair of less than no games": lambda tally: tally.table.pairs[0].update({1: WonLostTied(-5)}),
    "no results": lambda tally: tally.table.version_tallies.clear(),
    "no bots": lambda tally: tally.table.bots.clear(),
    "no versions": lambda tally: tally.versions.clear(),
    "no games, and a table": lambda tally: setattr(tally, "recorded", 0),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_cache_that_makes_no_sense_is_made_anew(path, journal, forge):
    """It may be a stranger's; the journal says what counts."""
    fill(path, 1, 2, 3)
    honest = read(path)
    forged = fold.Fold(Journal(journal))
    forge(forged.tally)
    forged.save(path)
    assert read(path) == honest


@pytest.mark.parametrize("offset", [None, 0, 7, 2**63], ids=range(4))
def test_a_cache_with_wrong_offsets_is_made_anew_or_refused(path, journal, offset):
    """One sentence names the cache if a game is looked for at a wrong place."""
    fill(path, 1, 2, 3)
    forged = fold.Fold(Journal(journal))
    forged._games = bytearray(() if offset is None else (bytes(16) + offset.to_bytes(8)) * 3)
    forged.save(path)
    found = fold.Fold(Journal(journal))
    if offset is None:
        assert found.game(2).result.id == "g2"
    else:
        with pytest.raises(LedgerError, match=r"games\.cache does not fit .*: remove"):
            found.game(2)
