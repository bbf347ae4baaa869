"""The fold of a journal, against a naive one written from the text of the rules."""

from __future__ import annotations

import contextlib
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
from games import void
from judge import schemas
from judge.contest.journal.audit import verify
from judge.contest.journal.orders import Collector, Orders
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.played import played
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_document import from_json, problem, text_of, to_json
from judge.contest.standings.description import NOTHING, Description
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.game.steps import steps
from judge.game.variants import BROADSIDES, CONTEST, VARIANTS
from strategies import FORFEITS, examples

NAMES = ("ann", "bob", "cid", "dot")
ENDS = ("fleet-destroyed", "goal", "round-limit", "all-dead")
DIGESTS = [None, *(f"sha256:{64 * digit}" for digit in "abc")]
TEMPLATE = json.loads(json.dumps(play().to_json()))
OF_CONTEST = json.loads(json.dumps(play(CONTEST).to_json()))


@st.composite
def documents(draw, number: int = 1) -> dict[str, Any]:
    """A game in what a fold looks at: ended in any way, with shots of any number, of bots of any
    version, under one of two sets of conditions."""
    names = draw(st.permutations(NAMES))[:2]
    kinds = ["won", "won", "won", "tied", "forfeit", "both", "void", "unrated"]
    kind = draw(st.sampled_from(kinds))
    seat = draw(st.integers(0, 1))
    how = str(draw(st.sampled_from(FORFEITS)))
    shots = [[one, 1 - one, 0, 0, 1, 1.5] for one in draw(st.lists(st.integers(0, 1), max_size=5))]
    winner, loser, asides = seat, 1 - seat, []
    match kind:
        case "won":
            termination = draw(st.sampled_from(ENDS))
        case "tied":
            winner, loser, termination = None, None, draw(st.sampled_from(ENDS))
        case "forfeit":
            termination, asides = how, [[len(shots), loser, how]]
        case "both":
            winner, loser, termination = None, None, "both-failed"
            asides = [[0, 0, how], [0, 1, str(draw(st.sampled_from(FORFEITS)))]]
        case "void":
            winner, loser, termination = None, None, "void"
            asides = [[0, 0, how], [0, 1, str(draw(st.sampled_from(FORFEITS)))]]
        case _:
            termination = draw(st.sampled_from([*ENDS, "aborted"]))
            winner, loser = (None, None) if termination == "aborted" else (winner, loser)
    timeout_ms = draw(st.sampled_from([2000, 2000, 2000, 500]))
    return {
        **TEMPLATE,
        "id": f"game {draw(st.integers(0, number))}",
        "number": number,
        "rated": kind not in ("void", "unrated"),
        "limits": {**TEMPLATE["limits"], "timeout_ms": timeout_ms},
        "seats": [
            {**seat, "name": name, "digest": draw(st.sampled_from(DIGESTS))}
            for seat, name in zip(TEMPLATE["seats"], names, strict=True)
        ],
        "shots": shots,
        "asides": [[0, 0, "skip"], *asides],
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
    asides = [
        [0, seat, str(draw(st.sampled_from(FORFEITS)))]
        for seat in draw(st.sets(st.sampled_from(seats), max_size=len(names)))
    ]
    out = {seat for _, seat, _ in asides}
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
        "asides": asides,
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
    number = len(given_) + 1
    match draw(st.sampled_from([*kinds, *(["undo", "undo"] if in_force else [])])):
        case "void":
            some = st.lists(st.integers(1, len(games)), min_size=1, max_size=4, unique=True)
            return order("void", number, games=draw(some), reason="rain")
        case "undo":
            undone = len(given_) - len(in_force)
            return order("undo", undone + 1, order=draw(st.sampled_from(in_force)))
        case kind:
            reason = {"reason": "it cheats"} if kind == "disqualify" else {}
            return order(kind, number, bot=draw(st.sampled_from([*NAMES, "eve"])), **reason)


def order(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    return {"version": 1, "kind": kind, "number": number, **fields}


@st.composite
def journals(draw, most: int = 25) -> list[dict[str, Any]]:
    """Games of four bots, two at a time or more, orders about them, and what is said of it all."""
    journal: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0, most))):
        if draw(st.integers(0, 3)):
            kind = draw(st.sampled_from([documents, games_of_matches, group_documents]))
            journal.append(draw(kind(len(naive.games_in(journal)) + 1)))
        elif not draw(st.integers(0, 4)):
            journal.append(Description(draw(st.sampled_from(["", "A cup"])), "*text*").entry)
        else:
            journal.append(draw(orders(journal)))
    return journal


def fold(entries: list[dict[str, Any]]) -> Tally:
    """The tally of a whole journal, which is read for its orders first."""
    collector = Collector()
    for entry in entries:
        if "kind" in entry:
            collector.entry(entry)
        else:
            collector.game()
    tally = Tally(orders=Orders(collector.orders))
    assert [tally.enter(entry) for entry in entries] == [True] * len(entries)
    return tally


def lines(entries: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(entry, separators=(",", ":")).encode() + b"\n" for entry in entries)


@examples(120)
@given(journals())
def test_the_fold_is_that_of_the_rules_text(entries):
    """Points to the last bit, counts, forfeits, shots and pairs of every table are those of a naive
    fold, whatever was ordered and taken back."""
    tally, expected = fold(entries), naive.tables(entries)
    said = [entry for entry in entries if entry.get("kind") == "description"]
    assert tally.description == (Description(said[-1]["title"], "*text*") if said else NOTHING)
    assert tally.recorded == len(naive.games_in(entries))
    assert list(tally.orders.retired) == list(
        dict.fromkeys(
            order["bot"]
            for order, in_force in naive.orders_in(entries)
            if in_force and order["kind"] == "retire"
        )
    )
    assert tally.orders.disqualified.keys() == naive.bots_under("disqualify", entries)
    found = {
        (conditions.rules.name, conditions.limits.timeout_ms): table
        for conditions, table in tally.tables.items()
    }
    assert list(found) == list(expected)  # those of the first game first
    for conditions, table in found.items():
        by_hand = expected[conditions]
        for count in ("games", "void", "voided", "disqualified"):
            assert getattr(table, count) == by_hand[count]
        assert {bot.name: bot.points for bot in table.bots.values()} == by_hand["points"]
        assert {bot.name: bot.version for bot in table.bots.values()} == by_hand["last"]
        stints = [(stint.name, stint.version, stint.life) for stint in table.stints]
        assert stints == list(by_hand["stints"])
        for stint, results in zip(table.stints, by_hand["stints"].values(), strict=True):
            assert (stint.won, stint.lost, stint.tied) == tuple(
                results[what] for what in ("won", "lost", "tied")
            )
            assert [stint.games_won, stint.games_lost, stint.games_tied] == results["games"]
            assert stint.forfeits == results["forfeits"]
            assert (stint.played_out, stint.shots_to_win) == (
                len(results["wins"]),
                sum(results["wins"]),
            )
            assert stint.streak == results["streak"]
        told = {}
        for (a, b), pair in table.pairs.items():
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
    """What a group's games were to every two stints that met in them, as each of the two sees
    it."""
    for (a, b), pair in group.pairs.items():
        seen = (pair.above, pair.below, pair.level, pair.won, pair.lost)
        yield (stints[a], stints[b]), list(seen)
        above, below, level, won, lost = seen
        yield (stints[b], stints[a]), [below, above, level, lost, won]


@examples(30)
@given(journals(), st.data())
def test_a_fold_goes_on_from_its_document(entries, data):
    """Written down after any entry, with whatever orders came later, it ends in the same bytes; and
    so it does taken up entry by entry."""
    whole = text_of(fold(entries))
    cut = data.draw(st.integers(0, len(entries)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.json")
        journal = path.with_suffix(".games.jsonl")
        journal.write_bytes(lines(entries[:cut]))
        assert rebuild(path) == fold(entries[:cut])
        assert path.read_text() == text_of(fold(entries[:cut])) + "\n"
        with journal.open("ab") as file:
            file.write(lines(entries[cut:]))
        assert text_of(read(path)) == whole
        with Ledger(path) as ledger:
            assert text_of(ledger.tally) == whole
        assert path.read_text() == whole + "\n"
        ours = [one for one in verify(path).problems if "there is no" not in one]
        assert [one for one in ours if one.startswith(str(path))] == []
        journal.write_bytes(b"")
        path.unlink()
        with Ledger(path) as ledger:
            for entry in entries:
                ledger._append(entry)
            assert text_of(ledger.tally) == whole


@examples(50)
@given(journals())
def test_the_document_of_a_fold_is_one(entries):
    """It is to the schema and adds up; its text is the document, and read back it is the tally."""
    tally = fold(entries)
    document = json.loads(text_of(tally))
    assert document == to_json(tally)
    assert schemas.problem("ledger", document) is None
    assert problem(document) is None
    assert from_json(document) == tally


@examples(100)
@given(journals(), st.data())
def test_a_void_game_counts_as_if_it_had_never_been(entries, data):
    """With games void, a journal gives the points and pairs that it gives without them, if what is
    left is told of in the same versions."""
    entries = [entry for entry in entries if "kind" not in entry]
    entries = [
        {**entry, "seats": [{**s, "digest": None} for s in entry["seats"]]} for entry in entries
    ]
    gone = data.draw(st.sets(st.integers(1, max(1, len(entries))), min_size=1, max_size=6))
    gone = {number for number in gone if number <= len(entries)}
    voids = [order("void", 1, games=sorted(gone), reason="rain")] if gone else []
    tally = fold([*entries, *voids])
    rest = fold([entry for number, entry in enumerate(entries, 1) if number not in gone])
    assert sum(table.voided for table in tally.tables.values()) == len(gone)
    for conditions, table in rest.tables.items():
        other = tally.tables[conditions]
        same = ("bots", "stints", "pairs", "groups", "games", "void")
        assert [getattr(table, name) for name in same] == [getattr(other, name) for name in same]


def test_points_move_as_the_specification_says():
    """A loser at the floor pays nothing and the winner gains 5% all the same; one at 10.3 pays
    what it has over 10."""
    tally = fold([play(seed=1, game_id="1").to_json()])
    (table,) = tally.tables.values()
    winner, loser = sorted(table.bots.values(), key=lambda bot: -bot.points)
    assert (winner.points, loser.points) == (10.5, 10.0)
    loser.points = 10.3
    again = play(seed=1, game_id="2").to_json()
    tally.enter(again)
    assert (winner.points, loser.points) == (10.5 + 0.05 * 10.3, 10.0)


def test_a_match_moves_the_points_once():
    """With its last game, or with the forfeit that ends it and loses it whatever the score is;
    until then nothing counts."""
    games = [part_of_a_match(at, games=3) for at in (1, 2, 3)]
    forfeited = part_of_a_match(2, "n", 3, forfeit=(0, Termination.CRASH))
    for lead in (games[:2], [part_of_a_match(1, "n", 3)]):
        (table,) = fold(lead).tables.values()
        assert (table.games, table.unfinished, table.pairs) == (0, len(lead), {})
        assert {bot.points for bot in table.bots.values()} == {10.0}
    (table,) = fold(games).tables.values()
    wins = [sum(one["outcome"]["winner"] == seat for one in games) for seat in (0, 1)]
    assert wins[0] != wins[1]
    assert sorted(bot.points for bot in table.bots.values()) == [10.0, 10.5]
    assert [(one.won, one.games_won, one.games) for one in table.stints] == [
        (int(wins[0] > wins[1]), wins[0], 3),
        (int(wins[1] > wins[0]), wins[1], 3),
    ]
    (table,) = fold([part_of_a_match(1, "n", 3), forfeited]).tables.values()
    assert [(one.won, one.lost, one.games) for one in table.stints] == [(0, 1, 2), (1, 0, 2)]
    assert (table.games, table.unfinished) == (2, 0)


def test_games_that_no_match_is_told_of_count_by_themselves():
    """As a single game of such rules is played."""
    games = [{**part_of_a_match(at), "match": None} for at in (1, 2)]
    (table,) = fold(games).tables.values()
    assert (table.games, sum(one.units for one in table.stints)) == (2, 4)


@pytest.mark.parametrize(
    "match",
    [5, {}, {"id": 5, "game": 1, "games": 2}, {"id": "m", "game": 0, "games": 2}]
    + [
        {"id": name, "game": 1, "games": games}
        for name, games in (("", 2), ("m", 2.0), ("m", 10**6))
    ],
)
def test_a_match_that_is_none_is_no_game_record(match):
    """Whatever a stranger's record says of it."""
    with pytest.raises(ValueError, match="no game record"):
        Tally().enter({**part_of_a_match(1), "match": match})


@pytest.mark.parametrize("variant", ["brainjar", "broadsides", "contest", "bsp", "xbs"])
def test_real_games_of_every_variant_are_counted(variant):
    """A game that the engine has played, of any rules for two, is one game of each bot."""
    tally = Tally()
    for seed in range(6):
        record = play(VARIANTS[variant], seed=seed, game_id=str(seed))
        assert tally.enter(json.loads(json.dumps(record.to_json())))
    (table,) = tally.tables.values()
    assert table.conditions.rules == VARIANTS[variant]
    assert [stint.games for stint in table.stints] == [6, 6]
    assert problem(to_json(tally)) is None


def test_games_whose_fleets_were_drawn_are_of_one_table():
    """Of a variant and of other rules, for a record says how its fleet was drawn."""
    mine = replace(CONTEST, name="mine", round_limit=7)
    for rules in (CONTEST, mine):
        records = [play(rules, seed=seed, game_id=str(seed)).to_json() for seed in range(6)]
        assert len({tuple(record["rules"]["fleet"]) for record in records}) > 1
        assert [one.rules for one in fold(records).tables] == [rules]


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
    (table,) = tally.tables.values()
    assert {stint.name: stint.volleys_to_win for stint in table.stints} == expected
    assert any(stint.volleys_to_win < stint.shots_to_win for stint in table.stints)
    assert from_json(to_json(tally)) == tally


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
    (table,) = tally.tables.values()
    assert (tally.recorded, table.games, table.void) == (1, 0, 1)
    assert [stint.forfeits for stint in table.stints] == [{"timeout": 1}, {"illegal-fleet": 1}]
    assert [stint.games for stint in table.stints] == [0, 0]
    assert [bot.points for bot in table.bots.values()] == [10.0, 10.0]
    assert not table.pairs


def test_the_first_seed_of_a_contest_stays():
    """A second contest entry changes nothing, and 0 is a seed as any other."""
    entries = [{"version": 1, "kind": "contest", "seed": seed} for seed in ("0", "8")]
    assert fold(entries).seed == 0


def test_an_order_about_games_that_are_counted_is_handed_back():
    """With nothing changed; a tally that knew it from the start takes it in."""
    game = play(game_id="3").to_json()
    reason = {"reason": "rebooting"}
    for entry in (
        order("void", 1, games=[1], **reason),
        order("disqualify", 1, bot="hunter", **reason),
    ):
        tally = fold([game])
        before = to_json(tally)
        assert not tally.enter(entry)
        assert to_json(tally) == before
        assert not fold([game, entry]).games


def test_an_order_about_games_to_come_is_taken_in():
    """A reset, a retirement and what takes it back, and a bot that has not played."""
    tally = fold([play(game_id="1").to_json()])
    for entry in (
        order("reset", 1, bot="hunter"),
        order("retire", 2, bot="random"),
        order("undo", 1, order=2),
        order("disqualify", 3, bot="eve", reason="it cheats"),
    ):
        assert tally.enter(entry)
    assert (tally.notes, dict(tally.orders.retired)) == (4, {})
    assert not tally.enter(order("undo", 2, order=1))  # points have moved by it


GAME = play(game_id="3").to_json()


def of_volleys(*more: int) -> dict[str, Any]:
    """A game whose volleys are counted by its ships, with more ships of these lengths."""
    document: dict[str, Any] = json.loads(json.dumps(play(BROADSIDES).to_json()))
    ship = {"column": 0, "row": 0, "orientation": "vertical"}
    document["seats"][0]["fleet"] += [{"length": length, **ship} for length in more]
    return document


NO_GAMES = {
    "nothing": ({}, "no entry"),
    "a newer version": ({**GAME, "version": 2}, "newer judge"),
    "a newer contest": ({"version": 2, "kind": "contest", "seed": "7"}, "newer judge"),
    "a seed that is a number": ({"version": 1, "kind": "contest", "seed": 7}, "no entry"),
    "a seed of 40 digits": ({"version": 1, "kind": "contest", "seed": "9" * 40}, "39 digits"),
    "an unknown kind": ({**GAME, "version": 1, "kind": "prize"}, "no entry"),
    "a void of no game": (order("void", 1), "no entry"),
    "a void of no number": (order("void", 1, games=["1"], reason="x"), "without numbers"),
    "a void of a later game": (
        order("void", 1, games=[1, 2], reason="x"),
        "voids game 2, and 1 games stand before it",
    ),
    "a newer void": ({**order("void", 1, games=[1]), "version": 2}, "newer judge"),
    "an order without a number": ({"version": 1, "kind": "reset", "bot": "a"}, "without a number"),
    "a reset of nobody": (order("reset", 1), "no entry"),
    "a disqualified bot without a reason": (order("disqualify", 1, bot="a"), "no entry"),
    "an undo of no order": (order("undo", 1, order=1), "takes back order 1"),
    "an undo of nothing": (order("undo", 1), "no entry"),
    "a title that is too long": (
        {"version": 1, "kind": "description", "title": "x" * 201, "about": ""},
        "its title is longer than 200 characters",
    ),
    "a text that is too long": (
        {"version": 1, "kind": "description", "title": "", "about": "x" * 20_001},
        "its text is longer than 20,000 characters",
    ),
    "a kind that is none": ({"version": 1, "kind": ["void"]}, "no entry"),
    "rules that are none": ({**GAME, "rules": {**GAME["rules"], "fleet": [0]}}, "no game record"),
    "limits that are none": ({**GAME, "limits": {"timeout_ms": 5}}, "no game record"),
    "a digest that is none": (
        {**GAME, "seats": [{**seat, "digest": 5} for seat in GAME["seats"]]},
        "digest",
    ),
    "an id that is a number": ({**GAME, "id": 3}, "no entry"),
    "no outcome": ({k: v for k, v in GAME.items() if k != "outcome"}, "no game record"),
    "shots that are none": ({**GAME, "shots": [5]}, "no game record"),
    "an empty shot": ({**GAME, "shots": [[]]}, "no game record"),
    "a name that is none": (
        {**GAME, "seats": [{**GAME["seats"][0], "name": n} for n in (5, "b")]},
        "no name",
    ),
    "one seat": ({**GAME, "seats": GAME["seats"][:1]}, "a game has 2 to 100 players"),
    "one of three bots twice": (
        {**GAME, "seats": [{**GAME["seats"][0], "name": n} for n in "aba"]},
        "game of a against itself",
    ),
    "one bot twice": ({**GAME, "seats": 2 * [{**GAME["seats"][0], "name": "a"}]}, "against itself"),
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
    "more ships than the rules have": (of_volleys(2, 9), "no game record"),
}


@pytest.mark.parametrize(("entry", "says"), NO_GAMES.values(), ids=NO_GAMES)
def test_what_cannot_be_counted_is_refused_with_nothing_changed(entry, says):
    """An entry that is damaged in what the fold looks at raises ValueError that says how."""
    tally = fold([play(seed=2, game_id="2").to_json()])
    before = to_json(tally)
    with pytest.raises(ValueError, match=says):
        tally.enter(entry)
    assert to_json(tally) == before


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
    """The ledger of one game, with other fields."""
    return to_json(fold([play(game_id="3").to_json()])) | changes


def table(**changes: Any) -> dict[str, Any]:
    """The same with other fields of its table."""
    (only,) = ledger()["tables"]
    return ledger(tables=[only | changes])


def grouped(*rows: list[int], **changes: Any) -> dict[str, Any]:
    """The ledger of a game of three that ann won by points, bob second, with other pairs."""
    game = play().to_json()
    seats = [{**game["seats"][0], "name": name} for name in NAMES[:3]]
    won = {
        **game["outcome"],
        "winner": 0,
        "loser": None,
        "scores": [3, 2, 1],
        "termination": "goal",
    }
    document = to_json(fold([{**game, "seats": seats, "outcome": won}]))
    (group,) = document["tables"][0]["groups"]
    group.update({"pairs": [*rows]} if rows else {}, **changes)
    return document


GROUP = [[0, 1, 1, 0, 0, 1, 0], [0, 2, 1, 0, 0, 1, 0], [1, 2, 1, 0, 0, 0, 0]]


def part_of_a_match(at: int, match: str = "m", games: int = 2, **more: Any) -> dict[str, Any]:
    """The game of a match in this place, from 1."""
    game = play(CONTEST, seed=at, game_id=f"{match}-{at}", **more).to_json()
    return json.loads(json.dumps({**game, "match": {"id": match, "game": at, "games": games}}))


MATCHES = to_json(fold([part_of_a_match(1), part_of_a_match(2), part_of_a_match(3, "n")]))
OPEN = MATCHES["tables"][0]["matches"]["open"][0]


def of_matches(**changes: Any) -> dict[str, Any]:
    """The ledger of a match that is over and one that is not, with other matches in its table."""
    (only,) = MATCHES["tables"]
    matches = only.get("matches", {})
    found = {**only, "matches": {**matches, **changes}}
    if not changes:
        del found["matches"]
    return {**MATCHES, "tables": [found]}


BOTS = ledger()["tables"][0]["bots"]
STINTS = ledger()["tables"][0]["stints"]
SENSELESS = {
    "no object": ([], "type 'object'"),
    "pairs that are none": (table(pairs=5), "pairs: 5"),
    "a pair too short": (table(pairs=[[0, 1, 1, 0]]), "pairs"),
    "a later pair too short": (table(pairs=[[0, 1, 1, 0, 0], [0, 1]]), r"pairs\[1\]"),
    "a later pair with a text": (
        table(pairs=[[0, 1, 1, 0, 0], [0, 1, "1", 0, 0]]),
        r"pairs\[1\]",
    ),
    "a stint that is not there": (table(pairs=[[0, 2, 1, 0, 0]]), r"pairs\[0\]"),
    "a stint against itself": (table(pairs=[[1, 1, 1, 0, 0]]), r"pairs\[0\]"),
    "a pair twice": (table(pairs=[[0, 1, 1, 0, 0], [1, 0, 0, 0, 0]]), "twice"),
    "a sum that is off": (table(pairs=[[0, 1, 7, 0, 0]]), "other games than its own counts"),
    "too many games": (table(games=2), "games"),
    "too many void games": (table(void=1), "recorded"),
    "no last game": (ledger(last=None), "last"),
    "a bot twice": (table(bots=2 * BOTS[:1]), "one name"),
    "a version that is not there": (
        table(bots=[{**BOTS[0], "version": 2}, BOTS[1]]),
        "not so many",
    ),
    "a bot that is not there": (ledger(versions={"hunter": [None]}), "random has not so many"),
    "a version twice": (
        ledger(versions={"hunter": [None, None], "random": [None]}),
        "one of them twice",
    ),
    "points that are none": (table(bots=[{**BOTS[0], "points": "10"}]), "points"),
    "points below the floor": (table(bots=[{**BOTS[0], "points": 9}]), "minimum"),
    "points without end": (table(bots=[{**BOTS[0], "points": 1e999}]), "number"),
    "a stint of nobody": (table(stints=[STINTS[0], [2, *STINTS[1][1:]]]), r"stints\[1\]"),
    "a stint too short": (table(stints=[STINTS[0], STINTS[1][:5]]), r"stints\[1\]"),
    "a stint twice": (table(stints=2 * STINTS[:1]), "one is there twice"),
    "a stint with a cause that is none": (
        table(stints=[STINTS[0], [*STINTS[1][:10], {"boredom": 1}]]),
        r"stints\[1\]",
    ),
    "a group's pair too short": (grouped([0, 1, 1]), r"groups"),
    "a group's later pair with a text": (grouped(GROUP[0], [0, 2, 1, 0, 0, "1", 0]), "groups"),
    "a group's stint that is not there": (
        grouped(*GROUP[:2], [1, 3, 1, 0, 0, 0, 0]),
        r"pairs\[2\]",
    ),
    "a group's pair twice": (grouped(*GROUP, [1, 0, 0, 1, 0, 0, 1]), "twice"),
    "a group's pair of too many games": (grouped(*GROUP[:2], [1, 2, 1, 1, 0, 0, 0]), "than games"),
    "a win over one of three": (grouped(GROUP[0], GROUP[2]), "over 2 others"),
    "a win of nobody": (grouped([1, 2, 1, 0, 0, 0, 0]), "another number of wins"),
    "a group of two": (grouped(seats=2), "seats"),
    "a group of too many games": (grouped(games=2), "not as many as the bots have"),
    "matches where games count": (table(matches={"games": [], "open": []}), "and only there"),
    "no matches where they count": (of_matches(), "not as many as the pairs have"),
    "matches of other stints": (of_matches(games=[[1, 0, 0]]), "other stints"),
    "games that are no counts": (of_matches(games=[[1, 0], [0, 1, 0]]), "games"),
    "fewer games than there are": (of_matches(games=[[0, 0, 0]] * 2), "not as many"),
    "games that nobody lost": (of_matches(games=[[2, 0, 0], [2, 0, 0]]), "not as many"),
    "an open match of one bot": (of_matches(open=[OPEN[:3] + OPEN[1:3] + OPEN[5:]]), r"open\[0\]"),
    "an open match of an unknown version": (
        of_matches(open=[[*OPEN[:2], 9, *OPEN[3:]]]),
        r"open\[0\]",
    ),
    "an open match without a game": (of_matches(open=[[*OPEN[:5], 0, 0, 0, 0, 0]]), r"open\[0\]"),
    "an open match with a number for its id": (of_matches(open=[[7, *OPEN[1:]]]), r"open\[0\]"),
    "an open match twice": (of_matches(open=[OPEN, OPEN]), "twice"),
    "games of open matches that nobody recorded": (
        of_matches(open=[[*OPEN[:5], 9, 0, 0, 0, 0]]),
        "recorded",
    ),
    "conditions twice": (ledger(tables=2 * ledger()["tables"], recorded=2), "same conditions"),
    "rules of no game": (
        table(rules={**builtins(VARIANTS["brainjar"]), "columns": 1, "rows": 1}),
        "does not fit",
    ),
    "a void game that is none": (
        ledger(orders=[{"kind": "void", "games": [1, 2], "reason": "x"}]),
        "order 1 voids games that are none",
    ),
    "an order that is none": (ledger(orders=[{"kind": "prize", "bot": "a"}]), "orders"),
}


@pytest.mark.parametrize(("document", "says"), SENSELESS.values(), ids=SENSELESS)
def test_a_ledger_that_does_not_add_up_is_none(document, says):
    """What passes can be read without fear: every number of it has been looked at."""
    with pytest.raises(AssertionError, match=says):
        assert problem(document) is None, problem(document)


def test_a_ledger_that_adds_up_has_no_problem():
    """The same documents, unspoilt, pass."""
    assert problem(ledger()) is None
    assert problem(grouped(*GROUP)) is None
    assert problem(to_json(Tally())) is None
    assert problem(MATCHES) is None
