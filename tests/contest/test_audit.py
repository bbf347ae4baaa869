"""Looking a ledger over: what verify finds, what a bot's history tells, which game is which."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from changes import replace
from games import played, void
from judge.contest.bot_games import history
from judge.contest.journal import audit, order_entries
from judge.contest.journal.audit import game, last_game, verify
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.standings.standings import standings
from judge.documents.game import Termination
from judge.errors import LedgerError, UsageError
from judge.game.variants import VARIANTS
from ledgers import another_journal, contents, fill, short, spoil_line, x_json
from round_robin import RoundRobin


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "ledger.json", 1, 2, 3, 4)


def journal_of(path):
    return path.with_suffix(".games.jsonl")


def edited(number, change):
    """Change a game in the journal, from 0, and leave it a valid line."""

    def spoil(path):
        document = json.loads(journal_of(path).read_bytes().splitlines()[number])
        change(document)
        spoil_line(number, json.dumps(document, separators=(",", ":")).encode())(path)

    return spoil


def doubled(path):
    lines = journal_of(path).read_bytes().splitlines(keepends=True)
    journal_of(path).write_bytes(b"".join([*lines[:2], lines[0], *lines[2:]]))


def appended(text):
    def spoil(path):
        with journal_of(path).open("a") as file:
            file.write(text + "\n")

    return spoil


def points(document):
    document["tables"][0]["bots"][1]["points"] = 99.5
    return document


def renamed(document):
    document["tables"][0]["bots"][1]["name"] = "eve"
    document["versions"]["eve"] = [None]
    return document


FOUND = {
    "a damaged line": (spoil_line(1, b'{"version"'), ["line 2 is damaged: it is not JSON"]),
    "an empty line": (spoil_line(1, b""), ["line 2 is damaged: it is not JSON"]),
    "a line that is no entry": (
        spoil_line(1, b'{"version":1}'),
        ["line 2, game None: not a game record"],
    ),
    "a game twice": (
        doubled,
        [
            "line 3, game g1: it is line 1 once more, and its game would count twice; remove that",
            "that line; what follows from it is not listed",
        ],
    ),
    "a shot that is not what it was": (
        edited(2, lambda it: it["shots"][0].__setitem__(4, 3 if it["shots"][0][4] == 1 else 1)),
        ["line 3, game g3: shot 1 is recorded as"],
    ),
    "a winner who did not": (
        edited(2, lambda it: it["outcome"].update(winner=1, loser=0)),
        ["line 3, game g3: the recorded outcome is not that of its moves"],
    ),
    "not to the schema": (
        edited(3, lambda it: it["seats"][0].update(launch="magic")),
        ["line 4, game g4: not a game record: seats[0].launch: 'magic'"],
    ),
    "a void of no number": (
        appended('{"version":1,"kind":"void","number":1,"games":[2,9],"reason":"a test"}'),
        ["line 5 is damaged: it voids game 9, and 4 games stand before it"],
    ),
    "an undo of nothing": (
        appended('{"version":1,"kind":"undo","number":1,"order":1}'),
        ["line 5 is damaged: it takes back order 1, and 0 orders stand before it"],
    ),
    "a reset of nobody": (
        appended('{"version":1,"kind":"reset","number":1}'),
        ["line 5 is damaged: "],
    ),
    "a wrong number": (
        edited(2, lambda it: it.update(number=7)),
        ["line 3, game g3: it is numbered 7, and it is game 3 of the journal"],
    ),
    "a void without a reason": (
        appended('{"version":1,"kind":"void","number":1,"games":[1]}'),
        ["line 5 is damaged: "],
    ),
    "a game of a bot against itself": (
        appended(json.dumps(played(VARIANTS["xbs"], names=("a", "b", "a")).to_json())),
        ["line 5 is damaged: it is a game of a against itself"],
    ),
    "other points": (x_json(points), ["points of cid is 99.5, but by the journal it is 10.5"]),
    "another bot": (x_json(renamed), ["bot 1 is eve, but by the journal it is cid"]),
    "another seed": (
        x_json(lambda it: {**it, "seed": "7"}),
        ["has the seed of a contest, and ", "has no line with it; `judge ledger rebuild "],
    ),
    "an order that is only there": (
        x_json(lambda it: {**it, "orders": [{"kind": "void", "games": [3], "reason": "rain"}]}),
        ["knew 1 order, and ", "has 0 orders: lines are gone from it; bring back a copy"],
    ),
    "another version": (
        x_json(lambda it: {**it, "versions": {**it["versions"], "ann": ["sha256:other"]}}),
        ["the versions of ann is ['sha256:other'], but by the journal it is [None]"],
    ),
    "no ledger": (lambda path: path.write_text("[]"), ["is no ledger"]),
    "other games": (another_journal, ["does not fit"]),
}


@pytest.mark.parametrize(("spoil", "says"), FOUND.values(), ids=FOUND)
def test_verify_finds_and_names_what_is_wrong(path, spoil, says):
    """The line, the game and the field, a sentence each, and nothing else; nothing is changed."""
    spoil(path)
    before = contents(path.parent)
    problems = verify(path).problems
    for sentence in says:
        assert any(sentence in problem for problem in problems), problems
    assert contents(path.parent) == before


@pytest.mark.parametrize("what", ["a damaged line", "a void of no number", "a winner who did not"])
def test_what_one_line_spoils_is_told_by_few_sentences(path, what):
    """What follows from a damaged line is not told as well; what differs in X.json is."""
    FOUND[what][0](path)
    told = verify(path).problems
    assert [problem for problem in told if not problem.startswith(str(path))] == [
        problem for problem in told if problem.startswith("line ")
    ]
    assert sum(problem.startswith("line ") for problem in told) == 1


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
    table = standings(read(path))
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
    wrong = "a winner who did not", "a game of a bot against itself", "a void of no number"
    for what in (*wrong, "a game twice"):
        FOUND[what][0](path)
    monkeypatch.setattr(audit, "BATCH", 2)
    with ThreadPoolExecutor(2) as pool:
        assert verify(path, pool=pool, window=window) == verify(path)
    task = pickle.loads(pickle.dumps((audit.faults, journal_of(path).read_bytes().splitlines())))
    assert len(task[0](task[1])) == 7


def test_verify_tells_how_far_it_is(path):
    """In bytes, of so many in all, up to the end."""
    told = []
    verify(path, lambda done, whole: told.append((done, whole)))
    size = journal_of(path).stat().st_size
    assert len(told) == 4
    assert told[-1] == (size, size)
    assert sorted(told) == told


def test_a_history_is_one_bots_games_in_order(path):
    """With the points before and after, that join up, and end where the standings are."""
    with Ledger(path) as ledger:
        ledger.add(void(names=("ann", "bob")))
        ledger.add(played(seed=5, game_id="whole", names=("bob", "ann")))
        ledger.order(partial(order_entries.void, games=[3], reason="it rained"))
    games = list(history(path, "ann"))
    assert [one.id for one in games] == ["g2", "g3", "0-1", "whole"]
    assert [one.opponents for one in games] == [("cid",), ("bob",), ("bob",), ("bob",)]
    assert games[0].before == 10.0
    assert games[-1].after == read(path).first_table.points_of("ann")
    assert [one.before for one in games[1:]] == [one.after for one in games[:-1]]
    assert [one.voided for one in games] == [None, "it rained", None, None]
    assert games[1].before == games[1].after
    assert games[2].result == "void"
    won = played(seed=5, names=("bob", "ann")).outcome.winner == 1
    assert games[3].result == ("won" if won else "lost")


def test_a_history_has_the_bots_own_forfeits_with_their_evidence(path):
    """And not its opponent's."""
    with Ledger(path) as ledger:
        ledger.add(short(9, "eve", "bob", stderr="what went wrong"))
    (eve,) = history(path, "eve")
    bob = list(history(path, "bob"))[-1]
    assert (eve.forfeit, eve.result, bob.forfeit, bob.result) == (None, "won", "crash", "lost")
    assert (eve.termination, bob.termination) == (Termination.CRASH, Termination.CRASH)
    assert eve.evidence is None
    assert bob.evidence["stderr"] == "what went wrong"
    assert bob.detail == "did what no bot should"


def test_a_history_tells_when_a_bots_files_changed(path):
    """At the first game with other files than in the one before."""
    with Ledger(path) as ledger:
        for number, digest in enumerate(["old", "old", "new", None, "new"], 10):
            record = short(number, "eve", "bob").to_json()
            record["seats"][0]["digest"] = digest
            ledger.add(type(short(1)).from_json(record))
    assert [one.changed for one in history(path, "eve")] == [False, False, True, True, True]


def test_a_history_of_nobody_is_refused(path):
    """By name."""
    with pytest.raises(UsageError, match="eve has played no game there"):
        list(history(path, "eve"))


def test_a_game_is_found_by_its_id_and_the_last_without(path):
    """Whole, as it was recorded."""
    with Ledger(path) as ledger:
        ledger.order(partial(order_entries.void, games=[4], reason="a test"))
    assert game(path, "g2") == replace(short(2, "cid", "ann"), number=2)
    assert last_game(path).id == "g4"
    with pytest.raises(UsageError, match="there is no game g9"):
        game(path, "g9")


def test_a_ledger_without_games_has_no_last_one(tmp_path):
    """Only a seed."""
    with Ledger(tmp_path / "new.json") as ledger:
        ledger.contest_seed(7)
    with pytest.raises(UsageError, match="no game in it yet"):
        last_game(tmp_path / "new.json")


def test_what_is_not_there_cannot_be_looked_over(tmp_path, path):
    """No ledger is what was typed; one without its journal is an error of its own."""
    for look in (verify, last_game, lambda path: list(history(path, "ann"))):
        with pytest.raises(UsageError, match="there is no such ledger"):
            look(tmp_path / "none.json")
    journal_of(path).unlink()
    with pytest.raises(LedgerError, match=r"its journal .* is not"):
        verify(path)


def test_a_damaged_tail_hides_nothing_that_stands_before_it(path):
    """Both are told: the line, and what X.json holds that the games before it do not give."""
    fill(path, 1, 2, 3)
    document = json.loads(path.read_bytes())
    document["tables"][0]["bots"][0]["points"] = 77.0
    path.write_text(json.dumps(document))
    with path.with_suffix(".games.jsonl").open("a") as journal:
        journal.write('{"x"\n')
    found = verify(path)
    assert any("77" in problem for problem in found.problems)
    assert sum("is damaged" in problem for problem in found.problems) == 1
    assert found.behind == 0


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
