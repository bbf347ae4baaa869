"""The fold of a journal, against a naive one written from the text of the rules."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_ledger as naive
from changes import replace
from games import played as play
from judge import schemas
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import decoded, encoded, entry_of
from judge.contest.ledger.journal import START, Journal
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.orders import Orders
from judge.contest.ledger.tally import NOTHING_SAID, Tally, written
from judge.contest.ledger.tally_table import each_pair
from judge.contest.ledger.verify import rebuild
from judge.contest.results import result_of
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Incident, Outcome, Termination
from judge.documents.ledger import AnyEntry, Counts, Description, Header
from judge.errors import UsageError
from judge.game.steps import steps
from judge.game.variants import CONTEST, VARIANTS
from strategies import FORFEITS, examples

NAMES = ("ann", "bob", "cid", "dot")
ENDS = ("fleet-destroyed", "goal", "round-limit", "all-dead")
DIGESTS = [None, *(f"sha256:{64 * digit}" for digit in "abc")]
TEMPLATE = builtins(play())
OF_CONTEST = builtins(play(CONTEST))


@st.composite
def documents(draw, number: int = 1) -> dict[str, Any]:
    """A game in what a fold looks at: ended in any way, with shots of any number, of bots of any
    version."""
    names = draw(st.permutations(NAMES))[:2]
    kinds = ["won", "won", "won", "tied", "forfeit", "both", "void", "unrated"]
    kind = draw(st.sampled_from(kinds))
    seat = draw(st.integers(0, 1))
    how = str(draw(st.sampled_from(FORFEITS)))
    shots = [[one, 1 - one, 0, 0, 1, 1.5] for one in draw(st.lists(st.integers(0, 1), max_size=5))]
    winner, loser, incidents = seat, 1 - seat, []
    match kind:
        case "won":
            termination = draw(st.sampled_from(ENDS))
        case "tied":
            winner, loser, termination = None, None, draw(st.sampled_from(ENDS))
        case "forfeit":
            termination, incidents = how, [[len(shots), loser, how]]
        case "both":
            winner, loser, termination = None, None, "both-failed"
            incidents = [[0, 0, how], [0, 1, str(draw(st.sampled_from(FORFEITS)))]]
        case "void":
            winner, loser, termination = None, None, "void"
            incidents = [[0, 0, how], [0, 1, str(draw(st.sampled_from(FORFEITS)))]]
        case _:
            termination = draw(st.sampled_from([*ENDS, "aborted"]))
            winner, loser = (None, None) if termination == "aborted" else (winner, loser)
    return {
        **TEMPLATE,
        "id": f"game {draw(st.integers(0, number))}",
        "number": number,
        "rated": kind not in ("void", "unrated"),
        "seats": [
            {**seat, "name": name, "digest": draw(st.sampled_from(DIGESTS))}
            for seat, name in zip(TEMPLATE["seats"], names, strict=True)
        ],
        "shots": shots,
        "incidents": [[0, 0, "skip"], *incidents],
        "outcome": {
            **TEMPLATE["outcome"],
            "winner": winner,
            "loser": loser,
            "termination": str(termination),
        },
    }


@st.composite
def group_documents(draw, number: int) -> dict[str, Any]:
    """A game of three or four in what a fold looks at: won or tied for first, by scores or not, and
    with some who forfeited."""
    game = draw(documents(number))
    names = draw(st.permutations(NAMES))[: draw(st.integers(3, 4))]
    seats = range(len(names))
    scores = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    incidents = [
        [0, seat, str(draw(st.sampled_from(FORFEITS)))]
        for seat in draw(st.sets(st.sampled_from(seats), max_size=len(names)))
    ]
    out = {seat for _, seat, _ in incidents}
    present = [seat for seat in seats if seat not in out]
    best = [seat for seat in present if scores and scores[seat] == max(scores[s] for s in present)]
    winner = best[0] if len(best) == 1 else None
    if scores is None and present:
        winner = draw(st.sampled_from([None, *present]))
    return {
        **game,
        "seats": [
            {**game["seats"][0], "name": name, "digest": draw(st.sampled_from(DIGESTS))}
            for name in names
        ],
        "shots": [[seat, (seat + 1) % 3, 0, 0, 1, 1.5] for seat in seats],
        "incidents": incidents,
        "outcome": {
            **game["outcome"],
            "winner": winner,
            "loser": None,
            "termination": draw(st.sampled_from([*ENDS, "void", "aborted"])),
            "scores": scores,
        },
    }


@st.composite
def games_of_matches(draw, number: int = 1) -> dict[str, Any]:
    """The same under rules by which matches count, of one of a few matches that are sometimes over;
    or of none."""
    game = draw(documents(number))
    ids = {"id": draw(st.sampled_from(["m", "n"])), "game": draw(st.integers(1, 3))}
    match = draw(
        st.none() | st.sampled_from([1, 2, 2, 3]).map(lambda games: {**ids, "games": games})
    )
    names = draw(st.permutations(NAMES[:2]))
    return {
        **game,
        "rules": OF_CONTEST["rules"],
        "match": match,
        "seats": [
            {
                **seat,
                "name": name,
                "digest": draw(st.sampled_from(DIGESTS[:2] if name == "ann" else [None])),
            }
            for seat, name in zip(OF_CONTEST["seats"], names, strict=True)
        ],
    }


@st.composite
def orders(draw, journal: list[dict[str, Any]]) -> dict[str, Any]:
    """An order that may follow a journal."""
    games = naive.games_in(journal)
    given_ = naive.orders_in(journal)
    in_force = [number for number, (_, holds) in enumerate(given_, 1) if holds]
    kinds = ["reset", "retire", "disqualify", *(["void"] if games else [])]
    match draw(st.sampled_from([*kinds, *(["undo", "undo"] if in_force else [])])):
        case "void":
            some = st.lists(st.integers(1, len(games)), min_size=1, max_size=4, unique=True)
            return order("void", games=draw(some), reason="rain")
        case "undo":
            return order("undo", order=draw(st.sampled_from(in_force)))
        case kind:
            reason = {"reason": "it cheats"} if kind == "disqualify" else {}
            return order(kind, bot=draw(st.sampled_from([*NAMES, "eve"])), **reason)


def order(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


@st.composite
def journals(draw, most: int = 25) -> list[dict[str, Any]]:
    """Games of four bots, two at a time or more, or of matches; orders about them, and what is said of
    it all."""
    journal: list[dict[str, Any]] = []
    kinds = draw(st.sampled_from([[documents, group_documents], [games_of_matches]]))
    for _ in range(draw(st.integers(0, most))):
        if draw(st.integers(0, 3)):
            kind = draw(st.sampled_from(kinds))
            journal.append(draw(kind(len(naive.games_in(journal)) + 1)))
        elif not draw(st.integers(0, 4)):
            journal.append(order("description", title=draw(st.sampled_from(["", "A cup"]))))
        else:
            journal.append(draw(orders(journal)))
    return journal


def entry(document: dict[str, Any]) -> AnyEntry:
    """The entry of a game, or of an order."""
    if "kind" in document:
        return decoded(json.dumps(document, separators=(",", ":")).encode())
    return entry_of(convert(GameRecord, document, "it"))


def conditions_in(documents: list[dict[str, Any]]) -> ConditionSet | None:
    games = (one for one in documents if "kind" not in one)
    return next((ConditionSet.of(convert(GameRecord, one, "it")) for one in games), None)


def fold(documents: list[dict[str, Any]]) -> Tally:
    """The tally of a whole journal, which is read for its orders first."""
    entries = [*map(entry, documents)]
    tally = Tally(orders=Orders.of(entries))
    held = conditions_in(documents)
    assert [tally.enter(one, held) for one in entries] == [True] * len(entries)
    return tally


@examples(120)
@given(journals())
def test_the_fold_is_that_of_the_rules_text(documents):
    """Points to the last bit, counts, forfeits, shots and pairs are those of a naive fold, whatever was
    ordered and taken back."""
    tally, by_hand = fold(documents), naive.table(documents)
    said = [one for one in documents if one.get("kind") == "description"]
    assert tally.description == (Description(title=said[-1]["title"]) if said else NOTHING_SAID)
    assert tally.recorded == len(naive.games_in(documents))
    assert tally.orders.retired.keys() == naive.bots_under("retire", documents)
    assert tally.orders.disqualified.keys() == naive.bots_under("disqualify", documents)
    table = tally.table
    for count in ("games", "void", "voided", "disqualified"):
        assert getattr(table, count) == by_hand[count]
    assert {bot.name: bot.points for bot in table.bots.values()} == by_hand["points"]
    assert {bot.name: bot.version for bot in table.bots.values()} == by_hand["last"]
    stints = [
        (version_tally.name, version_tally.version) for version_tally in table.version_tallies
    ]
    assert stints == list(by_hand["stints"])
    for version_tally, results in zip(
        table.version_tallies, by_hand["stints"].values(), strict=True
    ):
        assert (
            version_tally.units.won,
            version_tally.units.lost,
            version_tally.units.tied,
        ) == tuple(results[what] for what in ("won", "lost", "tied"))
        assert [
            version_tally.counts.won,
            version_tally.counts.lost,
            version_tally.counts.tied,
        ] == results["games"]
        assert version_tally.counts.forfeits == results["forfeits"]
        assert (version_tally.counts.won_by_play, version_tally.counts.shots_to_win) == (
            len(results["wins"]),
            sum(results["wins"]),
        )
        assert version_tally.counts.streak == results["streak"]
    told = {}
    for a, b, pair in each_pair(table.pairs):
        told[stints[a], stints[b]] = {"won": pair.won, "lost": pair.lost, "tied": pair.tied}
        told[stints[b], stints[a]] = {"won": pair.lost, "lost": pair.won, "tied": pair.tied}
    assert told == by_hand["pairs"]
    assert {
        (*key, pair[0], pair[1]): counts
        for key, group in table.groups.items()
        for pair, counts in both_ways(group, stints)
    } == by_hand["groups"]
    assert {(*key,): group.games for key, group in table.groups.items()} == by_hand["of_groups"]
    assert table.unfinished == sum(map(len, by_hand["open"].values()))


def both_ways(group, stints):
    """The results of a group's games for every two stints that met in them, as each of the two sees
    it."""
    for a, b, pair in each_pair(group.pairs):
        seen = (pair.won, pair.lost, pair.tied, pair.first_won, pair.other_won)
        yield (stints[a], stints[b]), list(seen)
        above, below, level, won, lost = seen
        yield (stints[b], stints[a]), [below, above, level, lost, won]


@examples(30)
@given(journals(), st.data())
def test_a_fold_goes_on_from_its_cache(documents, data):
    """Saved after any entry, with whatever orders came later, it ends in the same bytes; and so it does
    taken up entry by entry."""
    entries = [encoded(one) for one in map(entry, documents)]
    header = encoded(Header(version=1, id=32 * "0"))
    cut = data.draw(st.integers(0, len(entries)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.json")
        journal = Journal(path.with_suffix(".games.jsonl"))
        last = journal.append(START, [header, *entries[:cut]])
        rebuild(path)
        journal.append(last, entries[cut:])
        went_on = written(read(path))
        path.with_suffix(".games.cache").unlink()
        whole = written(read(path))
        assert went_on == whole
        with Ledger(path) as ledger:
            assert written(ledger.tally) == whole
        assert path.read_bytes() == whole
        other = Path(folder, "other.json")
        with Ledger(other) as ledger:
            for document in documents:
                ledger._write([entry(document)], "it is not kept")
                ledger._fold.catch_up()
            if documents:
                assert written(ledger.tally) == whole


@examples(50)
@given(journals())
def test_the_document_of_a_fold_is_one(documents):
    """It is to the schema."""
    assert schemas.problem("ledger", json.loads(written(fold(documents)))) is None


@pytest.mark.parametrize("variant", ["brainjar", "broadsides", "contest", "bsp", "xbs"])
def test_real_games_of_every_variant_are_counted(variant):
    """A game that the engine has played, of any rules for two, is one game of each bot."""
    tally = Tally()
    for seed in range(6):
        record = play(VARIANTS[variant], seed=seed, game_id=str(seed))
        assert tally.enter(entry_of(record), ConditionSet.of(record))
    table = tally.table
    assert table.conditions.rules == VARIANTS[variant]
    assert [version_tally.counts.games for version_tally in table.version_tallies] == [6, 6]


def test_games_whose_fleets_were_drawn_are_of_one_table():
    """It holds for a variant and for other rules, for a record says how its fleet was drawn."""
    mine = replace(CONTEST, name="mine", round_limit=7)
    for rules in (CONTEST, mine):
        records = [builtins(play(rules, seed=seed, game_id=str(seed))) for seed in range(6)]
        assert len({tuple(record["rules"]["fleet"]) for record in records}) > 1
        assert fold(records).table.conditions.rules == rules


def test_salvos_are_counted_as_volleys_and_as_shots():
    """The volleys of those who sank the fleet are those of the engine."""
    records = [play(VARIANTS["broadsides"], seed=seed, game_id=str(seed)) for seed in range(4)]
    tally = fold([builtins(record) for record in records])
    expected = {"hunter": 0, "random": 0}
    for record in records:
        winner = record.outcome.winner
        assert record.outcome.termination is Termination.FLEET_DESTROYED
        expected[record.seats[winner].name] += sum(
            volley.seat == winner for step, _ in steps(record) for volley in step.volleys
        )
    table = tally.table
    assert {
        version_tally.name: version_tally.counts.volleys_to_win
        for version_tally in table.version_tallies
    } == expected
    assert any(
        version_tally.counts.volleys_to_win < version_tally.counts.shots_to_win
        for version_tally in table.version_tallies
    )


def test_the_first_seed_of_a_contest_stays():
    """A second contest entry changes nothing, and 0 is a seed as any other."""
    entries = [order("contest", seed=seed) for seed in ("0", "8")]
    assert fold(entries).seed == "0"


def test_an_order_about_games_that_are_counted_is_handed_back():
    """With nothing changed; a tally that knew it from the start takes it in."""
    game = builtins(play(game_id="3"))
    for document in (
        order("void", games=[1], reason="rebooting"),
        order("disqualify", bot="hunter", reason="rebooting"),
    ):
        tally = fold([game])
        before = written(tally)
        assert not tally.enter(entry(document))
        assert written(tally) == before
        assert not fold([game, document]).table.games


def test_an_order_by_which_no_game_counts_otherwise_is_taken_in():
    """A reset and a retirement; what takes one back is handed back, with nothing changed."""
    tally = fold([builtins(play(game_id="1"))])
    for document in (order("reset", bot="hunter"), order("retire", bot="random")):
        assert tally.enter(entry(document))
    before = written(tally)
    for number in (1, 2):
        assert not tally.enter(entry(order("undo", order=number)))
    assert (written(tally), tally.entries) == (before, 3)


def test_a_reset_begins_a_new_version():
    """With the next game, of the same files too; before that the bot has no version that plays."""
    game = builtins(play(game_id="1"))
    tally = fold([game, order("reset", bot="hunter"), {**game, "id": "2"}])
    assert (len(tally.versions["hunter"]), len(tally.versions["random"])) == (2, 1)
    digest = tally.versions["hunter"][0]
    assert tally.versions["hunter"] == [digest, digest]
    assert tally.version_of("hunter", digest) == 2
    assert fold([game, order("reset", bot="hunter")]).version_of("hunter", digest) is None


NO_ENTRIES = {
    "nothing": ({}, "it has no 'kind'"),
    "its kind at the end": ({"order": 1, "kind": "undo"}, "does not begin with its kind"),
    "an unknown kind": (order("prize"), r"\$\.kind: 'prize' is not known"),
    "a seed that is a number": (order("contest", seed=7), "7 is not a text"),
    "a seed of 40 digits": (order("contest", seed="9" * 40), "does not match"),
    "a void of no game": (order("void", games=[], reason="x"), "too short: 1 is the least"),
    "a disqualified bot without a reason": (order("disqualify", bot="a"), "it has no 'reason'"),
    "an undo of nothing": (order("undo"), "it has no 'order'"),
    "a title that is too long": (
        order("description", title="x" * 201),
        "too long: 200 is the most",
    ),
}


@pytest.mark.parametrize(("document", "says"), NO_ENTRIES.values(), ids=NO_ENTRIES)
def test_a_line_that_is_no_entry_is_refused(document, says):
    """By a ValueError that says why."""
    with pytest.raises(ValueError, match=says):
        decoded(json.dumps(document, separators=(",", ":")).encode())


UNCOUNTABLE = {
    "a game of a bot against itself": (builtins(play(names=("a", "a"))), "a against itself"),
    "a void of a later game": (
        order("void", games=[1, 2], reason="x"),
        "voids game 2, and 1 games stand before it",
    ),
    "an undo of no order": (order("undo", order=1), "takes back order 1"),
    "another header": ({"kind": "ledger", "version": 1, "id": 32 * "0"}, "another journal"),
    "a plan of an unknown format": (
        order("contest", seed="7", contest_key="a:b", plan={"name": "cup"}),
        "the format 'cup'",
    ),
}


@pytest.mark.parametrize(("document", "says"), UNCOUNTABLE.values(), ids=UNCOUNTABLE)
def test_what_cannot_be_counted_is_refused_with_nothing_changed(document, says):
    """An entry that does not go with those before it raises ValueError that says how; one of a
    format from elsewhere `UsageError`."""
    tally = fold([builtins(play(seed=2, game_id="2"))])
    before = written(tally)
    with pytest.raises((ValueError, UsageError), match=says):
        tally.enter(entry(document))
    assert written(tally) == before


RESULT = json.loads(encoded(entry(builtins(play(game_id="3")))))["result"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"names": ["a"]}, "too short: 2 is the least"),
        ({"digests": [None, None, None]}, "other seats than there are players"),
        ({"winner": 2}, "seats that nobody has"),
        ({"forfeits": {"2": "crash"}}, "seats that nobody has"),
        ({"termination": "boredom"}, "boredom"),
        ({"shots": -1}, "less than 0"),
        ({"match": {"id": "m", "game": 0, "games": 2}}, "less than 1"),
    ],
)
def test_a_result_that_makes_no_sense_is_no_entry(change, says):
    """Whatever stands in a stranger's journal."""
    game = {"kind": "game", "key": None, "result": {**RESULT, **change}, "record": {}}
    with pytest.raises(ValueError, match=says):
        decoded(json.dumps(game, separators=(",", ":")).encode())


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_points_are_a_point_a_win_and_half_a_point_a_tie(won: int, lost: int, tied: int) -> None:
    """They are counted in halves."""
    counts = Counts(won=won, lost=lost, tied=tied)
    assert (counts.games, counts.points / 2) == (won + lost + tied, won + tied / 2)


@pytest.mark.parametrize(("scores", "winner"), [((10**9, 0, 0), 1), ((10**9, 0, 3), None)])
def test_the_marks_of_three_seats_rank_them(scores: tuple[int, ...], winner: int | None) -> None:
    """The winner has the greatest, whatever the scores are, and a seat that forfeited the least."""
    record = play(replace(VARIANTS["xbs"], players=(2, 3)), names=NAMES[:3])
    incident = Incident(1, 2, "crash")
    outcome = Outcome(winner, None, Termination.GOAL, scores=scores)
    marks = result_of(replace(record, outcome=outcome, incidents=(incident,))).marks
    assert marks
    assert marks.index(max(marks)) == (winner or 0)
    assert marks[2] < min(marks[:2])
    assert result_of(play()).marks is None
