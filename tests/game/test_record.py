"""Game records: written, read back, judged again; and no damage that goes unnoticed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st

from changes import replace
from games import fired
from games import played as example
from judge import schemas
from judge.documents.codec import builtins, convert, encode
from judge.documents.game import MOST_SHOTS, GameRecord, Incident, Outcome, Termination
from judge.documents.rules import Cell
from judge.errors import RecordError, TimedOut
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, VARIANTS, XBS
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.testing import variant
from judge.wire import messages
from judge.wire.messages import FromPlayer, Question
from players import Scripted, by_luck
from record_strategies import played, stormy, stormy_game
from strategies import examples

Json = Any


def judged(document: Json) -> GameRecord:
    """Read a document and judge its game again, as a ledger's `verify` does."""
    record = convert(GameRecord, document, "it")
    for _ in replay(record):
        pass
    return record


def fault(document: Json) -> str:
    """The sentence with which a damaged document is refused."""
    with pytest.raises(RecordError) as caught:
        judged(document)
    sentence = str(caught.value)
    assert sentence.isprintable(), "one line, no control characters"
    return sentence


# Games of every kind


def same_end(found: Outcome | None, said: Outcome) -> bool:
    """Whether two outcomes agree in all that a game decides; the sentence is the referee's."""
    return found is not None and replace(found, detail="") == replace(said, detail="")


# Round trips


@given(played() | stormy())
@examples(60)
def test_round_trip(record: GameRecord) -> None:
    """A record is read back, through JSON text, as it was written."""
    document = builtins(record)
    assert schemas.problem("game-record", document) is None
    assert convert(GameRecord, json.loads(json.dumps(document)), "it") == record
    assert builtins(convert(GameRecord, document, "it")) == document


@given(played() | stormy())
@examples(120)
def test_replay(record: GameRecord) -> None:
    """Judged again, a game has the same shots and the same end, position by position."""
    shots = fired(record.shots)
    length = 0
    game = None
    for game in replay(record):
        assert len(game.shots) >= length
        length = len(game.shots)
        assert fired(game.shots) == shots[:length] or game.outcome
    assert game is not None
    assert fired(game.shots) == shots
    assert same_end(game.outcome, record.outcome)
    assert game.to_move == ()
    event(record.outcome.termination)


@pytest.mark.parametrize("name", VARIANTS)
def test_whole_games(name: str) -> None:
    """A game of each variant as it is, on its own board, is written, read and judged again."""
    luck = Random(name)
    rules = VARIANTS[name].drawn(luck)
    players = [Scripted(by_luck(rules, luck)) for _ in range(rules.players[0])]
    record = play_game(Conditions(rules=rules), players, game_id="1", seed=1)
    assert not record.outcome.termination.is_forfeit
    assert judged(builtins(record)) == record


def late(message: Question) -> FromPlayer:
    raise TimedOut("no reply within 2 s")


def test_a_void_game() -> None:
    """Two bad fleets: no fleets, no shots, a sentence and an aside for each."""
    players = [Scripted(late), Scripted(late)]
    record = play_game(Conditions(rules=BRAINJAR), players, game_id="1", seed=1)
    assert record.outcome == Outcome(
        None, None, Termination.VOID, "no reply within 2 s; no reply within 2 s"
    )
    assert [seat.fleet for seat in record.seats] == [None, None]
    assert record.incidents == (Incident(0, 0, "timeout"), Incident(0, 1, "timeout"))
    assert judged(builtins(record)) == record


def test_players_that_both_fail_ship_by_ship() -> None:
    """The record does not say at which ship each of them failed, and needs not."""
    rules = VARIANTS["contest"].drawn(Random(1))
    players = [Scripted(late), Scripted(late)]
    record = play_game(Conditions(rules=rules), players, game_id="1", seed=1)
    assert record.outcome.termination is Termination.BOTH_FAILED
    assert judged(builtins(record)) == record


@pytest.mark.parametrize(("seats", "shots"), [((), 0), ((0,), 0), ((0, 1), 0), ((0, 1), 40)])
def test_a_game_that_was_broken_off(seats: tuple[int, ...], shots: int) -> None:
    """It is judged again as far as it went, in its placing too. If its record says that a bot has
    won, it is refused."""
    document = good()
    for seat in {0, 1} - {*seats}:
        document["seats"][seat]["fleet"] = None
    del document["shots"][shots:]
    document["outcome"] |= {"winner": None, "loser": None, "termination": "aborted"}
    document["rated"] = False
    assert [len(game.shots) for game in replay(judged(document))][-1] == shots
    document["outcome"]["winner"] = 1
    assert "the recorded outcome is not that of its moves" in fault(document)


def test_games_with_every_incident_are_judged_again() -> None:
    """Players skip, leave, come back and forfeit. A player whose turn waits for it, as at a server,
    changes nothing."""
    rules, seen = replace(XBS, columns=4, rows=4, fleet=(2, 1)), set[str]()
    for seed in range(20):
        record = stormy_game(rules, 3, Random(seed), 0.5)
        waits = [Incident(0, 0, what) for what in ("away", "boot", "back")]
        if record.incidents and all(seat.fleet for seat in record.seats):
            record = replace(record, incidents=(*waits, *record.incidents))
        assert judged(builtins(record)) == record
        seen |= {incident.what for incident in record.incidents}
    assert seen >= {"skip", "leave", "return", "away", "boot", "back", "resigned", "crash"}


def test_replay_starts_with_the_fleets() -> None:
    """The first position is that before the first shot, and each shot gives one more."""
    record = convert(GameRecord, good(), "it")
    lengths = [len(game.shots) for game in replay(record)]
    assert lengths == list(range(len(record.shots) + 1))


# Damage


def brainjar_game() -> GameRecord:
    """A whole game under the default rules, won by seat 1."""
    luck = Random(3)
    players = [Scripted(by_luck(BRAINJAR, luck)) for _ in range(2)]
    return play_game(Conditions(rules=BRAINJAR), players, game_id="7-1", seed=7, first=1)


def forfeited_game() -> GameRecord:
    """A game that seat 0 lost by its third shot, and that could have gone on."""
    luck = Random(5)
    shots = by_luck(BRAINJAR, luck)
    asked: list[Question] = []

    def late(message: Question) -> FromPlayer:
        asked.append(message)
        if len(asked) == 4:
            raise TimedOut("no reply within 2 s")
        return shots(message)

    players = [Scripted(late), Scripted(by_luck(BRAINJAR, luck))]
    return play_game(Conditions(rules=BRAINJAR), players, game_id="7-1", seed=7)


def skipping_game() -> GameRecord:
    """A game of xbs in which seat 0 skips every second turn."""
    rules = replace(XBS, columns=4, rows=4, fleet=(2, 1))
    luck = Random(9)
    shots = by_luck(rules, luck)
    asked: list[Question] = []

    def lazy(message: Question) -> FromPlayer:
        asked.append(message)
        return shots(message) if len(asked) % 2 else messages.Skipped()

    players = [Scripted(lazy), Scripted(by_luck(rules, luck))]
    return play_game(Conditions(rules=rules), players, game_id="7-1", seed=7)


GOOD = builtins(brainjar_game())
FORFEITED = builtins(forfeited_game())
SKIPPING = builtins(skipping_game())
EVIDENCE = builtins(example(forfeit=(0, Termination.CRASH)))["outcome"]["evidence"][0]


def good() -> Json:
    return copy.deepcopy(GOOD)


def test_the_undamaged_are_sound() -> None:
    """The games that are damaged below are sound before."""
    assert judged(good()).outcome.termination is Termination.FLEET_DESTROYED
    assert judged(good()).outcome.winner == 1
    assert judged(copy.deepcopy(FORFEITED)).outcome.termination is Termination.TIMEOUT
    assert [aside[2] for aside in builtins(judged(SKIPPING))["incidents"]].count("skip") > 3


def shot(document: Json, result: int) -> int:
    """The number of a shot with this result, somewhere in the middle."""
    shots = document["shots"]
    return next(i for i in range(len(shots) // 3, len(shots)) if shots[i][4] == result)


def change_a_hit(d: Json) -> None:
    """Another cell, one that is not a ship's and never shot at."""
    number = shot(d, 3)
    target = d["shots"][number][1]
    fleet = convert(GameRecord, d, "it").seats[target].fleet or ()
    taken = {(s[2], s[3]) for s in d["shots"] if s[1] == target}
    taken |= {tuple(cell) for ship in fleet for cell in ship.cells}
    free = next((c, r) for c in range(8) for r in range(8) if (c, r) not in taken)
    d["shots"][number][2:4] = free


def swap_results(d: Json) -> None:
    hit, miss = shot(d, 3), shot(d, 1)
    d["shots"][hit][4], d["shots"][miss][4] = 1, 3


def swap_fleets(d: Json) -> None:
    one, other = d["seats"]
    one["fleet"], other["fleet"] = other["fleet"], one["fleet"]


def move_a_ship(d: Json) -> None:
    """The ship is one of the seat that lost: every ship of it was hit."""
    ship = d["seats"][0]["fleet"][0]
    ship["row"] += 1 if ship["row"] < 3 else -1


Damage = Callable[[Json], None]

DAMAGES: dict[str, tuple[Damage, str]] = {
    "a hit elsewhere": (change_a_hit, "game 7-1"),
    "a shot off the grid": (lambda d: d["shots"][9].__setitem__(2, 8), "outside the 8×8 grid"),
    "a shot at a far column": (lambda d: d["shots"][9].__setitem__(2, 99), "outside the 8×8"),
    "a shot at oneself": (lambda d: d["shots"][0].__setitem__(1, 1), "seat 1 is not an opponent"),
    "a shot at nobody": (lambda d: d["shots"][0].__setitem__(1, 2), "seat 2 is not an opponent"),
    "a shot by the other": (
        lambda d: d["shots"].__setitem__(0, [0, 1, *d["shots"][0][2:]]),
        "game 7-1: shot 1 should be seat 1's",
    ),
    "the first shot dropped": (lambda d: d["shots"].pop(0), "game 7-1"),
    "a shot dropped": (lambda d: d["shots"].pop(20), "game 7-1"),
    "the last shot dropped": (lambda d: d["shots"].pop(), "should be seat 1's"),
    "all shots dropped": (lambda d: d["shots"].clear(), "game 7-1: shot 1 should be seat 1's"),
    "a shot repeated": (
        lambda d: d["shots"].insert(1, d["shots"][0]),
        "game 7-1",
    ),
    "a hit repeated": (
        lambda d: d["shots"].insert(shot(d, 3), d["shots"][shot(d, 3)]),
        "which was shot at before",
    ),
    "a shot after the end": (
        lambda d: d["shots"].append([1, 0, 0, 0, 1, 0.0]),
        "game 7-1 goes on after its end",
    ),
    "two shots exchanged": (
        lambda d: d["shots"].__setitem__(slice(4, 6), [d["shots"][5], d["shots"][4]]),
        "game 7-1",
    ),
    "results swapped": (swap_results, "game 7-1: shot"),
    "a miss told as a hit": (
        lambda d: d["shots"][shot(d, 1)].__setitem__(4, 3),
        "is recorded as hit, but is a miss",
    ),
    "a hit told as a miss": (
        lambda d: d["shots"][shot(d, 3)].__setitem__(4, 1),
        "is recorded as miss, but is a hit",
    ),
    "a hit told as a sinking": (
        lambda d: d["shots"][shot(d, 3)].__setitem__(4, 4),
        "is recorded as sunk, but is a hit",
    ),
    "a sinking told as a hit": (
        lambda d: d["shots"][shot(d, 4)].__setitem__(4, 3),
        "is recorded as hit, but is a sunk",
    ),
    "a miss told as a repeat": (
        lambda d: d["shots"][shot(d, 1)].__setitem__(4, 0),
        "is recorded as repeat, but is a miss",
    ),
    "another winner": (
        lambda d: d["outcome"].update(winner=0, loser=1),
        "game 7-1: the recorded outcome is not that of its moves",
    ),
    "no winner": (lambda d: d["outcome"].update(winner=None), "the recorded outcome is not"),
    "no loser": (lambda d: d["outcome"].update(loser=None), "the recorded outcome is not"),
    "a winner from nowhere": (lambda d: d["outcome"].update(winner=9), "the recorded outcome is"),
    "evidence of nobody": (
        lambda d: d["outcome"].update(evidence=[{**EVIDENCE, "seat": 2}]),
        "game 7-1 has evidence of seat 2, which is not there",
    ),
    "another termination": (
        lambda d: d["outcome"].update(termination="crash"),
        "the recorded outcome is not",
    ),
    "a void game that counts": (
        lambda d: d.update(
            shots=[],
            seats=[{**seat, "fleet": None} for seat in d["seats"]],
            incidents=[[0, 0, "crash"], [0, 1, "crash"]],
            outcome={**d["outcome"], "winner": None, "loser": None, "termination": "void"},
        ),
        "game 7-1 is rated, and a game that ended so counts for nobody",
    ),
    "scores": (lambda d: d["outcome"].update(scores=[0, 4]), "the recorded outcome is not"),
    "fleets exchanged": (swap_fleets, "game 7-1"),
    "a ship elsewhere": (move_a_ship, "game 7-1"),
    "a ship off the grid": (
        lambda d: d["seats"][0]["fleet"][3].update(column=7, row=7),
        "game 7-1 breaks its rules: the ship of 5 leaves the 8×8 grid",
    ),
    "a ship too few": (
        lambda d: d["seats"][0]["fleet"].pop(),
        "game 7-1 breaks its rules: placed ships of 2, 3, 4 where the rules have 2, 3, 4, 5",
    ),
    "an endless ship": (
        lambda d: d["seats"][0]["fleet"][0].update(length=10**6),
        "it is no game record: $.seats[0].fleet[0].length: 1000000 is more than 100",
    ),
    "no fleet": (
        lambda d: d["seats"][0].update(fleet=None),
        "game 7-1: seat 0 has no fleet and no forfeit",
    ),
    "another first mover": (lambda d: d.update(first=0), "shot 1 should be seat 0's"),
    "a first mover from nowhere": (
        lambda d: d.update(first=2),
        "brainjar is not played by 2 seats with 2 first",
    ),
    "a third seat": (
        lambda d: d["seats"].append(d["seats"][0]),
        "brainjar is not played by 3 seats",
    ),
    "a skip": (
        lambda d: d["incidents"].append([4, d["shots"][4][0], "skip"]),
        "game 7-1 breaks its rules: a turn cannot be skipped in brainjar",
    ),
    "a forfeit": (
        lambda d: d["incidents"].append([4, 1, "timeout"]),
        "game 7-1 goes on after its end",
    ),
    "a forfeit after the end": (
        lambda d: d["incidents"].append([len(d["shots"]), 0, "timeout"]),
        "game 7-1 goes on after its end",
    ),
    "an aside of nobody": (
        lambda d: d["incidents"].append([4, 5, "timeout"]),
        "game 7-1 breaks its rules: there is no seat 5",
    ),
    "other rules": (lambda d: d["rules"].update(turn="single"), "game 7-1"),
    "a smaller board": (lambda d: d["rules"].update(columns=5), "game 7-1 breaks its rules"),
    "rules of no game": (
        lambda d: d["rules"].update(columns=1, rows=1),
        "rules 'brainjar': the fleet 2, 3, 4, 5 does not fit a board of 1×1",
    ),
    "a fleet still to be drawn": (
        lambda d: d["rules"].update(fleet={"ships": 4, "shortest": 2, "longest": 5}),
        "it is no game record: the fleet of its rules is still to be drawn",
    ),
    "a broken integer": (
        lambda d: d["rules"].update(columns=8.0),
        "it is no game record: $.rules.columns: 8.0 is not a whole number",
    ),
    "no time": (
        lambda d: d["shots"][0].__setitem__(5, float("nan")),
        "it is no game record: $.shots[0][5]: nan is ",
    ),
    "a beginning that is not a time": (
        lambda d: d.update(started="-h"),
        "it is no game record: started: '-h' is not a time",
    ),
    "an end that is not a time": (
        lambda d: d.update(finished="2026-02-30T12:00:00Z"),
        "it is no game record: finished: '2026-02-30T12:00:00Z' is not a time",
    ),
    "another version": (
        lambda d: d.update(version=3),
        "it is no game record: $.version: 3 is not one of 1",
    ),
    "an unknown version": (
        lambda d: d.update(version="two"),
        "it is no game record: $.version: 'two' is not a whole number",
    ),
    "no version": (
        lambda d: d.pop("version"),
        "it is no game record: it has no 'version'",
    ),
    "an unknown key": (
        lambda d: d.update(extra=1),
        "it is no game record: it has a key that is not known: 'extra'",
    ),
    "an unknown key of a seat": (
        lambda d: d["seats"][1].update(extra=1),
        "it is no game record: $.seats[1]: it has a key that is not known: 'extra'",
    ),
    "an unknown rule": (
        lambda d: d["rules"].update(extra=1),
        "it is no game record: $.rules: it has a key that is not known: 'extra'",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage(name: str) -> None:
    """Every kind of damage is found, and said in a sentence."""
    damage, sentence = DAMAGES[name]
    document = good()
    damage(document)
    assert sentence in fault(document)


@pytest.mark.parametrize("document", [None, True, 7, "record", [], {}, [{}]])
def test_no_document(document: Json) -> None:
    """A value that is not an object is not a record."""
    assert fault(document).startswith("it is no game record: ")


def test_every_key_is_needed() -> None:
    """A record without any one of its keys is refused."""
    for key in GOOD:
        document = good()
        del document[key]
        assert fault(document) == f"it is no game record: it has no {key!r}"


def test_every_key_of_its_parts_is_needed() -> None:
    """A field that the type has a default for is needed as well, for every record has it."""
    lost = example(forfeit=(0, Termination.CRASH))
    for path in (("limits",), ("outcome",), ("outcome", "evidence", 0), ("seats", 0)):
        for key in reduce(getitem, path, builtins(lost)):
            document = builtins(lost)
            del reduce(getitem, path, document)[key]
            assert fault(document).endswith(
                f"{path[-1] if path[-1] != 0 else ']'}: it has no {key!r}"
            )


def test_half_a_surrogate_pair_is_written_and_read() -> None:
    """A bot may print what is not a character; a record is written in ASCII, and comes back with it."""
    record = replace(brainjar_game(), id="\ud83d", number=7)
    assert encode(record).isascii()
    assert builtins(record)["id"] == "\ud83d"
    assert convert(GameRecord, json.loads(encode(record)), "it") == record


def test_every_shot_counts() -> None:
    """A record without one of its shots, or with one twice, is found out. Only a hit of the loser
    could as well not have been: that is the record of another game."""
    for number in range(0, len(GOOD["shots"]), 5):
        seat, *_, result, _ = GOOD["shots"][number]
        document = good()
        del document["shots"][number]
        if seat == 1 or result == 1:
            assert "game 7-1" in fault(document)
        document = good()
        document["shots"].insert(number, document["shots"][number])
        assert "game 7-1" in fault(document)


@pytest.mark.parametrize("document", [FORFEITED, SKIPPING], ids=["forfeited", "skipping"])
def test_every_aside_counts(document: Json) -> None:
    """A record without any one of its incidents, or with one moved, or by another seat, is found
    out."""
    for number, (at, seat, what) in enumerate(document["incidents"]):
        changes = [[], [[at + 1, seat, what]], [[at, 1 - seat, what]], [[at, seat, what]] * 2]
        if at:
            changes.append([[at - 1, seat, what]])
        for changed in changes:
            damaged = copy.deepcopy(document)
            damaged["incidents"][number : number + 1] = changed
            assert "game 7-1" in fault(damaged)


def test_an_aside_of_another_kind() -> None:
    """A forfeit is not a skip, and one forfeit is not another."""
    for what in ("skip", "leave", "crash", "resigned"):
        damaged = copy.deepcopy(FORFEITED)
        damaged["incidents"][0][2] = what
        assert "game 7-1" in fault(damaged)


def test_records_of_everyone_gone() -> None:
    """A game that nobody can go on with, and that is not over, is not a whole record."""
    rules = replace(XBS, columns=4, rows=4, fleet=(2, 1), goal=BRAINJAR.goal)
    document = copy.deepcopy(SKIPPING)
    document["rules"] = builtins(rules)
    document["shots"] = []
    document["incidents"] = [[0, 0, "leave"], [0, 1, "leave"]]
    assert fault(document) == "game 7-1 stops while nobody is up"


# Damage of any kind

SMALL = [
    stormy_game(rules, seats, Random(seed), storm)
    for rules, seats, seed, storm in [
        (replace(BRAINJAR, columns=4, rows=3, fleet=(1, 2)), 2, 1, 0.0),
        (replace(XBS, columns=4, rows=3, fleet=(1, 2)), 3, 4, 0.3),
        (replace(VARIANTS["broadsides"], columns=4, rows=3, fleet=(2, 1), salvo_bonus=(2,)), 2, 3, 0),
        (replace(VARIANTS["contest"], columns=3, rows=3, fleet=(2, 1), round_limit=5), 2, 4, 0.0),
        (replace(VARIANTS["bsp"], columns=3, rows=3, fleet=(1, 1, 2)), 2, 5, 0.1),
    ]
]  # fmt: skip


def places(document: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document."""
    if path:
        yield path
    items = document.items() if isinstance(document, dict) else enumerate(document)
    if isinstance(document, dict | list):
        for key, value in items:
            yield from (
                places(value, (*path, key)) if isinstance(value, dict | list) else [(*path, key)]
            )


def near(value: Json) -> st.SearchStrategy[Json]:
    """Values of the same kind, or of none."""
    anything = st.sampled_from(
        [None, True, 0, -1, 1.5, 2.0, "", "skip", [], {}, [[]], 10**40, float("nan")]
    )
    match value:
        case bool():
            return st.just(not value) | anything
        case int():
            return st.integers(value - 2, value + 2) | anything
        case str():
            words = [*Termination, "skip", "leave", "return", "both", "salvo", "points", "miss"]
            return st.sampled_from(words) | anything
        case list() if value:
            return st.permutations(value) | anything
        case _:
            return anything


def test_a_volley_that_is_too_short_is_named() -> None:
    """Which shots should have been one volley, whose, and how many there are."""
    document = builtins(example(VARIANTS["broadsides"], 2))
    del document["shots"][9]
    assert fault(document) == (
        "game 2-1: from shot 7 on seat 1 should fire a volley of 6 shots, and fires 5"
    )


@given(st.data(), st.sampled_from(SMALL))
@examples(250)
def test_any_damage(data: st.DataObject, record: GameRecord) -> None:
    """Whatever is changed, dropped or doubled in a record: it is refused with a `RecordError`, or
    it is the record of a game that ends as it says."""
    document = builtins(record)
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(sorted(places(document), key=repr)))
        inner = document
        for step in way:
            inner = inner[step]
        match data.draw(st.sampled_from(["change", "change", "change", "drop", "double"])):
            case "change":
                inner[last] = data.draw(near(inner[last]))
            case "double" if isinstance(inner, list):
                inner.insert(last, copy.deepcopy(inner[last]))
            case _:
                del inner[last]
        note(f"{[*way, last]}: {inner}")
        if not document:
            break
    try:
        read = convert(GameRecord, document, "it")
        game = list(replay(read))[-1]
    except RecordError:
        event("refused")
    else:
        assert same_end(game.outcome, read.outcome)
        assert fired(game.shots) == fired(read.shots)
        event("sound")


@given(st.data(), played(variant("brainjar")))
@examples(60)
def test_any_shot_elsewhere(data: st.DataObject, record: GameRecord) -> None:
    """A shot at another cell is found out, unless the game is the same game with it."""
    document = builtins(record)
    if not document["shots"]:
        return
    number = data.draw(st.integers(0, len(document["shots"]) - 1))
    old = tuple(document["shots"][number][2:4])
    new = data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda c: c != old))
    document["shots"][number][2:4] = new
    try:
        judged(document)
    except RecordError:
        return
    seat, target, *_, result, _ = document["shots"][number]
    ships = record.seats[target].fleet or ()
    of = [next((s for s in ships if Cell(*cell) in s.cells), None) for cell in (old, new)]
    assert (of[0] is None) == (of[1] is None) == (result == 1), "a miss for a miss, a hit for a hit"
    assert seat != target


NUMBERS = st.sampled_from(
    [-1, 0, 1, 2, 3, 4, 99, 100, 1.0, 0.5, True, None, "1", 10**12, 10**12 + 1, 2.5e12]
)


@given(st.tuples(*[NUMBERS] * 6).map(list))
@examples(500)
def test_a_shot_is_one_for_the_type_as_for_the_schema(shot: list[object]) -> None:
    """A value that a record takes for a shot passes the schema, and no other value does."""
    document = {**good(), "shots": [shot]}
    try:
        convert(GameRecord, document, "it")
    except RecordError:
        assert schemas.problem("game-record", document) is not None
    else:
        assert schemas.problem("game-record", document) is None


def test_a_game_has_so_many_shots_and_no_more() -> None:
    """As many as there may be are read, and one more is too many."""
    shots = [[0, 99, 0, 99, result, 0.25] for result in (0, 1, 3, 4)] * (MOST_SHOTS // 4)
    assert len(convert(GameRecord, {**good(), "shots": shots}, "it").shots) == MOST_SHOTS
    with pytest.raises(RecordError, match=r"shots: a list of 100,001 is too long"):
        convert(GameRecord, {**good(), "shots": [*shots, shots[0]]}, "it")
