"""The view that spectators have of games: all that players are told, nothing of what was not
hit."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import introduced, played, strange_texts
from judge.contest.schedule import Pairing
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import IllegalFleet
from judge.game.events import Event, Gone, Shot, Target, TurnSkipped
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.variants import BRAINJAR, BROADSIDES, BSP, CONTEST, VARIANTS, XBS
from judge.quoting import is_unsafe
from judge.show import board
from judge.show.live import (
    EVERYONE,
    MOST_OVER,
    MOST_SAID,
    SHOWN,
    GameWatch,
    Live,
    Watches,
    at_once,
    how_far,
)
from judge.show.live_game import MOST_EVENTS, Document, LiveGame, LiveMatch

TRIES = 50

Told = list[tuple[int | None, str]]


class Onlooker:
    """A `Live`, and all that it has told, as text."""

    def __init__(self) -> None:
        self.told: Told = []
        self.now = 0.0
        self.live = Live("An evening", self._hear, lambda: self.now)

    def _hear(self, to: int | None, what: Document) -> None:
        self.told.append((to, json.dumps(what)))

    def seen(self) -> tuple[Told, str]:
        """Everything that a page can have got."""
        return self.told, json.dumps(self.live.document())


def rules_of_any_game(rng: Random) -> Rules:
    return rng.choice([*VARIANTS.values()]).drawn(rng)


def turns(
    rules: Rules, fleets: list[Fleet], rng: Random, most: int
) -> list[tuple[int, list[Target]]]:
    """Volleys of a game that is not over after them."""
    game = Game(rules, len(fleets))
    place_all(game, fleets)
    fresh = [
        [Target(seat, Cell(c, r)) for c in range(rules.columns) for r in range(rules.rows)]
        for seat in range(len(fleets))
    ]
    done: list[tuple[int, list[Target]]] = []
    while game.to_move and len(done) < most:
        seat = game.to_move[0]
        others = [
            target for other, targets in enumerate(fresh) if other != seat for target in targets
        ]
        if len(others) < game.shots_due(seat):
            break
        done.append((seat, rng.sample(others, game.shots_due(seat))))
        for target in done[-1][1]:
            fresh[target.seat].remove(target)
        game.shoot(*done[-1])
    while done and is_over_after(rules, fleets, done):
        done.pop()
    return done


def is_over_after(
    rules: Rules, fleets: list[Fleet], volleys: list[tuple[int, list[Target]]]
) -> bool:
    return watched(rules, fleets, volleys)[0].outcome is not None


def place_all(game: Game, fleets: list[Fleet]) -> list[Event]:
    events: list[Event] = []
    while game.is_placing:
        seat = game.to_move[0]
        events += game.place(seat, fleets[seat])
    return events


def watched(
    rules: Rules, fleets: list[Fleet], volleys: list[tuple[int, list[Target]]]
) -> tuple[Game, Onlooker]:
    onlooker, game = Onlooker(), Game(rules, len(fleets))
    watch = GameWatch(onlooker.live, [f"player {seat}" for seat in range(len(fleets))])
    for event in place_all(game, fleets):
        watch(game, event)
    for seat, volley in volleys:
        for event in game.shoot(seat, volley):
            watch(game, event)
    return game, onlooker


def rearranged(rules: Rules, fleet: Fleet, shot_at: set[Cell], rng: Random) -> Fleet:
    """The fleet with all ships that were not hit at other places that were not shot at."""
    for _ in range(TRIES):
        ships = [
            ship if shot_at & set(ship.cells) else anywhere(rules, ship.length, rng)
            for ship in fleet
        ]
        moved = [new for new, old in zip(ships, fleet, strict=True) if new is not old]
        if any(shot_at & set(ship.cells) for ship in moved):
            continue
        try:
            rules.check_fleet(ships)
        except IllegalFleet:
            continue
        return tuple(ships)
    return fleet


def anywhere(rules: Rules, length: int, rng: Random) -> Ship:
    orientation = rng.choice([*Orientation])
    across = orientation is Orientation.HORIZONTAL
    column = rng.randrange(max(1, rules.columns - (length - 1) * across))
    row = rng.randrange(max(1, rules.rows - (length - 1) * (not across)))
    return Ship(length, column, row, orientation)


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_before_the_end_nothing_depends_on_ships_that_were_not_hit(seed: int, most: int) -> None:
    """Two games with the same shots and hits, in which the other ships lie elsewhere, are one and
    the same to spectators, to the last byte, as long as they are played."""
    rng = Random(seed)
    rules = rules_of_any_game(rng)
    seats = rng.randint(rules.players[0], min(rules.players[1], 4))
    fleets = [random_fleet(rules, rng) for _ in range(seats)]
    volleys = turns(rules, fleets, rng, most)
    shot_at = [
        {target.cell for _, volley in volleys for target in volley if target.seat == seat}
        for seat in range(seats)
    ]
    others = [
        rearranged(rules, fleet, cells, rng) for fleet, cells in zip(fleets, shot_at, strict=True)
    ]
    assert watched(rules, fleets, volleys)[1].seen() == watched(rules, others, volleys)[1].seen()


def test_ships_are_moved_by_the_test_above() -> None:
    """Fleets do differ where the games look the same."""
    rng = Random(1)
    fleet = random_fleet(BRAINJAR, rng)
    first = fleet[0].cells[0]
    other = rearranged(BRAINJAR, fleet, {first}, rng)
    assert (other[0], other != fleet) == (fleet[0], True)


def whole_game() -> tuple[Game, Onlooker, list[Fleet]]:
    """A game of two that is over: the first seat hits all, the second nothing."""
    rng = Random(5)
    rules = BRAINJAR
    fleets = [random_fleet(rules, rng) for _ in range(2)]
    hits = [Target(1, cell) for ship in fleets[1] for cell in ship.cells]
    return (*watched(rules, fleets, [(0, [target]) for target in hits]), fleets)


def test_after_the_end_all_fleets_are_shown() -> None:
    """The ships of both are told once the game is over, and who has won."""
    game, onlooker, fleets = whole_game()
    over = onlooker.live.document()["game"]["over"]
    assert game.outcome
    assert (over["winner"], over["page"]) == (0, False)
    shown = [
        {
            cell
            for column, row, length, lies in ships
            for cell in Ship(
                length, column, row, Orientation(("vertical", "horizontal")[lies])
            ).cells
        }
        for ships in over["ships"]
    ]
    assert shown == [{cell for ship in fleet for cell in ship.cells} for fleet in fleets]
    assert "\u2068player 0\u2069 won" in over["ending"]


def test_the_scores_of_the_others_stand_once() -> None:
    """In the list of scores below how a game ended, and not in that as well; the list of the
    games that are over has nothing below, and so all of them."""
    names = ("ann", "bob", "cyd")
    record = played(XBS, names=names)
    assert record.outcome.scores is not None
    game = LiveGame(names, record.rules)
    game.end(record.outcome, [None] * 3)
    game.keep(record)
    others = [name for seat, name in enumerate(names) if seat != record.outcome.winner]
    ending = game.ending.partition(" (")[0]
    assert not [name for name in others if name in ending]
    assert f"with {max(record.outcome.scores)} points" in ending
    assert not [name for name in others if name not in game.listed_ending]


def test_a_ladder_shows_no_fleets() -> None:
    """The other game of a pair has the same: neither a change nor a later state has them."""
    rng = Random(5)
    fleets = [random_fleet(BRAINJAR, rng) for _ in range(2)]
    onlooker, game = Onlooker(), Game(BRAINJAR, 2)
    pairing = Pairing("1.1", 1, (0, 1), 0, 1, (1, 2), ("ann", "bob"))
    watch = Watches(onlooker.live, at_once, shows_fleets=False).begin([pairing.id], pairing.names)
    for event in place_all(game, fleets):
        watch(game, event)
    for cell in [cell for ship in fleets[1] for cell in ship.cells]:
        for event in game.shoot(0, [Target(1, cell)]):
            watch(game, event)
    told, now = onlooker.seen()
    assert json.loads(now)["game"]["over"]["ships"] == [[], []]
    changes = [json.loads(text) for _, text in told]
    assert [
        change["move"]["over"]["ships"] for change in changes if "over" in change.get("move", {})
    ] == [[[], []]]


def test_a_name_that_is_hidden_is_seen_nowhere() -> None:
    """Neither its games that are over, nor those under way or to come, nor how it stands; a name
    that is hidden no more is seen in its next games."""
    onlooker = Onlooker()
    live = onlooker.live

    def begun(*names: str) -> LiveGame:
        game = LiveGame(names, BRAINJAR)
        live.begin(game)
        return game

    def end(game: LiveGame) -> None:
        live.end(game, Outcome(0, 1, Termination.FLEET_DESTROYED), (None, None))

    end(begun("ann", "bob"))
    end(begun("bob", "cid"))
    under_way = begun("ann", "cid")
    live.hide(frozenset({"ann"}))
    onlooker.told.clear()
    live.fire(under_way, [], (0,))
    for game in (under_way, begun("ann", "bob"), begun("bob", "cid")):
        end(game)
    assert "ann" not in json.dumps(onlooker.seen())
    assert [row[1:3] for row in live.document()["standings"]["rows"]] == [
        ["bob", "3"],
        ["cid", "2"],
    ]
    live.hide(frozenset())
    end(begun("ann", "bob"))
    assert "ann" in json.dumps(live.document()["standings"])


def test_what_is_said_of_a_game_names_its_players() -> None:
    """A skipped turn has the host's reason; a game that is over and not kept yet is listed with all
    who played it."""
    live = Onlooker().live
    game = LiveGame(("ann", "bob"), XBS)
    live.begin(game)
    live.happen(game, TurnSkipped(0, "asleep"), (1,))
    live.happen(game, TurnSkipped(1), (0,))
    live.end(game, Outcome(0, 1, Termination.GOAL), (None, None))
    document = live.document()
    said = [*document["game"]["said"], document["games"]["over"][0][1]]
    assert [text.replace("\u2068", "").replace("\u2069", "") for text in said] == [
        "the turn of ann is skipped: asleep",
        "bob skips a turn",
        "ann won",
        "Game 1: ann – bob: ann won",
    ]


def test_changes_put_over_an_earlier_state_make_the_later_one() -> None:
    """A page that followed from the start has what one gets that comes later."""
    _, onlooker, _ = whole_game()
    (game,) = onlooker.live._games.values()
    onlooker.live.keep(game, played(BRAINJAR))
    page: Document = {}
    marks: dict[tuple[int, int, int], str] = {}
    for _, text in onlooker.told:
        change = json.loads(text)
        if move := change.pop("move", None):
            marks |= {
                (target, column, row): mark for target, column, row, mark in move.pop("marks", [])
            }
            said = page["game"]["said"] + move.pop("said")
            page["game"] |= {**move, "said": said[-MOST_EVENTS:]}
        page |= change
    later = json.loads(onlooker.seen()[1])
    boards = later["game"].pop("boards")
    page["game"].pop("boards")
    assert page["game"] == later["game"]
    assert marks == {
        (seat, column, row): mark
        for seat, cells in enumerate(boards)
        for column, row, mark in cells
    }
    assert page["games"] == later["games"]
    assert page["standings"] == later["standings"]


def test_a_board_is_marked_as_the_fog_has_it() -> None:
    """The marks are those of every other board in the fog, sinkings included."""
    game, onlooker, _ = whole_game()
    marks = {"m": board.MISS, "h": board.HIT, "x": board.SUNK}
    for seat, cells in enumerate(onlooker.live.document()["game"]["boards"]):
        fog = board.fog(shot for shot in game.announced_shots if shot.target == seat)
        assert {Cell(column, row): marks[mark] for column, row, mark in cells} == fog


@pytest.mark.parametrize(
    ("rules", "columns", "rows", "called"),
    [
        (BRAINJAR, "01", "01", "25"),
        (BROADSIDES.drawn(Random(1)), "AB", "12", "C6"),
        (CONTEST.drawn(Random(1)), "01", "01", "[5, 2]"),
        (XBS, "ab", "12", "c6"),
        (BSP, "12", "AB", "F3"),
    ],
    ids=lambda value: value.name if isinstance(value, Rules) else None,
)
def test_cells_are_called_as_players_call_them(
    rules: Rules, columns: str, rows: str, called: str
) -> None:
    """The rulers and the sentences of a game name a cell alike, each game in its own way."""
    game = LiveGame(("ann", "bob"), rules)
    document = game.document()
    assert ["".join(document[axis][:2]) for axis in ("columns", "rows")] == [columns, rows]
    said = game.fire([Shot(0, 1, Cell(2, 5), Result.MISS)], [1])["said"]
    assert said[0].endswith(f", {called}: miss")


def scored(rules: Rules, *results: Result) -> tuple[list[int], str]:
    """The score after shots of the first seat at one cell after the other, and its unit."""
    game = LiveGame(("ann", "bob"), rules)
    shots = [Shot(0, 1, Cell(column, 0), result) for column, result in enumerate(results)]
    score = game.fire([*shots, shots[0]], [1])["score"]
    return score, game.document()["unit"][1]


def test_the_score_is_in_the_unit_of_the_game() -> None:
    """Points of the shooter, or the ships afloat of the other as far as players are told, or its
    squares; a cell that is shot at twice counts once."""
    rules = BROADSIDES.drawn(Random(1))
    squares = sum(rules.lengths)
    assert scored(XBS, Result.HIT, Result.MISS) == ([1, 0], "points")
    assert scored(BRAINJAR, Result.HIT, Result.SUNK) == ([4, 3], "ships afloat")
    assert scored(BSP, Result.HIT, Result.SUNK) == ([9, 8], "ships afloat")
    assert scored(rules, Result.HIT, Result.HIT) == ([squares, squares - 2], "squares afloat")


def test_the_time_of_a_turn_begins_with_it() -> None:
    """Who comes later is told how much of it has passed; what another player does begins none."""
    onlooker = Onlooker()
    live = onlooker.live
    game = LiveGame(("ann", "bob"), XBS, limits=(30.0, None))
    live.begin(game)
    live.fire(game, [], (0,))
    onlooker.now = 4.0
    live.happen(game, Gone(1, None, ""), (0,))
    shown = live.document()["game"]
    assert (shown["up"], shown["limits"], shown["waited"]) == ([0], (30.0, None), 4.0)
    live.fire(game, [Shot(0, 1, Cell(0, 0), Result.MISS)], (1,))
    assert live.document()["game"]["waited"] == 0


def scores_of_match(onlooker: Onlooker, game: int) -> list[Document | None]:
    """The scores of the match that a follower of this game is told, each once."""
    told: list[Document | None] = []
    for to, text in onlooker.told:
        what = json.loads(text)
        for part in (what.get("game"), what.get("move")):
            if to == game and part and "match" in part and part["match"] not in told[-1:]:
                told.append(part["match"])
    return told


def crash(watch: GameWatch, game: Game, winner: int) -> None:
    watch(game, Gone(1 - winner, Termination.CRASH, ""))
    watch(game, Outcome(winner, 1 - winner, Termination.CRASH))


def test_the_games_of_a_match_share_its_score() -> None:
    """The games that each has won are told as a game begins, as it ends, and as another game of the
    match ends meanwhile. Games beyond those of the match are deciders, and a game of its own has
    no such score."""
    onlooker = Onlooker()
    match = LiveMatch([1, 0], games=3, over=1)
    watches = [GameWatch(onlooker.live, ["ann", "bob"], match=match) for _ in range(4)]
    early, late = Game(BRAINJAR), Game(BRAINJAR)
    watches[0](early, Gone(0, None, ""))
    watches[1](late, Gone(0, None, ""))
    crash(watches[0], early, 1)
    crash(watches[1], late, 1)
    crash(watches[2], Game(BRAINJAR), 1)

    def score(ann: int, bob: int, said: str) -> Document:
        return {"won": [ann, bob], "said": f"{said} of the match played"}

    before = score(1, 0, "1 of 3 games"), score(1, 1, "2 of 3 games")
    assert scores_of_match(onlooker, 1) == [*before]
    assert scores_of_match(onlooker, 2) == [*before, score(1, 2, "3 of 3 games")]
    decider = "3 of 3 games of the match played, and decider 1"
    assert [each and each["said"] for each in scores_of_match(onlooker, 3)] == [decider] * 2
    GameWatch(onlooker.live, ["ann", "bob"])(Game(BRAINJAR), Gone(0, None, ""))
    assert scores_of_match(onlooker, 4) == [None]


def test_an_open_match_says_how_many_games_are_over() -> None:
    """A fight that goes on until it is decided has no number of games."""
    onlooker = Onlooker()
    watch = GameWatch(onlooker.live, ["ann", "bob"], match=LiveMatch([0, 0]))
    for winner in (0, 1):
        crash(watch, Game(BRAINJAR), winner)
    (_, last) = scores_of_match(onlooker, 2)
    assert last == {"won": [1, 1], "said": "2 games of the match played"}


def test_a_contest_shows_its_own_table_and_numbers() -> None:
    """The table is the ledger's, not that of the games that the page has seen, and a game has the
    number that it has in the ledger, or none."""
    onlooker = Onlooker()
    live = onlooker.live
    rows = [[str(rank), f"bot-{rank}", "10.00"] for rank in range(1, 41)]
    live.hold((["#", "Bot", "Points"], rows, [""] * 40), None, "12 of 40 games.")
    game = LiveGame(("ann", "bob"), BRAINJAR)
    live.begin(game)
    document = live.document()
    assert document["contest"]["progress"] == "12 of 40 games."
    assert (len(document["standings"]["rows"]), document["standings"]["more"]) == (30, 10)
    assert document["games"]["playing"] == [(1, game.title)]
    live.end(game, Outcome(0, 1, Termination.FLEET_DESTROYED), (None, None))
    live.keep(game, replace(played(BRAINJAR), number=77))
    document = live.document()
    assert document["games"]["over"][0][1].startswith("#77: ")
    assert document["standings"]["rows"][0] == rows[0]


def test_bots_say_who_they_are_once_a_game_is_kept() -> None:
    """Then the boards of that game and of the next ones have their own names and authors, and so has
    the table; a bot that says nothing has an empty text."""
    onlooker = Onlooker()
    live = onlooker.live
    names = ("ann", "bob")
    first = LiveGame(names, BRAINJAR)
    live.begin(first)
    assert live.document()["game"]["about"] == ["", ""]
    live.end(first, Outcome(1, 0, Termination.FLEET_DESTROYED), (None, None))
    live.keep(first, introduced(played(BRAINJAR, names=names), ann=("<b>Wolf", "Jane")))
    move = json.loads(onlooker.told[-3][1])["move"]
    assert move["about"] == live.document()["game"]["about"] == ["“<b>Wolf”, by Jane", ""]
    live.begin(LiveGame(("bob", "ann"), BRAINJAR))
    document = live.document()
    assert document["game"]["about"] == ["", "“<b>Wolf”, by Jane"]
    assert [row[1] for row in document["standings"]["rows"]] == ["bob", "ann"]
    assert document["standings"]["about"] == ["", "“<b>Wolf”, by Jane"]


@pytest.mark.parametrize(
    ("played", "most", "seconds", "said"),
    [
        (0, 400, None, "0 of 400 games."),
        (120, 1400, 20.0, "120 of 1,400 games. About 1 min left."),
        (120, 400, 190.0, "120 of 400 games. About 3 min left."),
        (120, 400, 7500.0, "120 of 400 games. About 2 h 5 min left."),
        (400, 400, 0.0, "400 of 400 games."),
        (7, None, 60.0, "7 games. About 1 min left."),
    ],
)
def test_how_far_a_contest_is(
    played: int, most: int | None, seconds: float | None, said: str
) -> None:
    """The games that are played, and how long the others take if that is known."""
    assert how_far(played, most, seconds) == said


def test_an_evening_counts_games_that_count() -> None:
    """Games won and tied are counted by name; one that was broken off is not."""
    onlooker = Onlooker()
    for outcome in (
        Outcome(0, 1, Termination.FLEET_DESTROYED),
        Outcome(None, None, Termination.ALL_DEAD),
        Outcome(None, None, Termination.ABORTED),
    ):
        game = LiveGame(("ann", "bob"), XBS)
        onlooker.live.begin(game)
        onlooker.live.end(game, outcome, (None, None))
    rows = onlooker.live.document()["standings"]["rows"]
    assert rows == [["1", "ann", "2", "1", "1"], ["2", "bob", "2", "0", "1"]]


def test_a_tie_of_three_is_of_those_with_the_best_score() -> None:
    """The third has lost, and so has a player that is gone, whatever its score."""
    onlooker = Onlooker()
    for number, scores in enumerate([(1, 1, 0), (1, 1, 2)]):
        game = LiveGame(("ann", "bob", "cy"), XBS)
        onlooker.live.begin(game)
        if number:
            onlooker.live.happen(game, Gone(2, Termination.CRASH), ())
        onlooker.live.end(game, Outcome(None, None, Termination.GOAL, scores=scores), [None] * 3)
    rows = onlooker.live.document()["standings"]["rows"]
    assert rows == [
        ["1", "ann", "2", "0", "2"],
        ["1", "bob", "2", "0", "2"],
        ["3", "cy", "2", "0", "0"],
    ]


def test_the_game_that_is_shown_stays_until_another_is_played() -> None:
    """Who follows no game of its own choice sees the end of one before the next."""
    onlooker = Onlooker()
    first, second = (LiveGame(("ann", "bob"), XBS) for _ in range(2))
    onlooker.live.begin(first)
    assert onlooker.live.shown == 1
    onlooker.live.end(first, Outcome(0, 1, Termination.GOAL), (None, None))
    assert onlooker.live.shown == 1
    onlooker.live.begin(second)
    assert onlooker.live.shown == 2
    assert [to for to, text in onlooker.told if '"columns"' in text] == [1, SHOWN, 2, SHOWN]


def test_only_the_last_games_and_words_are_kept() -> None:
    """Whatever happens in an evening, what a new spectator is sent stays small."""
    onlooker = Onlooker()
    record = played(BRAINJAR)
    for number in range(3 * MOST_OVER):
        game = LiveGame(("ann", "bob"), BRAINJAR)
        onlooker.live.begin(game)
        onlooker.live.end(game, record.outcome, (None, None))
        onlooker.live.keep(game, record)
        onlooker.live.say("ann", f"word {number} " + 64 * 1024 * "x")
    document = onlooker.live.document()
    assert len(document["games"]["over"]) == MOST_OVER
    assert onlooker.live.record(3 * MOST_OVER) is record
    assert onlooker.live.record(1) is None
    assert len(document["chat"]) == MOST_SAID
    assert len(json.dumps(document)) < 100_000


@given(strange_texts(), strange_texts())
def test_what_strangers_say_is_text_without_controls(name: str, words: str) -> None:
    """No name and no word brings a control character, or one that hides, to the page."""
    onlooker = Onlooker()
    onlooker.live.say(name, words)
    onlooker.live.waits([name])
    game = LiveGame((name, "bob"), XBS)
    onlooker.live.begin(game)
    onlooker.live.happen(game, Gone(0, None, words), ())
    onlooker.live.happen(game, TurnSkipped(1, words), ())
    text = json.dumps(onlooker.live.document(), ensure_ascii=False)
    isolates = {"\u2068", "\u2069"}  # our own, around names in sentences
    assert not [one for one in text if is_unsafe(one) and one not in isolates]


def test_there_is_something_to_see_before_the_first_game() -> None:
    """Who waits is told to everyone, and no game is shown."""
    onlooker = Onlooker()
    onlooker.live.waits(["ann"], "one more begins", "a small board")
    lobby = {"waiting": ["ann"], "next": "one more begins", "about": "a small board"}
    assert onlooker.told == [(EVERYONE, json.dumps({"lobby": lobby}))]
    assert onlooker.live.document()["lobby"] == lobby
    assert onlooker.live.document()["game"] is None
