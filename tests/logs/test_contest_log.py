"""The logs of the contest: written from records, read in both forms, and judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from changes import replace
from games import fired, is_sound, played, strange_texts
from judge.documents.game import Evidence, Exchange, GameRecord, Termination
from judge.documents.rules import Cell, Orientation, Ship
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, RecordError, TimedOut
from judge.game.events import Target
from judge.game.variants import BRAINJAR, contest
from judge.logs.contest.chosen import chosen, kind
from judge.logs.contest.codes import CODES, error_of
from judge.logs.contest.games import LoggedGames, is_before, scores_of
from judge.logs.contest.model import LoggedGame, MatchLog
from judge.logs.contest.writers import ContestFormat
from judge.logs.formats import FORMATS, format_of, read
from judge.play.actions import GameSetup, with_fleet
from judge.play.conditions import Conditions
from judge.play.referee import play_match
from judge.wire.messages import AskName, AskShip, Fired, FromPlayer, Joined, PlacedShip, Question
from players import Scripted
from strategies import examples

T = Termination
FORMS = ("contest-text", "contest-1")


def form(name: str) -> ContestFormat:
    found = FORMATS[name]
    assert isinstance(found, ContestFormat)
    return found


# Matches of all kinds


class Joining(Scripted):
    """A player of the contest: it says who it is, places a ship a row, or a column, shoots at cells
    that were not shot at or at any, and slips now and then."""

    joins = True

    def __init__(
        self, side: int, luck: Random, name: str, *, slips: float, own: tuple[str, str], late: bool
    ) -> None:
        super().__init__(self._reply, name, wire="contest", dialect="1")
        self._side, self._luck, self._slips, self._own = side, luck, slips, own
        self._is_late = late
        self._rows: list[int] = []
        self._error: BotError | None = None

    def _reply(self, question: Question) -> FromPlayer:
        luck, side = self._luck, self._side
        if isinstance(question, AskName):
            if self._is_late:
                raise luck.choice(
                    [TimedOut("said nothing"), TimedOut("did not connect"), Crashed("x")]
                )
            return Joined(*self._own)
        if luck.random() < self._slips:
            raise luck.choice([BadOutput, TimedOut, IllegalFleet, Crashed])("a slip")
        if isinstance(question, AskShip):
            if not self._rows:
                self._rows = luck.sample(range(side), side)
                self._way = luck.choice(list(Orientation))
                self._left = len(self._rows)
            at = self._rows.pop()
            along = luck.randrange(side - question.length + 1)
            place = (along, at) if self._way is Orientation.HORIZONTAL else (at, along)
            return PlacedShip(Ship(question.length, *place, self._way))
        self._rows = []
        view = question.view
        cells = [Cell(c, r) for c in range(side) for r in range(side)]
        shot_at = {shot.cell for shot in view.shots if shot.seat == view.seat}
        fresh = [cell for cell in cells if cell not in shot_at]
        aim = luck.choice(fresh if fresh and luck.random() < 0.8 else cells)
        return Fired((Target(1 - view.seat, aim),))

    def evidence(self, seat: int) -> Evidence | None:
        sent = "" if isinstance(self.asked[-1], AskName) else '{"l":3,"mt":4}'
        return Evidence(seat, ("x",), "", "", 0, None, 1.0, None, None, (Exchange(sent, "", 1.0),))


def match(
    side: int,
    seed: int,
    games: int,
    *,
    slips: float = 0.0,
    late: float = 0.0,
    own=(("Ann", "A"), ("Bob", "B")),
) -> list[GameRecord]:
    luck = Random(seed)
    rules = contest(side)
    players = [
        Joining(side, luck, name, slips=slips, own=names, late=luck.random() < late)
        for name, names in zip(("ann", "bob"), own, strict=True)
    ]
    setups = [
        GameSetup(id=f"g-{number}", seed=number, first=0, rules=with_fleet(rules, seed + number))
        for number in range(1, games + 1)
    ]
    return play_match(Conditions(rules=rules), players, setups, match_id="g")


@st.composite
def matches(draw) -> list[GameRecord]:
    return match(
        draw(st.sampled_from([3, 3, 4, 5, 10])),
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, 4)),
        slips=draw(st.sampled_from([0.0, 0.0, 0.01, 0.2])),
        late=draw(st.sampled_from([0.0, 0.0, 0.5])),
        own=draw(st.tuples(*[st.tuples(strange_texts(), strange_texts())] * 2)),
    )


def log_of(records: list[GameRecord], name: str, seconds: float = 12.5, which: str = "all") -> str:
    writer = form(name).match(which)
    for record in records:
        writer.add(record)
    text = writer.text(seconds)
    assert text is not None
    return text


def told(record: GameRecord) -> dict[str, object]:
    """The facts that a log holds of a game: without why it was lost by an error, beyond the
    code."""
    ends = record.outcome
    return {
        "fleets": [seat.fleet or seat.placed for seat in record.seats],
        "shots": fired(record.shots),
        "outcome": (ends.winner, ends.loser, ends.scores),
        "incidents": [(incident.at, incident.seat) for incident in record.incidents],
        "errors": [error_of(record, seat) for seat in (0, 1)],
    }


@given(matches(), st.sampled_from(FORMS))
@examples(40)
def test_a_log_read_back_gives_its_games_and_its_bytes(
    records: list[GameRecord], name: str
) -> None:
    """The content of a log comes back as it was, errors and repeats included, and is written in the
    same bytes again."""
    text = log_of(records, name)
    assert text.count("\n") == 1
    assert format_of(text) == name
    back = list(read(name, text, "g"))
    assert [told(one) for one in back] == [told(one) for one in records]
    assert all(is_sound(one) and not one.rated for one in back)
    assert log_of(back, name) == text
    assert [seat.own_name for seat in back[0].seats] == [
        name_of(seat.own_name, seat.name) for seat in records[0].seats
    ]


WHICH = ["last", "first-last:1", "first-last:2", "each:1", "one-of-each", "every:2"]


@given(matches(), st.sampled_from(FORMS), st.sampled_from(WHICH))
@examples(60)
def test_a_log_of_some_games_is_read_back(records: list[GameRecord], name: str, which: str) -> None:
    """The games that were chosen come back as they were, also where an error has ended the match,
    and the sums are those of all."""
    logged = [one for one in records if not is_before_its_game(one)]
    numbers = chosen(which, len(logged), lambda number: kind(logged[number - 1]))
    wanted = [logged[number - 1] for number in numbers]
    back = list(read(name, log_of(records, name, which=which), "g"))
    if wanted != records and any(error_of(records[-1], seat) for seat in (0, 1)):
        # An error whose game is not logged is a game of its own.
        assert len(back) in (len(wanted), len(wanted) + 1)
        back = back[: len(wanted)] if wanted else []
    assert [told(one) for one in back] == [told(one) for one in wanted]
    games = read(name, log_of(records, name, which=which), "g")
    assert isinstance(games, LoggedGames)
    (score, _) = games.scores(len(games)) or (None, None)
    assert score is not None
    assert score.games == sum(one.outcome.termination is not T.ABORTED for one in records)


def is_before_its_game(record: GameRecord) -> bool:
    """Whether an error came before the first game, which no log has then."""
    return any(error_of(record, seat) and is_before(record, seat) for seat in (0, 1))


def test_the_games_that_the_contest_chooses() -> None:
    """By their numbers, in order; five of each are the first five, and one of each the last."""
    kinds = ["won", "won", "lost", "error", "tied", "won", "lost", "lost", "tied", "lost"]

    def numbers(which: str) -> list[int]:
        return chosen(which, len(kinds), lambda number: kinds[number - 1])

    assert numbers("all") == list(range(1, 11))
    assert numbers("last") == [10]
    assert numbers("first-last:2") == [1, 2, 9, 10]
    assert numbers("first-last:9") == list(range(1, 11))
    assert numbers("each:1") == [1, 3, 4, 5]
    assert numbers("each:2") == [1, 2, 3, 4, 5, 7, 9]
    assert numbers("one-of-each") == [6, 9, 10]
    assert numbers("every:4") == [2, 6, 10]


def test_one_of_each_has_the_last_game_that_an_error_ended_and_no_earlier_one() -> None:
    """An error counts only in the last game of the match, whatever results the match lacks."""

    def numbers(*kinds: str) -> list[int]:
        return chosen("one-of-each", len(kinds), lambda number: kinds[number - 1])

    assert numbers("won", "error", "won") == [3]
    assert numbers("won", "error", "lost", "error") == [1, 3, 4]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("wrong", [0, 1])
def test_the_ships_before_one_that_overlaps_are_logged(wrong: int, name: str) -> None:
    """The ships of both players are logged, but not those of the step in which one is wrong."""

    def player(overlaps: bool) -> Scripted:
        rows = iter([0, 1, 0 if overlaps else 2])

        def answer(question: Question) -> FromPlayer:
            assert isinstance(question, AskShip)
            return PlacedShip(Ship(question.length, 0, next(rows), Orientation.HORIZONTAL))

        asked = (Exchange('{"l":3,"mt":4}', "", 1.0),)
        run = Evidence(wrong, ("x",), "", "", 0, None, 1.0, None, None, asked)
        return Scripted(answer, "ann", run, wire="contest", dialect="1")

    setup = GameSetup(id="g-1", seed=1, first=0, rules=with_fleet(contest(10), 1))
    players = [player(overlaps=seat == wrong) for seat in (0, 1)]
    records = play_match(Conditions(rules=contest(10)), players, [setup], match_id="g")
    assert records[0].outcome.termination is T.ILLEGAL_FLEET
    (back,) = read(name, log_of(records, name), "g")
    first, second = setup.rules.lengths[:2]
    placed = (
        Ship(first, 0, 0, Orientation.HORIZONTAL),
        Ship(second, 0, 1, Orientation.HORIZONTAL),
    )
    assert [seat.placed for seat in records[0].seats] == [placed, placed]
    assert [seat.placed for seat in back.seats] == [placed, placed]
    assert [seat.fleet for seat in back.seats] == [None, None]


def name_of(own: str | UnsetType, name: str) -> str:
    """A name as a log has it: half a surrogate pair is not a character in it."""
    return (name if own is UNSET else own).encode("utf-8", "replace").decode()


@given(
    st.lists(matches(), min_size=1, max_size=4), st.sampled_from(FORMS), st.sampled_from([0, 1, 3])
)
@examples(40)
def test_the_log_of_a_contest_read_back(
    played: list[list[GameRecord]], name: str, lives: int
) -> None:
    """The last game of each match comes back, with the players of all; two that met again had
    another round."""
    played = [
        [
            replace(
                one, id=f"{number}-{one.id}", match=one.match and replace(one.match, id=str(number))
            )
            for one in records
        ]
        for number, records in enumerate(played)
        if records[0].rules.columns == played[0][0].rules.columns
    ]
    writer = form(name).contest(played[0][0].rules.columns)
    for record in (record for records in played for record in records):
        writer.add(record)
    text = writer.text(lives)
    assert text is not None
    assert format_of(text) == name
    back = read(name, text, "c")
    assert [told(one) for one in back] == [told(records[-1]) for records in played]
    assert all(is_sound(one) for one in back)
    document = json.loads(text)
    rounds = document["matches" if name == "contest-text" else "mts"]
    assert [len(one) for one in rounds] == [1] * len(played)
    left = [
        one[0][seat]["lives" if name == "contest-text" else "lvs"]
        for one in rounds
        for seat in list(one[0])
        if seat[0] == "p"
    ]
    assert min(left) >= 0
    if not lives:
        assert set(left) == {3}


GOLDEN_1 = (
    '{"bs":3,"et":0,"gms":[{"p1":{"o":87,"sps":[{"c":0,"d":72,"l":1,"r":2},{"c":1,"d":72,"l":1,"r":2},'
    '{"c":2,"d":72,"l":1,"r":2}],"sts":[{"c":0,"r":0,"sid":0,"v":88},{"c":1,"r":0,"sid":1,"v":88},'
    '{"c":2,"r":0,"sid":2,"v":88}]},"p2":{"o":76,"sps":[{"c":0,"d":72,"l":1,"r":0},'
    '{"c":1,"d":72,"l":1,"r":0},{"c":2,"d":86,"l":1,"r":0}],"sts":[{"c":0,"r":0,"v":42},'
    '{"c":0,"r":0,"v":35},{"c":0,"r":2,"sid":0,"v":88}]}}],"p1":{"L":0,"T":0,"W":1,"ai":"Ann",'
    '"au":"A. One","e":0},"p2":{"L":1,"T":0,"W":0,"ai":"Bob","au":"B. Two","e":0}}\n'
)
GOLDEN_2 = (
    '{"bs":3,"et":0.053,"gms":[{"p1":{"ert":0,"sps":[[2,0,1,72],[2,1,1,72],[2,2,1,72]],"sta":{"gr":87,'
    '"nb":3,"nd":0,"nh":3,"nm":0,"sk":3},"sts":[[0,0,88,0],[0,1,88,1],[0,2,88,2]]},"p2":{"ert":0,'
    '"sps":[[0,0,1,72],[0,1,1,72],[0,2,1,86]],"sta":{"gr":76,"nb":2,"nd":1,"nh":1,"nm":1,"sk":1},'
    '"sts":[[0,0,42],[0,0,35],[2,0,88,0]]}}],"p1":{"ai":"Ann","au":"A. One","err":{"ert":0},'
    '"sta":{"L":0,"T":0,"W":1,"nb":3,"nd":0,"nh":3,"nm":0,"sk":3}},"p2":{"ai":"Bob","au":"B. Two",'
    '"err":{"ert":0},"sta":{"L":1,"T":0,"W":0,"nb":2,"nd":1,"nh":1,"nm":1,"sk":1}}}\n'
)


def test_the_forms_hold_the_same_game() -> None:
    """The same game in the form of the first program, and in the described one, in which numbers
    are words and every repeat is a duplicate."""
    (one,) = read("contest-1", GOLDEN_1, "g")
    assert log_of([one], "contest-1", 0) == GOLDEN_1
    text = log_of([one], "contest-text", 0)
    game = json.loads(text)["games"][0]
    assert game["player1"]["outcome"] == "WIN"
    assert game["player1"]["ships"][0] == {"row": 2, "col": 0, "len": 1, "dir": "HORIZONTAL"}
    assert game["player2"]["shots"][1:] == [
        {"row": 0, "col": 0, "value": "DUPLICATE"},
        {"row": 2, "col": 0, "value": "HIT", "index_of_ship_sunk": 0},
    ]
    assert json.loads(text)["player1"] == {
        "ai_name": "Ann", "author_names": "A. One", "wins": 1, "losses": 0, "ties": 0, "error": 0
    }  # fmt: skip
    (again,) = read("contest-text", text, "g")
    assert told(again) == told(one)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_log_of_the_second_program_is_refused_by_its_name(indent: int | None) -> None:
    """A match by its players' figures, and a contest by its rounds."""
    for document in (json.loads(GOLDEN_2), {"bs": 3, "pls": [], "rds": []}):
        text = json.dumps(document, indent=indent)
        with pytest.raises(RecordError, match="a log of the contest's second program"):
            read(format_of(text) or "", text, "g")


@pytest.mark.parametrize("indent", [1, 8, "\t"])
def test_a_log_that_was_indented_is_known(indent: int | str) -> None:
    """In every form that is read, by its first bytes as well."""
    (record,) = read("contest-1", GOLDEN_1, "g")
    logs = {
        "contest-1": GOLDEN_1,
        "contest-text": log_of([record], "contest-text"),
    }
    for name in FORMS:
        logs[f"{name} step-through"] = form(name).step_through([record])
    for name, text in logs.items():
        again = json.dumps(json.loads(text), indent=indent)
        assert format_of(again) == name
        assert format_of(again[:200]) is not None
        (read_again,) = read(name, again, "g")
        assert read_again.shots == record.shots
        assert format_of(f"\n{again}\n") == name


def test_the_actions_of_a_game() -> None:
    """The step-through document has the ships of a seat and then its shots in one list, and is read
    back to the same game on the same board."""
    (record,) = read("contest-1", GOLDEN_1, "g")
    text = form("contest-1").step_through([record])
    steps = json.loads(text)
    game = json.loads(GOLDEN_1)["gms"][0]
    assert steps == {
        "gms": [{seat: game[seat]["sps"] + game[seat]["sts"] for seat in ("p1", "p2")}]
    }
    assert text == f"{json.dumps(steps, sort_keys=True, separators=(',', ':'))}\n"
    assert format_of(text) == "contest-1 step-through"
    (again,) = read("contest-1 step-through", text, "g")
    assert (again.rules, again.shots, again.outcome) == (record.rules, record.shots, record.outcome)


@given(
    st.sampled_from(["contest-text", "contest-1"]),
    st.integers(3, 10),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    st.integers(0, 40),
)
@examples(40)
def test_actions_that_are_written_read_and_written_again_are_the_same(
    name: str, size: int, seeds: list[int], after: int
) -> None:
    """Byte for byte, whole games and games that an error broke off, whatever board is found; shots
    and results are those of the records, but for an error."""
    lost = (1, Termination.TIMEOUT)
    records = [played(contest(size), seed) for seed in seeds]
    records.append(played(contest(size), seeds[0], forfeit=lost, after=after))
    text = form(name).step_through(records)
    games = read(f"{name} step-through", text, "g")
    assert form(name).step_through(games) == text
    for record, again in zip(records, games, strict=True):
        assert [one.cell for one in again.shots] == [one.cell for one in record.shots]
    assert [one.outcome.winner for one in games][:-1] == [
        one.outcome.winner for one in records[:-1]
    ]


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ('[{"c":0,"r":0,"v":42},{"c":0,"d":72,"l":2,"r":0}],"p2":[]', "a ship comes after a shot"),
        ('[],"p2":[]', "are those of no board of the contest"),
        ('[{"c":0,"d":72,"l":11,"r":0}],"p2":[]', "there is no ship of length 11"),
        ('[],"p3":[]', "there is no `p2`"),
    ],
)
def test_what_are_no_actions_of_a_game(actions: str, said: str) -> None:
    """It is refused in a sentence that says where."""
    with pytest.raises(RecordError, match=said):
        read("contest-1 step-through", f'{{"gms":[{{"p1":{actions}}}]}}', "g")


BROKEN = '{"p1":{"o":0,"sps":[],"sts":[]},"p2":{"o":0,"sps":[],"sts":[]}}'


@pytest.mark.parametrize("code", CODES)
def test_every_error_of_a_log(code: int) -> None:
    """It ends in the termination that it means, with its sentence, and is written as the same code;
    no game is logged of one that never began."""
    before = code in (5, 6, 9)
    shots = code in (11, 13)
    game = json.loads(GOLDEN_1)["gms"][0]
    for seat in ("p1", "p2"):
        game[seat] |= (
            {"o": 0, "sts": game[seat]["sts"][:1]} if shots else {"o": 0, "sps": [], "sts": []}
        )
    log = json.loads(GOLDEN_1) | {"gms": [] if before else [game]}
    log["p2"]["e"] = code
    text = json.dumps(log, sort_keys=True, separators=(",", ":")) + "\n"
    (record,) = read("contest-1", text, "g")
    assert (record.outcome.loser, record.outcome.termination) == (1, CODES[code].termination)
    assert f"(code {code}" in record.outcome.detail
    assert is_sound(record)
    assert log_of([record], "contest-1", 0) == text


def test_a_contest_of_the_first_program() -> None:
    """An empty last game, and lives below zero, as it writes them."""
    text = (
        '{"bs":3,"mts":[[{"et":0,"lg":{},"p1":{"L":0,"T":0,"W":1,"e":0,"lvs":3,"pid":1},"p2":{"L":1,'
        '"T":0,"W":0,"e":9,"lvs":-1,"pid":0}}]],"pls":[{"ai":"Probe","au":"Probers","pid":0,"tl":1,'
        '"tt":0,"tw":0},{"ai":"Ann","au":"","pid":1,"tl":0,"tt":0,"tw":1}]}\n'
    )
    (record,) = read("contest-1", text, "c")
    assert [seat.name for seat in record.seats] == ["Ann", "Probe"]
    assert record.outcome.termination is T.BAD_OUTPUT


def test_a_game_beyond_the_rounds_of_today() -> None:
    """The first program plays 200 rounds on every board."""
    log = json.loads(GOLDEN_1)
    ships = log["gms"][0]["p1"]["sps"]
    shots = [{"c": 0, "r": 0, "v": 42 if number == 0 else 35} for number in range(200)]
    seat = {"o": 84, "sps": ships, "sts": shots}
    log["gms"] = [{"p1": seat, "p2": seat}]
    log["p1"] |= {"W": 0, "T": 1}
    log["p2"] |= {"L": 0, "T": 1}
    (record,) = read("contest-1", json.dumps(log, sort_keys=True, separators=(",", ":")), "g")
    assert record.outcome.termination is T.ROUND_LIMIT
    assert record.rules.round_limit == 200
    assert is_sound(record)
    longer = seat | {"sts": [*shots, shots[1]]}
    log["gms"] = [{"p1": longer, "p2": longer}]
    games = read("contest-1", json.dumps(log, sort_keys=True, separators=(",", ":")), "g")
    with pytest.raises(RecordError, match="it goes on after its end"):
        games[0]


BAD = {
    "another result": (
        '"o":87',
        '"o":76',
        "player 1 is said to have won, lost and tied 1, 0 and 0",
    ),
    "a sum that is not the other's": ('"W":1', '"W":2', "is said to have won, lost and tied 2"),
    "a false hit": ('"r":0,"v":42', '"r":0,"v":88', "is logged as a hit, but is a miss"),
    "a false repeat": ('"v":35', '"v":36', "a repeat at a sunk ship, but is a repeated miss"),
    "a ship that is not sunk": (
        '"sid":1,',
        "",
        "is logged as a hit, but is a hit that sinks ship 1",
    ),
    "a shot off the board": ('"r":0,"v":42', '"r":3,"v":42', "outside the 3×3 grid"),
    "a ship off the board": ('"c":0,"d":72,"l":1,"r":2', '"c":3,"d":72,"l":1,"r":2', "leaves"),
    "a ship too many": ('"sps":[', '"sps":[{"c":0,"d":72,"l":1,"r":1},', "where there are 3"),
    "no ships": ('"sps":[{"c":0,"d":72,"l":1,"r":0},', '"sps":[', "but not all ships"),
    "a boolean": ('"c":0,"r":0,"v":42', '"c":false,"r":0,"v":42', "`c` is not a whole number"),
    "a fraction": ('"bs":3', '"bs":3.0', "the log: `bs` is not a whole number"),
    "a board of 99": ('"bs":3', '"bs":99', "the board has 99 rows"),
    "a board of thousands of digits": ('"bs":3', '"bs":' + "9" * 9999, "thousands of digits"),
    "a long ship": ('"l":1', '"l":999999', "there is no ship of length 999999"),
    "a direction": ('"d":86', '"d":87', "ship 3: `d` is `87`"),
    "an unknown code": ('"e":0', '"e":99', "there is no error with the code 99"),
    "a name that is a number": ('"ai":"Ann"', '"ai":7', "p1: `ai` is not text"),
    "shots that are no list": ('"gms":[', '"gms":7,"x":[', "`gms` is not a list"),
    "less than no wins": ('"W":1', '"W":-1', "`W` is below zero"),
    "no name": ('"ai":"Ann",', "", "p1: there is no `ai`"),
    "a list of games": ('"gms":[', '"gms":[7,', "game 1 is not a JSON object"),
    "a key twice": ('"bs":3', '"bs":3,"bs":4', "twice in one object"),
    "one shot less": ('{"c":0,"r":0,"v":42},', "", "player 1 has 3 shots, and player 2 2"),
    "nested without end": ('"gms":[', '"gms":' + "[" * 100_000, "nested without end"),
    "a negative time": ('"et":0', '"et":-1', "`et` is no number of seconds"),
}


@pytest.mark.parametrize(("old", "new", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_in_a_log_is_said(old: str, new: str, said: str) -> None:
    """Nothing is taken from a game that breaks the rules."""
    assert old in GOLDEN_1
    with pytest.raises(RecordError) as caught:
        list(read("contest-1", GOLDEN_1.replace(old, new, 1), "g"))
    assert said in str(caught.value)


@given(st.text(max_size=60) | strange_texts(), st.just(GOLDEN_1), st.data())
@examples(200)
def test_nothing_in_a_log_of_the_contest_does_harm(junk: str, golden: str, data) -> None:
    """Whatever is put into a log, or in place of it, its games are sound, or it is one sentence."""
    begin = data.draw(st.integers(7, len(golden)))
    end = data.draw(st.integers(begin, min(len(golden), begin + 30)))
    text = golden[:begin] + junk + golden[end:]
    try:
        records = list(read(format_of(text) or "contest-1", text, "g"))
    except RecordError as error:
        said = str(error)
    else:
        said = ""
        assert all(is_sound(one) for one in records)
    assert "\n" not in said


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES, st.just(GOLDEN_1), st.data())
@examples(200)
def test_no_value_in_a_log_does_harm(value: object, golden: str, data) -> None:
    """Wherever in a log another value stands, its games are sound, or it is one sentence."""
    document = json.loads(golden)
    places = []

    def walk(one: object) -> None:
        inside = (
            one.items()
            if isinstance(one, dict)
            else enumerate(one)
            if isinstance(one, list)
            else ()
        )
        for key, more in inside:
            places.append((one, key))
            walk(more)

    walk(document)
    where, key = data.draw(st.sampled_from(places))
    where[key] = value
    try:
        text = json.dumps(document, separators=(",", ":"))
        records = list(read(format_of(text) or "contest-1", text, "g"))
    except RecordError as error:
        said = str(error)
    else:
        said = ""
        assert all(is_sound(one) for one in records)
    assert "\n" not in said


def test_which_games_a_log_can_hold() -> None:
    """Those of the contest on each of its boards, by its rounds or those of the first program."""
    one = form("contest-1")
    assert one.unsupported(contest(3), 2) is None
    assert one.unsupported(replace(contest(5), round_limit=200, name="x", match=7), 2) is None
    assert one.unsupported(contest(3), 3) == "a match is played by two"
    assert "round_limit" in str(one.unsupported(replace(contest(3), round_limit=10), 2))
    assert "3 to 10 rows" in str(one.unsupported(replace(contest(3), columns=4), 2))
    assert "sinking" in str(one.unsupported(replace(contest(8), sinking=BRAINJAR.sinking), 2))
    assert played(contest(3)).rules.columns == 3


def test_the_scores_after_each_game_are_added_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many games are shown with how the match stood after them: a log may have 100,000."""
    records = match(3, 4, 20)
    games = read("contest-text", log_of(records, "contest-text"), "g")
    assert isinstance(games, LoggedGames)
    counted = 0

    def counting(some: Sequence[LoggedGame], *args: object, **more: object) -> object:
        nonlocal counted
        counted += len(some)
        return scores_of(some)

    monkeypatch.setattr("judge.logs.contest.games.scores_of", counting)
    told = [games.scores(number) for number in range(1, len(games) + 1)]
    assert counted == len(games)
    assert isinstance(games.log, MatchLog)
    assert told == [scores_of(games.log.games[:number]) for number in range(1, len(games) + 1)]
