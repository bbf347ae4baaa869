"""The fold of a journal, against a naive one written from the rule's text."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import played as play
from games import void
from judge import schemas
from judge.contest.seeds import ContestSeed
from judge.contest.tally import Tally, played, problem
from judge.game.outcome import Termination
from judge.game.rules import VARIANTS
from judge.game.steps import steps
from strategies import FORFEITS, examples

NAMES = ("ann", "bob", "cid", "dot")
ENDS = ("fleet-destroyed", "goal", "round-limit", "all-dead")


@st.composite
def documents(draw, number: int = 0) -> dict[str, Any]:
    """What a fold looks at in a game: ended in any way, with shots of any number."""
    names = draw(st.permutations(NAMES))[:2]
    kinds = ["won", "won", "won", "tied", "forfeit", "left", "both", "void", "unrated"]
    kind = draw(st.sampled_from(kinds))
    version = draw(st.sampled_from([1, 2]))
    seat = draw(st.integers(0, 1))
    how = draw(st.sampled_from(FORFEITS))
    shots = [[one, 1 - one, 0, 0, 1, 1.5] for one in draw(st.lists(st.integers(0, 1), max_size=5))]
    winner, loser, asides = seat, 1 - seat, []
    match kind:
        case "won":
            termination = draw(st.sampled_from(ENDS))
        case "tied":
            winner, loser, termination = None, None, draw(st.sampled_from(ENDS))
        case "forfeit":
            termination, asides = how, [[len(shots), loser, how]]
        case "left":
            version, termination = 1, Termination.RESIGNED
            asides = [[len(shots), loser, "leave"]]
        case "both":
            version, winner, loser, termination = 2, None, None, "both-failed"
            asides = [[0, 0, how], [0, 1, draw(st.sampled_from(FORFEITS))]]
        case "void":
            winner, loser, termination = None, None, "void"
            asides = [[0, 0, how], [0, 1, draw(st.sampled_from(FORFEITS))]]
        case _:
            version, termination = 2, draw(st.sampled_from([*ENDS, "aborted"]))
            winner, loser = (None, None) if termination == "aborted" else (winner, loser)
    rated = {"rated": kind not in ("void", "unrated")} if version == 2 else {}
    return {
        "version": version,
        "id": f"game {number}",
        **rated,
        "seats": [{"name": name} for name in names],
        "shots": shots,
        "asides": [[0, 0, "skip"], *asides],
        "outcome": {"winner": winner, "loser": loser, "termination": str(termination)},
    }


@st.composite
def journals(draw) -> list[dict[str, Any]]:
    """So many games of four bots, each with an id of its own."""
    return [draw(documents(number)) for number in range(draw(st.integers(0, 25)))]


def fold(entries: list[dict[str, Any]], voided: tuple[str, ...] = ()) -> Tally:
    tally = Tally(voided=dict.fromkeys(voided))
    assert [tally.enter(entry) for entry in entries] == [None] * len(entries)
    return tally


def naive(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The standings, from the text of the rule and nothing else; no bot, no row."""
    table: dict[str, dict[str, Any]] = {}
    for game in entries:
        one, other = (seat["name"] for seat in game["seats"])
        for name in (one, other):
            table.setdefault(
                name,
                {"points": 10.0, "won": 0, "lost": 0, "tied": 0, "forfeits": {}, "in": []}
                | {"against": {}},
            )
        out = game["outcome"]
        for seat, name in enumerate((one, other)):
            how = [what for _, who, what in game["asides"] if who == seat and what in FORFEITS]
            if not how and out["loser"] == seat and out["termination"] in FORFEITS:
                how = [out["termination"]]
            for what in how:
                table[name]["forfeits"][what] = table[name]["forfeits"].get(what, 0) + 1
        if out["termination"] == "void" or not game.get("rated", True):
            continue
        if out["winner"] is None:
            table[one]["tied"] += 1
            table[other]["tied"] += 1
            results = {one: "tied", other: "tied"}
        else:
            winner, loser = (one, other) if out["winner"] == 0 else (other, one)
            gain = 0.05 * table[loser]["points"]
            table[winner]["points"] = table[winner]["points"] + gain
            table[loser]["points"] = max(10.0, table[loser]["points"] - gain)
            table[winner]["won"] += 1
            table[loser]["lost"] += 1
            results = {winner: "won", loser: "lost"}
            if out["termination"] == "fleet-destroyed":
                table[winner]["in"].append(
                    len([shot for shot in game["shots"] if shot[0] == out["winner"]])
                )
        for me, you in ((one, other), (other, one)):
            against = table[me]["against"].setdefault(you, {"won": 0, "lost": 0, "tied": 0})
            against[results[me]] += 1
    return table


@examples(200)
@given(journals())
def test_the_fold_is_that_of_the_rules_text(entries):
    """Points to the last bit, counts, forfeits, shots and pairs are those of a naive fold."""
    tally, table = fold(entries), naive(entries)
    assert list(tally.bots) == list(table)  # in the order in which they first played
    for name, row in table.items():
        bot = tally.bots[name]
        assert bot.points == row["points"]
        assert (bot.won, bot.lost, bot.tied) == (row["won"], row["lost"], row["tied"])
        assert bot.games == row["won"] + row["lost"] + row["tied"]
        assert bot.forfeits == row["forfeits"]
        assert (bot.played_out, bot.shots_to_win) == (len(row["in"]), sum(row["in"]))
    seen = {
        (me, you): (against["won"], against["lost"], against["tied"])
        for me, row in table.items()
        for you, against in row["against"].items()
    }
    told = {}
    for (a, b), pair in tally.pairs.items():
        told[a, b] = (pair.won, pair.lost, pair.tied)
        told[b, a] = (pair.lost, pair.won, pair.tied)
    assert told == seen
    voids = sum(
        game["outcome"]["termination"] == "void" or not game.get("rated", True) for game in entries
    )
    assert (tally.recorded, tally.games, tally.void) == (
        len(entries),
        len(entries) - voids,
        voids,
    )
    assert tally.last == (entries[-1]["id"] if entries else None)


@examples(100)
@given(journals(), st.data())
def test_a_void_game_counts_as_if_it_had_never_been(entries, data):
    """Folded with games void, a journal gives what it gives without them, but for the numbers
    that speak of the journal."""
    gone = set(data.draw(st.lists(st.sampled_from(range(26)), max_size=6)))
    voided = tuple(entry["id"] for n, entry in enumerate(entries) if n in gone)
    tally = fold(entries, voided)
    rest = fold([entry for n, entry in enumerate(entries) if n not in gone])
    assert tally.recorded == len(entries)
    assert list(tally.voided) == list(voided)
    same = ("bots", "pairs", "games", "void", "seed")
    assert [getattr(tally, name) for name in same] == [getattr(rest, name) for name in same]


@examples(100)
@given(journals(), st.integers(0, 25))
def test_a_fold_goes_on_from_its_document(entries, at):
    """Written down and read back in the middle, it ends in the same bytes."""
    document = json.loads(json.dumps(fold(entries[:at]).to_json()))
    assert problem(document) is None
    assert schemas.problem("ledger", document) is None
    later = Tally.from_json(document)
    for entry in entries[at:]:
        later.enter(entry)
    assert json.dumps(later.to_json()) == json.dumps(fold(entries).to_json())


def test_points_move_as_the_specification_says():
    """A loser at the floor pays nothing and the winner gains 5% all the same; one at 10.3 pays
    what it has over 10."""
    tally = fold([play(seed=1, game_id="1").to_json()])
    winner, loser = sorted(tally.bots.values(), key=lambda bot: -bot.points)
    assert (winner.points, loser.points) == (10.5, 10.0)
    tally.bots[loser.name].points = 10.3
    again = play(seed=1, game_id="2").to_json()
    tally.enter(again)
    assert (winner.points, loser.points) == (10.5 + 0.05 * 10.3, 10.0)


@pytest.mark.parametrize("variant", ["brainjar", "broadsides", "contest", "bsp", "xbs"])
def test_real_games_of_every_variant_are_counted(variant):
    """A game that the engine has played, of any rules for two, is one game of each bot."""
    tally = Tally()
    for seed in range(6):
        record = play(VARIANTS[variant], seed=seed, game_id=str(seed))
        assert tally.enter(json.loads(json.dumps(record.to_json()))) is None
    assert [bot.games for bot in tally.bots.values()] == [6, 6]
    assert problem(tally.to_json()) is None


def test_salvos_are_counted_as_volleys_and_as_shots():
    """The volleys of those who sank the fleet are those of the engine; the document has them where
    they are not the shots, and one without them is read as if every shot were a volley."""
    records = [play(VARIANTS["broadsides"], seed=seed, game_id=str(seed)) for seed in range(4)]
    tally = fold([json.loads(json.dumps(record.to_json())) for record in records])
    expected = {"hunter": 0, "random": 0}
    for record in records:
        winner = record.outcome.winner
        assert record.outcome.termination is Termination.FLEET_DESTROYED
        expected[record.seats[winner].name] += sum(
            volley.seat == winner for step, _ in steps(record) for volley in step.volleys
        )
    assert {name: bot.volleys_to_win for name, bot in tally.bots.items()} == expected
    document = tally.to_json()
    assert problem(document) is None
    assert [bot["volleys_to_win"] for bot in document["bots"]] == list(expected.values())
    assert Tally.from_json(document) == tally
    plain = fold([play(seed=1).to_json()])
    assert not any("volleys_to_win" in bot for bot in plain.to_json()["bots"])
    assert Tally.from_json(plain.to_json()) == plain


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(rules=["salvo"]),
        lambda d: d["rules"].pop("fleet"),
        lambda d: d["rules"].update(fleet={"ships": 10**15, "shortest": 1, "longest": 5}),
        lambda d: d["rules"].update(fleet=[1] * 100_000),
        lambda d: d["rules"].update(fleet=[0]),
        lambda d: d["rules"].update(salvo_bonus=7),
        lambda d: d["rules"].update(columns="ten"),
        lambda d: d["shots"].insert(0, [7, 8, 0, 0, 4, 1.0]),
        lambda d: d["seats"][0].update(fleet=[{"length": 2}]),
    ],
)
def test_salvos_that_cannot_be_counted_are_no_game(change):
    """Whatever stands in a stranger's journal: it is refused, and asks for no memory or time."""
    document = json.loads(json.dumps(play(VARIANTS["broadsides"], seed=1).to_json()))
    change(document)
    tally = Tally()
    with pytest.raises(ValueError, match="no game record"):
        tally.enter(document)
    assert tally == Tally()


def test_a_game_that_both_forfeited_moves_nothing_but_is_told():
    """It is no game of either, and both have a forfeit of its kind."""
    tally = fold([void().to_json()])
    assert (tally.recorded, tally.games, tally.void) == (1, 0, 1)
    assert [bot.forfeits for bot in tally.bots.values()] == [{"timeout": 1}, {"illegal-fleet": 1}]
    assert [(bot.games, bot.points) for bot in tally.bots.values()] == [(0, 10.0), (0, 10.0)]
    assert not tally.pairs


def test_the_first_seed_of_a_contest_stays():
    """A second contest entry changes nothing, whichever judge wrote it."""
    old = [{"version": 1, "kind": "contest", "seed": seed} for seed in (7, 8)]
    new = [{"version": 2, "kind": "contest", "seed": seed} for seed in ("7", "8")]
    assert fold([*old, *new]).seed == ContestSeed(7, hashed=True)
    assert fold([*new, *old]).seed == ContestSeed(7)


def test_an_entry_that_voids_an_earlier_game_is_handed_back():
    """With nothing changed; a tally that knew it from the start takes it in."""
    game = play(game_id="3").to_json()
    entry = {"version": 1, "kind": "void", "game": "3", "reason": "rebooting"}
    tally = fold([game])
    before = tally.to_json()
    assert tally.enter(entry) == "3"
    assert tally.to_json() == before
    assert not fold([game, entry], voided=("3",)).games


GAME = play(game_id="3").to_json()
NO_GAMES = {
    "nothing": ({}, "no entry"),
    "a newer version": ({**GAME, "version": 3}, "newer judge"),
    "a newer contest": ({"version": 3, "kind": "contest", "seed": "7"}, "newer judge"),
    "a newer contest's seed": ({"version": 2, "kind": "contest", "seed": 7}, "no entry"),
    "an older contest's seed": ({"version": 1, "kind": "contest", "seed": "7"}, "no entry"),
    "a seed of 40 digits": ({"version": 2, "kind": "contest", "seed": "9" * 40}, "39 digits"),
    "an unknown kind": ({**GAME, "version": 1, "kind": "prize"}, "no entry"),
    "a void of no game": ({"version": 1, "kind": "void"}, "no entry"),
    "an id that is a number": ({**GAME, "id": 3}, "no entry"),
    "no outcome": ({k: v for k, v in GAME.items() if k != "outcome"}, "no game record"),
    "shots that are none": ({**GAME, "shots": [5]}, "no game record"),
    "an empty shot": ({**GAME, "shots": [[]]}, "no game record"),
    "a name that is none": ({**GAME, "seats": [{"name": 5}, {"name": "b"}]}, "no name"),
    "three seats": ({**GAME, "seats": [{"name": n} for n in "abc"]}, "game of 3 players"),
    "one bot twice": ({**GAME, "seats": [{"name": "a"}, {"name": "a"}]}, "against itself"),
    "a seat that nobody has": (
        {**GAME, "outcome": {**GAME["outcome"], "winner": 2}},
        "seats that nobody has",
    ),
    "a seat that is no number": (
        {**GAME, "outcome": {**GAME["outcome"], "winner": 1.0}},
        "seats that nobody has",
    ),
    "an end of no game": (
        {**GAME, "outcome": {**GAME["outcome"], "termination": "boredom"}},
        "boredom",
    ),
    "a forfeit of a third": ({**GAME, "asides": [[0, 2, "crash"]]}, "seats that nobody has"),
    "a forfeit of nobody": ({**GAME, "asides": [[0, None, "crash"]]}, "seats that nobody has"),
}


@pytest.mark.parametrize(("entry", "says"), NO_GAMES.values(), ids=NO_GAMES)
def test_what_cannot_be_counted_is_refused_with_nothing_changed(entry, says):
    """An entry that is damaged in what the fold looks at raises ValueError that says how."""
    tally = fold([play(seed=2, game_id="2").to_json()])
    before = tally.to_json()
    with pytest.raises(ValueError, match=says):
        tally.enter(entry)
    assert tally.to_json() == before


@examples(200)
@given(st.data())
def test_damage_never_raises_anything_else(data):
    """Whatever stands in place of any part of a game, the answer is a number or a ValueError."""
    document = json.loads(json.dumps(GAME))
    path: Any = document
    for _ in range(data.draw(st.integers(1, 3))):
        keys = list(path) if isinstance(path, dict) else range(len(path))
        key = data.draw(st.sampled_from(list(keys)))
        parent, path = path, path[key]
        if not isinstance(path, dict | list) or not path:
            break
    parent[key] = data.draw(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just([]) | st.just({})
    )
    with contextlib.suppress(ValueError):
        assert played(document).winner in {0, 1, None}


def ledger(**changes: Any) -> dict[str, Any]:
    return fold([play(game_id="3").to_json()]).to_json() | changes


SENSELESS = {
    "no object": ([], "type 'object'"),
    "pairs that are none": (ledger(pairs=5), "pairs: 5"),
    "a pair too short": (ledger(pairs=[[0, 1, 1, 0]]), "pairs"),
    "a later pair too short": (ledger(pairs=[[0, 1, 1, 0, 0], [0, 1]]), r"pairs\[1\]"),
    "a later pair with a text": (
        ledger(pairs=[[0, 1, 1, 0, 0], [0, 1, "1", 0, 0]]),
        r"pairs\[1\]",
    ),
    "a bot that is not there": (ledger(pairs=[[0, 2, 1, 0, 0]]), r"pairs\[0\]"),
    "a bot against itself": (ledger(pairs=[[1, 1, 1, 0, 0]]), r"pairs\[0\]"),
    "a pair twice": (ledger(pairs=[[0, 1, 1, 0, 0], [1, 0, 0, 0, 0]]), "twice"),
    "a sum that is off": (ledger(pairs=[[0, 1, 7, 0, 0]]), "other games than its own counts"),
    "too many games": (ledger(games=2), "games"),
    "no last game": (ledger(last=None), "last"),
    "a bot twice": (ledger(bots=2 * ledger()["bots"][:1]), "one name"),
    "points that are none": (ledger(bots=[{**ledger()["bots"][0], "points": "10"}]), "points"),
    "points below the floor": (ledger(bots=[{**ledger()["bots"][0], "points": 9}]), "minimum"),
    "points without end": (ledger(bots=[{**ledger()["bots"][0], "points": 1e999}]), "number"),
}


@pytest.mark.parametrize(("document", "says"), SENSELESS.values(), ids=SENSELESS)
def test_a_ledger_that_does_not_add_up_is_none(document, says):
    """What passes can be read without fear: every number of it has been looked at."""
    with pytest.raises(AssertionError, match=says):
        assert problem(document) is None, problem(document)


def test_a_ledger_that_adds_up_has_no_problem():
    """The same documents, unspoilt, pass."""
    assert problem(ledger()) is None
    assert problem(Tally().to_json()) is None
