"""Looking a ledger over: what verify finds, what mends it, what a bot's history tells."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from changes import replace
from games import played, void
from judge.contest.bot_games import history
from judge.contest.ledger import order_entries
from judge.contest.ledger import verify as verify_module
from judge.contest.ledger.journal import Journal
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.verify import fault_of, restart, verify
from judge.contest.ledger_games import exported, game
from judge.contest.standings.standings import standings
from judge.documents.game import OfMatch, Termination
from judge.errors import LedgerError, UsageError
from judge.game.variants import VARIANTS
from ledgers import a_match, contents, fill, rewritten, short
from ledgers import void as void_games
from round_robin import RoundRobin


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "ledger.json", 1, 2, 3, 4)


def journal_of(path):
    return path.with_suffix(".games.jsonl")


def first_shot(entries):
    shot = entries[3]["record"]["shots"][0]
    shot[4] = 3 if shot[4] == 1 else 1


FOUND = {
    "a shot that is not what it was": (first_shot, "line 4, game #3: shot 1 is recorded as"),
    "a winner who did not": (
        lambda it: it[3]["record"]["outcome"].update(winner=1, loser=0),
        "line 4, game #3: the recorded outcome is not that of its moves",
    ),
    "another result than the record's": (
        lambda it: it[2]["result"].update(winner=1 - it[2]["result"]["winner"]),
        "line 3, game #2: its result is not what its record gives",
    ),
    "another key than the record's": (
        lambda it: it[2].update(key=32 * "0"),
        "line 3, game #2: its result is not what its record gives",
    ),
    "a record of another number": (
        lambda it: it[2]["record"].update(number=7),
        "line 3, game #2: its record has the number 7",
    ),
    "a game twice": (
        lambda it: it.append({**it[1], "record": {**it[1]["record"], "number": 5}}),
        "line 6, game #5: it is game #1 played again, and both count",
    ),
    "a game under other conditions": (
        lambda it: it[4]["record"]["limits"].update(timeout_ms=5000),
        "line 5, game #4: its result is not what its record gives",
    ),
    "not to the schema": (
        lambda it: it[4]["record"]["seats"][0].update(launch="magic"),
        "line 5, game #4: it is no game record: $.seats[0].launch: ",
    ),
    "a line that is not an entry": (
        lambda it: it[2].pop("result"),
        "was edited at line 3, where it is no journal entry: it has no 'result'",
    ),
    "half a character in an order": (
        lambda it: it.append({"kind": "reset", "bot": "\ud800"}),
        "was edited at line 6, where it holds half a surrogate pair",
    ),
    "half a character in a record": (
        lambda it: it[4]["record"]["outcome"].update(detail="\ud800"),
        "was edited at line 5, where it holds half a surrogate pair",
    ),
    "no header": (lambda it: it.pop(0), "was edited at line 1, which is not a header"),
    "a void of no number": (
        lambda it: it.append({"kind": "void", "games": [2, 9], "reason": "a test"}),
        "was edited at line 6, which cannot be counted: it voids game 9",
    ),
    "an undo of nothing": (
        lambda it: it.append({"kind": "undo", "order": 1}),
        "was edited at line 6, which cannot be counted: it takes back order 1",
    ),
}


@pytest.mark.parametrize(("change", "says"), FOUND.values(), ids=FOUND)
def test_verify_finds_and_names_what_is_wrong(path, change, says):
    """The line, the game and the fault in one sentence, and nothing else, in a journal whose chain
    somebody has made anew; nothing is changed."""
    rewritten(path, change)
    before = contents(path.parent)
    (problem, *rest) = verify(path).problems
    assert says in problem
    assert [one for one in rest if "is not what its journal gives" not in one] == []
    assert contents(path.parent) == before


def test_verify_sees_by_x_json_that_an_order_is_missing(path):
    """Without the cache too; the mend is a copy, since to rebuild would lose the order for good."""
    with Ledger(path) as ledger:
        void_games(ledger, 1)
    lines = journal_of(path).read_bytes().splitlines(keepends=True)
    journal_of(path).write_bytes(b"".join(lines[:-1]))
    path.with_suffix(".games.cache").unlink()
    (problem,) = verify(path).problems
    assert "counts 6 lines, and its journal holds 5: restore a copy of the journal" in problem


def test_verify_beside_a_judge_that_plays_has_no_false_alarm(path):
    """Games that are added meanwhile are in X.json, and not yet among those that were judged."""

    def play(_: int) -> None:
        with Ledger(path) as ledger:
            if ledger.tally.recorded == 4:
                ledger.add(played(seed=5, game_id="meanwhile"))

    assert verify(path, play).problems == ()
    assert verify(path).games == 5


def test_a_sound_ledger_has_no_problems(path):
    """Void games, forfeits, a contest's seed, X.json behind or not there: all is well."""
    with Ledger(path) as ledger:
        ledger.contest_seed(7)
        ledger.add(void(names=("ann", "bob")))
        ledger.add(played(seed=5, game_id="whole"))
        ledger.order(partial(order_entries.void, games=[2], reason="a test"))
    assert verify(path).problems == ()
    old = path.read_bytes()
    with Ledger(path) as ledger:
        ledger.order(partial(order_entries.disqualify, bot="cid", reason="another"))
        ledger.order(partial(order_entries.reset, bot="ann"))
        ledger.order(partial(order_entries.retire, bot="ann"))
        ledger.add(short(7))
        ledger.order(partial(order_entries.undo, number=1))
        ledger.order(partial(order_entries.void, games=[1], reason="a test"))
    found = verify(path)
    assert (found.problems, found.games, found.behind) == ((), 7, 0)
    table = standings(read(path)).document
    counted = (found.void, found.voided, found.disqualified_games)
    assert counted == (table.void, table.voided, table.disqualified_games)
    assert found.games == table.games + sum(counted)
    assert found.voided
    assert found.disqualified_games
    path.write_bytes(old)
    found = verify(path)
    assert (found.problems, found.behind) == ((), 1)
    path.unlink()
    found = verify(path)
    assert (found.problems, found.behind) == ((), 7)
    with journal_of(path).open("ab") as file:
        file.write(b"torn")
    found = verify(path)
    assert (found.problems, found.torn) == ((), 4)


@pytest.mark.parametrize("window", [1, 3])
def test_verify_finds_the_same_with_a_pool(path, monkeypatch, window):
    """Whatever the size of its batches; and what a task takes and gives can be sent to another
    process."""
    rewritten(path, first_shot)
    monkeypatch.setattr(verify_module, "BATCH", 2)
    with ThreadPoolExecutor(2) as pool:
        found = verify(path, pool=pool, window=window)
    assert found == verify(path)
    assert len(found.problems) == 1
    judge = partial(fault_of, conditions=read(path).table.conditions, seed=None)
    _, *games = enumerate(Journal(journal_of(path)).lines())
    sent, given = pickle.loads(pickle.dumps((judge, games)))
    assert [bool(sent(game)) for game in given] == [False, False, True, False]


@pytest.mark.parametrize("number", range(1, 6))
def test_restart_goes_on_after_the_line_before(path, number):
    """That line and all after it lie in a file of their own, and the ledger is that of those before
    it, whether the cache was there or not."""
    lines = journal_of(path).read_bytes().splitlines(keepends=True)
    spoilt = [*lines[: number - 1], lines[number - 1].replace(b"{", b"[", 1), *lines[number:]]
    journal_of(path).write_bytes(b"".join(spoilt))
    aside, first, tally = restart(path, number)
    assert first == number
    assert aside.name == f"ledger.games.jsonl.from{number}"
    assert aside.read_bytes() == b"".join(spoilt[number - 1 :])
    assert journal_of(path).read_bytes() == b"".join(lines[: number - 1])
    assert (tally.recorded, verify(path).problems) == (max(0, number - 2), ())
    fill(path, 1, 2, 3, 4)
    assert read(path).recorded == 4


def test_restart_splits_no_match(tmp_path):
    """The games of a match that is not over before that line go with it; those of one that is over
    stay."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        ledger.add_all(a_match(3))
        ledger.add_all(a_match(3, seed=50))
    aside, first, tally = restart(path, 7)
    assert (first, tally.recorded, tally.table.games) == (5, 3, 3)
    assert len(aside.read_bytes().splitlines()) == 3


def test_restart_leaves_a_match_that_a_forfeit_ended(tmp_path):
    """It is over before its last game."""
    path = tmp_path / "ledger.json"
    *_, lost = a_match(2, error=True)
    with Ledger(path) as ledger:
        ledger.add_all([a_match(3)[0], replace(lost, match=OfMatch("m", 2, 3))])
        ledger.add(a_match(3, seed=50)[0])
    _, first, tally = restart(path, 4)
    assert (first, tally.table.unfinished, tally.recorded) == (4, 0, 2)


def test_restart_changes_nothing_if_a_line_before_was_edited_or_there_is_none(path):
    """The sentence names the line to begin from."""
    lines = journal_of(path).read_bytes().splitlines(keepends=True)
    journal_of(path).write_bytes(b"".join([lines[0], lines[1][1:], *lines[2:]]))
    before = contents(path.parent)
    with pytest.raises(LedgerError, match=r"was edited at line 2: .* --from 2"):
        restart(path, 4)
    journal_of(path).write_bytes(b"".join(lines))
    with pytest.raises(UsageError, match="has no line 6"):
        restart(path, 6)
    journal_of(path).write_bytes(b"".join([lines[0], lines[1][1:], *lines[2:]]))
    assert contents(path.parent) == before


def test_verify_tells_how_far_it_is(path):
    """It tells the bytes done with each game, and with the last game they are all."""
    told = []
    verify(path, told.append)
    assert len(told) == 4
    assert sum(told) == journal_of(path).stat().st_size
    assert min(told) > 0


def test_a_history_is_one_bots_games_in_order(path):
    """With the points before and after, that join up, and end where the standings are."""
    with Ledger(path) as ledger:
        ledger.add(void(names=("ann", "bob")))
        ledger.add(played(seed=5, game_id="whole", names=("bob", "ann")))
        ledger.order(partial(order_entries.void, games=[3], reason="it rained"))
    games = [one.game for one in history(path, "ann")]
    assert [one.id for one in games] == ["g2", "g3", "0-1", "whole"]
    assert [one.opponent for one in games] == ["cid", "bob", "bob", "bob"]
    assert games[0].points_before == 10.0
    assert games[-1].points_after == read(path).table.points_of("ann")
    assert [one.points_before for one in games[1:]] == [one.points_after for one in games[:-1]]
    assert [one.voided for one in games] == [None, "it rained", None, None]
    assert games[1].points_before == games[1].points_after
    assert games[2].result == "void"
    won = played(seed=5, names=("bob", "ann")).outcome.winner == 1
    assert games[3].result == ("won" if won else "lost")


def test_a_history_has_the_bots_own_forfeits_with_their_evidence(path):
    """And not its opponent's."""
    with Ledger(path) as ledger:
        ledger.add(short(9, "eve", "bob", stderr="what went wrong"))
    (eve,) = history(path, "eve")
    bob = list(history(path, "bob"))[-1]
    assert (eve.forfeit, eve.game.result, bob.game.result) == (None, "won", "lost")
    assert (eve.game.termination, bob.game.termination) == (Termination.CRASH, Termination.CRASH)
    assert bob.forfeit.termination is Termination.CRASH
    assert bob.forfeit.evidence.stderr == "what went wrong"
    assert bob.game.detail == "did what no bot should"


def test_a_history_tells_when_a_bots_files_changed(path):
    """At the first game with other files than in the one before."""
    with Ledger(path) as ledger:
        for number, digest in enumerate(["old", "old", "new", None, "new"], 10):
            record = short(number, "eve", "bob")
            seats = (replace(record.seats[0], digest=digest), record.seats[1])
            ledger.add(replace(record, seats=seats))
    assert [one.game.changed for one in history(path, "eve")] == [False, False, True, True, True]


def test_a_history_of_nobody_is_refused(path):
    """By name."""
    with pytest.raises(UsageError, match="eve has played no game there"):
        list(history(path, "eve"))


def test_a_game_is_found_by_its_id_and_the_last_without(path):
    """Whole, as it was recorded."""
    with Ledger(path) as ledger:
        ledger.order(partial(order_entries.void, games=[4], reason="a test"))
    assert game(path, "g2") == replace(short(2, "cid", "ann"), number=2)
    assert game(path).id == "g4"
    with pytest.raises(UsageError, match="there is no game g9"):
        game(path, "g9")


def test_a_ledger_without_games_has_no_last_one(tmp_path):
    """Only a seed."""
    with Ledger(tmp_path / "new.json") as ledger:
        ledger.contest_seed(7)
    with pytest.raises(UsageError, match="no game in it yet"):
        game(tmp_path / "new.json")


def test_what_is_not_there_cannot_be_looked_over(tmp_path, path):
    """No ledger is what was typed; one without its journal is an error of its own."""
    for look in (verify, game, lambda path: list(history(path, "ann"))):
        with pytest.raises(UsageError, match="there is no such ledger"):
            look(tmp_path / "none.json")
    journal_of(path).unlink()
    with pytest.raises(LedgerError, match=r"its journal .* is not"):
        verify(path)


def test_verify_finds_a_contests_game_under_another_id(tmp_path):
    """The id of a contest's game tells its bots and its seed; what does not fit it is told."""
    schedule = RoundRobin(("ann", "bob"), VARIANTS["brainjar"], 7, rounds=1)
    pairing = next(iter(schedule))
    game = replace(
        played(seed=pairing.seed, names=pairing.names, bot_seeds=pairing.bot_seeds),
        id=pairing.id,
        first=pairing.first,
    )
    contest = pairing.id.split(":")[3]
    for id_, seed, problems in (
        (pairing.id, pairing.seed, 0),
        (pairing.id.replace("bob", "rob"), pairing.seed, 1),
        (pairing.id, pairing.seed + 1, 1),
        (f"{pairing.id[:-1]}2", pairing.seed, 1),
        (pairing.id.replace(contest, "9" * 500), pairing.seed, 0),  # no contest's of any judge
    ):
        path = tmp_path / f"{problems}{len(list(tmp_path.iterdir()))}.json"
        with Ledger(path) as ledger:
            ledger.contest_seed(7)
            ledger.add(replace(game, id=id_, seed=seed))
        found = verify(path).problems
        assert len(found) == problems, (id_, found)
        assert all("the id is not that of a game of these bots" in one for one in found)


def test_the_games_that_count_are_exported_in_order(path):
    """A void game is not, nor is one that an order has taken out."""
    with Ledger(path) as ledger:
        ledger.add(void(names=("ann", "bob")))
        ledger.order(partial(order_entries.void, games=[3], reason="it rained"))
    games = [*exported(path)]
    assert [(one.number, one.id) for one in games] == [(1, "g1"), (2, "g2"), (4, "g4")]
    for one in games:
        assert one.winner == next(name for name in one.bots if name not in one.forfeits)
