"""The library: `import judge` plays, ranks and checks as the commands do."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import given

import clusters
import judge
from commands import judge as command
from judge import testing
from judge.contest.contest import Added, ContestEvent
from judge.contest.schedule import Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.errors import Interrupted
from judge.game.replay import replay
from judge.game.variants import VARIANTS
from judge.library.arguments import in_python
from judge.testing import rules as any_rules
from judge.wire.brainjar import Brainjar
from judge.wire.messages import AskFleet
from learner import learners
from needs import need
from strategies import examples

T = Termination
ISOLATION = {"isolation": "none"}
SMALL = {**builtins(VARIANTS["brainjar"]), "name": "small", "columns": 3, "rows": 3, "fleet": [2]}


class Lucky:
    """An object that plays by any rules, as its seed has it."""

    def place(self, rules: judge.Rules, seed: int) -> judge.Fleet:
        self.luck = Random(seed)
        return judge.random_fleet(rules, seed)

    def shoot(self, view: judge.View) -> list[judge.Target]:
        cells = [
            judge.Target(seat, judge.Cell(column, row))
            for seat in range(view.players)
            if seat != view.seat and view.present[seat]
            for column in range(view.rules.columns)
            for row in range(view.rules.rows)
        ]
        shot_at = {(shot.target, *shot.cell) for shot in view.shots}
        fresh = [one for one in cells if (one.seat, *one.cell) not in shot_at]
        enough = len(fresh) >= view.due
        return (self.luck.sample if enough else self.luck.choices)(fresh or cells, k=view.due)


def sweep(request: dict) -> dict:
    if request["cmd"] == "init":
        ships = {2: "00", 3: "20", 4: "40", 5: "60"}
        return {str(n): {"point": at, "orientation": "vertical"} for n, at in ships.items()}
    column, row = divmod(len(request["hit"]) + len(request["missed"]), 8)
    return {"move": f"{column}{row}"}


def write_bots(*names: str) -> None:
    """Programs that end in a moment: each shoots at one cell again and again, unless its name is
    ``ann``, which places no fleet."""
    for name in names:
        Path("bots", name).mkdir(parents=True)
        fleet = {str(n): {"point": f"{n}0", "orientation": "vertical"} for n in (2, 3, 4, 5)}
        said = "no" if name == "ann" else json.dumps(fleet)
        Path("bots", name, "run.sh").write_text(
            f"#!/bin/sh\n# {name}\n"
            f"case $1 in *init*) echo '{said}';; *) echo '{{\"move\":\"77\"}}';; esac\n"
        )
        Path("bots", name, "run.sh").chmod(0o755)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in ("bsp", "contest")])
def test_objects_play_by_every_variant(name: str) -> None:
    """A game of two objects ends as its rules have it, and its record can be judged again."""
    record = judge.play(Lucky(), Lucky(), rules=name, seed=4)
    assert not record.outcome.termination.is_forfeit
    replay(record)


def test_the_same_seed_is_the_same_fight() -> None:
    """Objects that play by their seeds play the same games again; who moves first takes turns."""
    once, again = (list(judge.fight(Lucky(), Lucky(), games=4, seed=9)) for _ in range(2))
    assert [one.shots for one in once] == [one.shots for one in again]
    assert [one.first for one in once] == [0, 1, 0, 1]


def test_a_drawn_seed_plays_the_same_again(tmp_path: Path) -> None:
    """A fight and a contest have their seed, and the id of a record begins with it. It is text, which
    is a seed again, also in a contest that goes on."""
    fought = judge.fight(Lucky(), Lucky(), games=2)
    shots = [record.shots for record in fought]
    assert shots == [one.shots for one in judge.fight(Lucky(), Lucky(), games=2, seed=fought.seed)]
    once = judge.play(Lucky(), Lucky())
    again = judge.play(Lucky(), Lucky(), seed=once.id.split("-")[0])
    assert (once.id, once.shots) == (again.id, again.shots)
    more = {"ledger": tmp_path / "kept.json", "rules": SMALL, "launch": "fork", **ISOLATION}
    contest = judge.Contest(["hunter", "random"], **more)
    next(iter(contest))
    seeds = {judge.Contest(["hunter", "random"], **more, **seed).seed for seed in ({}, {"seed": 1})}
    assert seeds == {contest.seed}
    assert len([*judge.Contest(["hunter", "random"], **more, seed=contest.seed)]) == 1


def test_a_function_plays_a_program() -> None:
    """A function meets a bundled bot; the game is not rated, for nothing held the function."""
    record = judge.play("hunter", sweep, seed=5, **ISOLATION)
    assert [seat.name for seat in record.seats] == ["hunter", "sweep"]
    assert (record.outcome.winner, record.rated) == (0, False)
    assert "<iframe" in record._repr_html_()


def test_namesakes_are_numbered() -> None:
    """Two of one name are told apart."""
    assert [one.name for one in judge.play(sweep, sweep, seed=1).seats] == ["sweep", "sweep#2"]


@pytest.mark.parametrize(
    ("answer", "termination", "said"),
    [
        ({"move": "00", "more": 1}, T.ILLEGAL_MOVE, "shot at before"),
        ({"move": 7}, T.BAD_OUTPUT, "is not of type 'string'"),
        ({"move": "99"}, T.ILLEGAL_MOVE, "outside the 8×8 grid"),
        (None, T.BAD_OUTPUT, "replied"),
    ],
)
def test_a_function_that_answers_wrongly_loses(
    answer: object, termination: Termination, said: str
) -> None:
    """The reply of a function is held to the protocol and to the rules; the other wins."""

    def wrong(request: dict) -> object:
        return sweep(request) if request["cmd"] == "init" else answer

    outcome = judge.play(wrong, sweep, seed=1, first=0).outcome
    assert (outcome.winner, outcome.termination) == (1, termination)
    assert said in outcome.detail


def test_every_option_that_an_error_names_has_an_argument() -> None:
    """Each sentence of an error of the rooms below the library names arguments in the library,
    except where it gives a whole command."""
    of_commands = {"from", "reason", "since", "user", "scope"}
    named = set()
    for room in ("process", "play", "contest", "check"):
        for file in Path(judge.__file__).parent.joinpath(room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    said = ast.unparse(node.exc)
                    named |= set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", said))
                    left = re.findall(r"(?<![\w-])--([a-z][a-z-]*)", in_python(said))
                    assert {*left} <= of_commands, f"{file.name}:{node.lineno}"
    assert named > {"learning", "ledger", "isolation", "seats"}


@pytest.mark.parametrize(
    ("said", "in_words"),
    [
        ("leave --launch fork out", 'leave launch="fork" out'),
        ("--launch spoon", "launch spoon"),
        ("--learning on needs --isolation bwrap:", 'learning=True needs isolation="bwrap":'),
        ("--rules contest-5 plays", 'rules="contest-5" plays'),
        ("choose others with --rules", "choose others with rules"),
        ("`--timeout 5s --memory 64M`", "`timeout_ms=5000 memory_bytes=67108864`"),
        ("with --seats 3 more play", "with seats=3 more play"),
        ("--ledger OTHER.json or --no-ledger", 'ledger="OTHER.json" or ledger=None'),
        ("a--seed, ---seed, --no-such 3", "a--seed, ---seed, --no-such 3"),
        ("uv pip install --python py, or --python", "uv pip install --python py, or python"),
    ],
)
def test_options_of_a_sentence_become_arguments(said: str, in_words: str) -> None:
    """An option that the library has is named as its argument, with the value if one follows."""
    assert in_python(said) == in_words


def test_conditions_that_a_ledger_lacks_are_named_as_arguments(tmp_path: Path) -> None:
    """The sentence says which arguments make the conditions those of the ledger; with them the
    fight goes on."""
    path = tmp_path / "kept.json"
    other = {"timeout_ms": 3500, "memory_bytes": 2**27, "output_bytes": 2**15, "cores": 2}
    fight = partial(judge.fight, "hunter", "random", ledger=path, launch="fork", **ISOLATION)
    assert len([*fight(**other)]) == 1
    with pytest.raises(judge.UsageError) as raised:
        next(fight())
    said = "timeout_ms=3500 memory_bytes=134217728 output_bytes=32768 cores=2"
    assert f"`{said}`" in str(raised.value)
    assert next(fight(**other)).number == 2


@pytest.mark.parametrize(
    "shots",
    [
        None,
        (),
        "00",
        [("0", "1")],
        judge.Cell("a", 0),
        judge.Target(1, (0, 1)),
        judge.Target(1, [0]),
        {"move": "00" * 999},
        [range(9)] * 999,
        ["00" * 999],
    ],
)
def test_an_object_that_shoots_at_nothing_loses(shots: object) -> None:
    """An object that is not a shot is the object's fault, and one short sentence says so."""

    class Odd(Lucky):
        def shoot(self, view: judge.View) -> object:
            return shots

    outcome = judge.play(Odd(), Lucky(), seed=1, first=0).outcome
    assert (outcome.winner, outcome.termination) == (1, T.BAD_OUTPUT)
    assert outcome.detail.startswith("returned `")
    assert len(outcome.detail) < 160


def test_an_error_of_a_bot_is_its_loss() -> None:
    """An exception that a function raises costs it the game, with its own words and the line of its
    own file, also where another file's code raised it."""

    def broken(request: dict) -> dict:
        raise ZeroDivisionError("by nothing")

    def misread(request: dict) -> dict:
        return json.loads("no")

    def deaf() -> dict:
        return {}

    line = broken.__code__.co_firstlineno + 1
    for function, at, said in (
        (broken, line, "ZeroDivisionError at {}: by nothing"),
        (misread, line + 3, "JSONDecodeError at {}: Expecting value: line 1 column 1 (char 0)"),
        (deaf, None, "TypeError: test_an_error_of_a_bot_is_its_loss.<locals>.deaf() takes"),
    ):
        outcome = judge.play(function, sweep, seed=1).outcome
        assert (outcome.winner, outcome.termination) == (1, T.CRASH)
        assert outcome.detail.startswith(f"raised {said}".format(f"test_library.py:{at}"))


def test_a_stop_in_a_bot_passes_through() -> None:
    """A signal is the caller's: neither KeyboardInterrupt nor `Interrupted` is a bot's loss."""
    for stop in (KeyboardInterrupt, Interrupted):

        def stopped(request: dict, stop: type[BaseException] = stop) -> dict:
            raise stop

        with pytest.raises(stop):
            judge.play(stopped, sweep, seed=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: judge.rules("brainjer"),
            "'brainjer' is not the name of rules.*Did you mean brainjar",
        ),
        (lambda: judge.rules(None), "None is not the name of rules"),
        (
            lambda: judge.Game("brainjar"),
            r"'brainjar' is not Rules: give judge\.rules\('brainjar'\)",
        ),
        (lambda: judge.rules({}), "rules is no rules file"),
        (lambda: judge.rules("none.json"), "none.json"),
        (judge.play, "for 2 players, not 0"),
        (lambda: judge.play("hunter", sweep, isolation="bwarp"), "Did you mean bwrap"),
        (lambda: judge.play("hunter", sweep, timeout_ms=0), "timeout_ms=0: give a whole number"),
        (lambda: judge.play("hunter", sweep, seed="5i"), "'5i' is not a seed"),
        (lambda: judge.play("hunter", sweep, seed=5.0), "seed=5.0"),
        (lambda: judge.fight(sweep, sweep, games=-1), "games=-1"),
        (lambda: judge.shoot(sweep, jobs=2), "leave out jobs"),
        (lambda: judge.compare(sweep, "hunter"), "sweep is a bot of this process"),
        (
            lambda: judge.compare("hunt", "new=hunt", **ISOLATION),
            "hunt and new have the same files",
        ),
        (lambda: judge.check(sweep), "sweep is a bot of this process"),
        (lambda: judge.Contest([sweep, sweep], ledger="x.json"), "leave out ledger"),
        (lambda: judge.Contest([sweep, sweep], jobs=2), "leave out jobs"),
        (lambda: judge.Contest([sweep, sweep], cluster="local:1"), "leave out cluster"),
        (lambda: judge.Contest([sweep, sweep], learning=True), "leave out learning"),
        (lambda: judge.Contest([sweep]), "it takes two"),
        (lambda: judge.fight(sweep, sweep, ledger="x.json"), "leave out ledger"),
        (lambda: judge.fight("hunter", "random", ledger=5), "ledger=5: give a path"),
        (lambda: judge.fight(sweep, sweep, sprt=5), "sprt=5: give"),
        (lambda: judge.fight(sweep, sweep, sprt=(0, 5, 0.1)), "sprt=.0, 5, 0.1.: give"),
        (lambda: judge.fight(sweep, sweep, sprt=("0", "5")), "sprt=.*: give"),
        (lambda: judge.fight(sweep, sweep, sprt=(5, 0)), "ELO0 must be less"),
        (lambda: judge.fight(sweep, sweep, sprt=(0, 5), games=1), "leave out games"),
        (
            lambda: judge.fight(sweep, sweep, sweep, rules="xbs", sprt=(0, 5)),
            "two bots, and 3 are named",
        ),
        (lambda: judge.Contest(None), "None is neither a folder"),
        (lambda: judge.Contest(["hunter", "random"], format="leage"), "format='leage'"),
        (lambda: judge.Contest(["hunter", "random"], rounds=0), "rounds=0"),
        (lambda: judge.Contest(["hunter", "random"], seconds=math.inf), "seconds=inf"),
        (lambda: judge.Contest(["hunter", "random"], seconds=math.nan), "seconds=nan"),
        (
            lambda: judge.Contest(["hunter", "random"], **ISOLATION).standings("wins"),
            "by='wins': it is one of points, elo",
        ),
        (lambda: judge.play(sweep, sweep, cluster="local:1"), "sweep is a bot of this process"),
        (lambda: judge.play(sweep, sweep, io="new"), "programs are told and answer: leave out io"),
        (lambda: judge.play("hunter", "random", io=__file__), "py' is a file: give a folder"),
        (lambda: [*judge.fight(sweep, sweep, jobs=2)], "one game at a time: leave out jobs"),
        (lambda: judge.play("hunter", "random", cluster="here"), "'here' is not a cluster"),
        (lambda: judge.play("hunter", "random", cluster="local:1", io="x"), "leave out io"),
        (lambda: judge.play("hunter", "random", cluster="local:1", watch=print), "leave out watch"),
        (lambda: judge.play("hunter", "random", trust_bots=True), "give cluster"),
        (
            lambda: judge.play("hunter", "random", cluster="local:1", trust_bots="no"),
            "trust_bots='no': it is one of True, False",
        ),
        (lambda: judge.play("hunter", "random", learning="off"), "learning='off'"),
        (lambda: judge.Contest(["hunter", "random"], final="yes"), "final='yes'"),
        (lambda: judge.Contest(["hunter", "random"], insist=[]), r"insist=\[\]"),
        (lambda: judge.Contest(["hunter", "random"], check=None), "check=None"),
        (
            lambda: judge.play("hunter", "random", learning=True, **ISOLATION),
            'learning=True needs isolation="bwrap": under none',
        ),
        (
            lambda: judge.play("sh -c true", "hunter", launch="fork", **ISOLATION),
            'launch="fork" is for Python bots.*leave launch="fork" out',
        ),
        (lambda: judge.play("hunter", sweep, rules="xbs", first=9), "first=9"),
        (lambda: judge.play("hunter", "random", python="none/py"), "python.*none/py"),
        (
            lambda: judge.play("hunter", "random", bot_size_bytes=9),
            "or allow more: bot_size_bytes=1",
        ),
        (lambda: judge.play("hunter", "random", cores=0), "cores=0"),
        (lambda: judge.play("hunter", "random", output_bytes=0), "output_bytes=0"),
        (
            lambda: [*judge.fight("hunter", "random", ledger="/", **ISOLATION)],
            "folder; ledger names",
        ),
        (
            lambda: [*judge.Contest(["hunter", "random"], format="gauntlet", **ISOLATION)],
            'format="gauntlet" plays the games of one bot: name it by bot',
        ),
        (lambda: judge.play("hunter", "random", share=5), "share=5: give a path"),
        (lambda: judge.shoot("hunter", learning=True), "leave out learning"),
        (lambda: judge.compare("hunter", "random", learning=True), "leave out learning"),
        (lambda: judge.check("hunter", learning=True), "leave out learning"),
        (lambda: judge.play("hunter", sweep, learning=True), "leave out learning"),
        (lambda: judge.check("hunter", cluster="local:1"), "leave out cluster"),
        (lambda: judge.play(sweep), "for 2 players, not 1"),
        (lambda: judge.play((sweep, sweep)), "give the bots one by one"),
        (lambda: judge.fight([sweep, sweep], games=2), "give the bots one by one"),
        (lambda: judge.play(sweep, 5), "5 is not a bot"),
        (lambda: judge.play(Lucky, sweep), r"Lucky is a class: give an object, Lucky\(\)"),
        (lambda: judge.play(sweep, sweep, first=2), "seats 0 to 1"),
        (lambda: judge.play(sweep, sweep, first=0.0), "first=0.0"),
        (lambda: judge.play(sweep, sweep, sweep), "for 2 players, not 3"),
        (lambda: judge.play("no-such-bot", sweep), "no-such-bot"),
        (lambda: judge.Contest(["hunter"], **ISOLATION), "it takes two"),
        (lambda: judge.Contest(["hunter", "random"], ledger=5), "ledger=5: give a path"),
        (lambda: judge.Contest(["hunter", "random"], bot=5), "bot=5: give a text"),
        (lambda: judge.Contest(["hunter", "random"], lives=1001), "lives=1001.* to 1,000"),
        (lambda: judge.Contest(["hunter", "random"], seats=101), "seats=101.* to 100"),
        (lambda: judge.Contest(["hunter", "random"], seconds=float("nan")), "seconds=nan"),
        (lambda: judge.Contest(["hunter", "random"], seconds=86_401), "seconds=86401"),
        (lambda: judge.Ledger(5), "path=5: give a path"),
        (lambda: judge.play(sweep, sweep, first="0"), "first='0'"),
        (lambda: judge.Ledger("none.json"), "there is no such ledger"),
    ],
)
def test_what_cannot_be_is_one_sentence(call, said: str, tmp_path: Path, monkeypatch) -> None:
    """A request that cannot be met raises `UsageError`, and writes nothing."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(judge.UsageError, match=said):
        call()
    assert not [*tmp_path.iterdir()]


def test_a_rules_file_of_a_tebibyte_is_not_read(tmp_path: Path) -> None:
    """At most one byte more than the longest rules file is read of any file."""
    path = tmp_path / "rules.json"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(judge.UsageError, match=r"rules\.json is longer than "):
        judge.rules(path)


def test_shots_and_checks() -> None:
    """`shoot` and `check` give what the commands print."""
    assert judge.shoot("hunter", boards=3, seed=1, launch="fork", **ISOLATION).mean > 10
    assert judge.check("random", rules=SMALL, launch="fork", **ISOLATION).conforms


def test_a_function_and_an_object_clear_boards() -> None:
    """They get the boards that a program gets: a sweep needs as many shots as the last cell has
    before it, and an object plays by all rules. An error ends a board."""
    shot = judge.shoot(sweep, boards=3, seed=1)
    assert (shot.name, len(shot.shots)) == ("sweep", 3)
    of = judge.rules("brainjar")
    for number, board in enumerate(Solo(1, 3, 1), 1):
        cells = {cell for ship in drawn_fleet(of, board) for cell in ship.cells}
        assert shot.shots[number] == max(8 * cell.column + cell.row for cell in cells) + 1
    assert judge.shoot(Lucky(), boards=2, rules="contest-5", seed=1).mean > 10
    assert judge.shoot(lambda _: None, boards=1, seed=1).forfeits == {T.BAD_OUTPUT: 1}


def test_a_comparison_is_the_same_by_the_command_and_by_the_library(tmp_path: Path) -> None:
    """The same seed gives the same document."""
    file = tmp_path / "small.json"
    file.write_text(json.dumps(SMALL))
    found = judge.compare(
        "hunt", "random", boards=3, games=4, rules=str(file), seed=1, launch="fork"
    )
    more = (
        "--boards",
        "3",
        "--games",
        "4",
        "--rules",
        str(file),
        "--seed",
        "1",
        "--launch",
        "fork",
        "--json",
    )
    told = json.loads(command("compare", "hunt", "random", *more).stdout)
    assert told == json.loads(json.dumps(builtins(found.document())))
    assert found.verdict == told["verdict"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"games": 3}, ("--games", "3")),
        ({"sprt": (0, 100)}, ("--sprt", "0,100")),
        ({"sprt": (0, 100, 0.2, 0.2)}, ("--sprt", "0,100,0.2,0.2")),
        ({"rules": "contest-3", "games": 2}, ("--rules", "contest-3", "--games", "2")),
    ],
    ids=["games", "sprt", "chances", "match"],
)
def test_a_fight_is_the_same_by_the_command_and_by_the_library(
    options: dict, words: tuple[str, ...], tmp_path: Path, monkeypatch
) -> None:
    """The ledgers are the same bytes, and the test has the same verdict. The same fight once more
    adds no game."""
    monkeypatch.chdir(tmp_path)
    write_bots("ann", "bob")
    bots = ("bots/bob", "bots/ann")
    if "rules" in options:
        bots = ("one=parity@open", "two=hunter@open")
    done = command("fight", *bots, *words, "--seed", "8", "--ledger", "one.json", "--json")
    document = json.loads(done.stdout)
    fought = judge.fight(*bots, **options, seed=8, ledger="two.json", **ISOLATION)
    ids = [record.id for record in fought]
    assert ids == [str(number + 1) for number in range(document["games"])]
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert fought.verdict == (document["sprt"] and document["sprt"]["verdict"])
    again = judge.fight(*bots, **options, seed=8, ledger="two.json", **ISOLATION)
    assert len([*again]) == len(ids) == len([*judge.Ledger("two.json").games()])


def test_a_fight_that_is_left_keeps_its_games(tmp_path: Path, monkeypatch) -> None:
    """A game is in the ledger before its record comes; nothing is played after the fight is closed."""
    monkeypatch.chdir(tmp_path)
    write_bots("bob", "cyd")
    fought = judge.fight("bots/bob", "bots/cyd", games=50, ledger="kept.json", **ISOLATION)
    assert next(fought).number == 1
    assert len([*judge.Ledger("kept.json").games()]) == 1
    fought.close()
    assert [*fought] == []
    assert len([*judge.Ledger("kept.json").games()]) == 1


def test_a_test_of_two_functions_ends_once_it_is_decided() -> None:
    """The games of functions count for the test, though their records are not rated."""
    fought = judge.fight(sweep, lambda _: None, sprt=(0, 100), seed=1)
    assert fought.verdict is None
    assert not any(record.rated for record in fought)
    assert fought.verdict == "H1"


@pytest.mark.parametrize(
    ("options", "games"),
    [
        ({"rounds": 2}, 12),
        ({"format": "gauntlet", "bot": "sweep", "rounds": 1}, 4),
        ({"rules": "contest-3", "format": "lives", "games": 1}, None),
    ],
    ids=["rounds", "gauntlet", "matches"],
)
def test_functions_and_objects_play_a_contest_without_a_ledger(
    options: dict, games: int | None
) -> None:
    """Their games count in the standings, and the same seed gives the same table."""
    bots = (sweep, Lucky(), Lucky()) if games else (Lucky(), Lucky(), Lucky())
    tables = []
    for _ in range(2):
        contest = judge.Contest(bots, seed=3, **options)
        added = [event for event in contest if isinstance(event, Added)]
        assert games in (None, len(added))
        tables.append([(row.name, row.won, row.games) for row in contest.standings().rows])
    assert tables[0] == tables[1]
    assert {name for name, _, _ in tables[0]} >= {"Lucky", "Lucky#2"}
    assert sum(won for _, won, _ in tables[0]) > 0


def test_a_function_meets_programs_in_a_contest() -> None:
    """A function plays beside programs, and a bot that is taken up may be a function."""
    contest = judge.Contest(["hunter", sweep], rounds=1, seed=3, **ISOLATION)
    assert sum(isinstance(event, Added) for event in contest) == 2
    assert [(row.name, row.won) for row in contest.standings().rows] == [
        ("hunter", 2),
        ("sweep", 0),
    ]
    contest.take_up([sweep, Lucky()])
    assert sum(isinstance(event, Added) for event in contest) == 2


@pytest.mark.whole
def test_entrants_are_checked(tmp_path: Path, monkeypatch) -> None:
    """With `check` a program that does not conform is left out, with the reason; so is one that
    comes while the contest runs."""
    monkeypatch.chdir(tmp_path)
    write_bots("ann")
    bots = ["hunter", "random", "bots/ann"]
    more = {"rules": SMALL, "ledger": "kept.json", "launch": "fork", **ISOLATION}
    contest = judge.Contest(bots, check=True, rounds=1, seed=1, **more)
    events = iter(contest)
    next(events)
    assert [one.name for one in contest.left_out] == ["ann"]
    assert contest.left_out[0].reason.startswith("it does not conform: ")
    contest.take_up(["hunter", "random", "late=bots/ann"])
    assert sum(isinstance(event, Added) for event in events) == 1
    assert [one.name for one in contest.left_out] == ["late"]


def test_a_contest_is_the_same_by_the_command_and_by_the_library(
    tmp_path: Path, monkeypatch
) -> None:
    """The ledgers of the same contest are the same bytes; a contest that was broken off goes on."""
    monkeypatch.chdir(tmp_path)
    write_bots("ann", "bob", "cyd")
    assert command("rank", "bots", "--seed", "8", "--ledger", "one.json", "--quiet").status == 0
    contest = judge.Contest("bots", seed=8, ledger="two.json", **ISOLATION)
    assert isinstance(next(iter(contest)), Added)  # and is left there
    assert sum(isinstance(event, Added) for event in contest) == 5
    assert [*contest] == []
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert len([*judge.Ledger("two.json").games()]) == 6
    assert "<td>ann" in contest.standings()._repr_html_()
    order = judge.Ledger("two.json").disqualify("ann", reason="it cheats")
    assert [one.bot for one in judge.Ledger("two.json").orders] == ["ann"]
    judge.Ledger("two.json").undo(order)
    before = Path("two.games.jsonl").read_bytes()
    for wrong in (
        lambda ledger: ledger.retire("zed"),
        lambda ledger: ledger.retire(None),
        lambda ledger: ledger.void(True, reason="r"),
        lambda ledger: ledger.void(1, reason=None),
        lambda ledger: ledger.disqualify("ann", reason="x" * 10_001),
    ):
        with pytest.raises(judge.UsageError):
            wrong(judge.Ledger("two.json"))
    assert Path("two.games.jsonl").read_bytes() == before
    assert not judge.Ledger("two.json").orders


@pytest.mark.whole
def test_a_cluster_plays_whatever_a_program_does(own_folder: Path, cluster: str) -> None:
    """A fight and boards on a cluster are those of this machine, and a contest takes up bots. The
    command, and the library on this machine, in threads and on workers, write the same ledger of
    a contest."""
    clusters.set_up()
    here = {"rules": "tiny.json", "seed": 5, "launch": "exec", **ISOLATION}
    there = {**here, "cluster": cluster, "trust_bots": True}
    pair = ("bots/ann.py", "bots/bob.py")
    with clusters.starting() as start:
        clusters.worker(start, cluster)
        for place in ({}, {"jobs": 2}, {"cluster": cluster, "trust_bots": True}):
            contest = judge.Contest(
                "bots",
                rules="tiny.json",
                seed=int(clusters.RUN[1]),
                launch="fork",
                timeout_ms=60_000,
                insist=True,
                ledger=f"library{len(place)}.json",
                **ISOLATION,
                **place,
            )
            assert sum(isinstance(event, Added) for event in contest) == 6
            assert clusters.ledger(f"library{len(place)}.json") == clusters.alone()
        fought = [[*judge.fight(*pair, games=2, **on)] for on in (here, there)]
        shots = [
            [(shot.seat, shot.column, shot.row) for one in each for shot in one.shots]
            for each in fought
        ]
        assert shots[0] == shots[1]
        first, second = (judge.shoot(pair[0], boards=2, **on).mean for on in (here, there))
        assert first == second
        contest = judge.Contest(pair, ledger="taken.json", **there)
        events = iter(contest)
        next(events)
        contest.take_up([*pair, "bots/cyd.py"])
        assert sum(isinstance(event, Added) for event in events) == 5
        assert [*contest] == []


def test_a_game_of_bots_asked_at_once_has_a_core_for_each() -> None:
    """By rules that ask both bots at once a game has two cores, as by the command."""
    assert judge.library.games.settings("contest").limits.cores == 2


@pytest.mark.whole
def test_players_learn_from_game_to_game(own_folder: Path) -> None:
    """With `learning` a game of a fight, or of a contest, begins with the data of the last game."""
    need("bwrap")
    learners(Path("players"), "ann", "bob")
    pair = [*map(str, sorted(Path("players").iterdir()))]
    options = {"rules": "broadsides", "seed": 5, "learning": True}
    fought = [*judge.fight(*pair, games=2, **options)]
    assert len({game.seats[0].data_digest for game in fought}) == 2
    contest = judge.Contest(pair, ledger="kept.json", **options)
    assert sum(isinstance(event, Added) for event in contest) == 2
    played = [*judge.Ledger("kept.json").games()]
    assert len({game.seats[0].data_digest for game in played}) == 2


def test_a_contest_has_one_iterator_at_a_time() -> None:
    """A second iterator is refused while the first plays; the first goes on."""
    contest = judge.Contest(["hunter", "random"], seed=1, rules=SMALL, launch="fork", **ISOLATION)
    events = iter(contest)
    next(events)
    with pytest.raises(judge.UsageError, match="another iterator"):
        next(iter(contest))
    assert sum(isinstance(event, Added) for event in events) == 1


@pytest.mark.whole
def test_a_contest_of_ais_wakes_them_as_the_command_does(own_folder: Path) -> None:
    """An AI that exits at once is left out of a contest of lives; the ledger is the command's."""
    Path("ais").mkdir()
    for name in ("ann", "bob"):
        assert command("new", "contest-python", f"ais/{name}").status == 0
    Path("ais/exits.py").write_text("\n")
    words = ("--rules", "contest-3", "--format", "lives", "--games", "1", "--seed", "5")
    done = command("rank", "ais", *words, "--isolation", "none", "--ledger", "one.json")
    assert "left out exits: it fails the wake-up test" in done.stderr
    contest = judge.Contest(
        "ais", rules="contest-3", format="lives", games=1, seed=5, ledger="two.json", **ISOLATION
    )
    assert sum(isinstance(event, Added) for event in contest) == 3
    assert [one.name for one in contest.left_out] == ["exits"]
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


@pytest.mark.whole
def test_the_library_keeps_an_exchange_and_shares_a_folder(own_folder: Path) -> None:
    """`io` and `share` are as the options of these names."""
    clusters.set_up()
    Path("helpers").mkdir()
    Path("helpers/more.py").write_text("MORE = 1\n")
    pair = ("bots/ann.py", "bots/bob.py")
    options = {"rules": "tiny.json", "io": "told", "share": "helpers", **ISOLATION}
    record = judge.play(*pair, seed=5, **options)
    assert list(Path("told").glob("*/A-ann.exchange"))
    assert (
        record.seats[0].digest
        != judge.play(*pair, rules="tiny.json", seed=5, **ISOLATION).seats[0].digest
    )


def test_a_contest_takes_up_bots_while_it_runs(tmp_path: Path) -> None:
    """A bot that comes while a contest runs plays all its games, and no game is played twice."""
    more = {"rules": SMALL, "ledger": tmp_path / "kept.json", "launch": "fork", **ISOLATION}
    contest = judge.Contest(["hunter", "random"], seed=1, **more)
    events = iter(contest)
    next(events)
    contest.take_up(["hunter", "random", "parity"])
    assert sum(isinstance(event, Added) for event in events) == 5
    assert {row.name: row.games for row in contest.standings().rows} == dict.fromkeys(
        ("hunter", "parity", "random"), 4
    )


def test_every_event_of_a_contest_is_a_public_name() -> None:
    """Who tells events apart imports nothing but `judge`."""
    events = get_args(ContestEvent)
    assert len(events) == 5
    assert all(getattr(judge, event.__name__) is event for event in events)


def test_the_table_has_the_bots_of_the_contest(tmp_path: Path) -> None:
    """Before, while and after a contest runs its table has the bots that it was given, as that of
    `judge rank` has; a bot that only its ledger knows is not in the table."""
    more = {
        "seed": 1,
        "rules": SMALL,
        "ledger": tmp_path / "kept.json",
        "launch": "fork",
    } | ISOLATION
    assert len([*judge.Contest(["hunter", "random", "parity"], **more)]) == 6
    contest = judge.Contest(["hunter", "random"], rounds=2, **more)
    tables = [contest.standings(), *(contest.standings() for _ in contest), contest.standings()]
    assert [sorted(row.name for row in one.rows) for one in tables] == [["hunter", "random"]] * 4


def test_a_contest_goes_on_with_as_many_at_a_game_as_its_ledger_has(tmp_path: Path) -> None:
    """Who goes on with a contest of three at a game need not say how many, as with `judge rank`,
    also by rules that are for no fewer."""
    three = {**builtins(judge.rules("xbs")), "name": "three", "players": [3, 4]}
    bots = ["hunter", "random", "parity"]
    more = {"rules": three, "ledger": tmp_path / "kept.json", "launch": "fork", **ISOLATION}
    next(iter(judge.Contest(bots, seats=3, rounds=1, seed=1, **more)))
    assert len([*judge.Contest(bots, **more)]) == 2


@examples(40)
@given(rules=any_rules())
def test_every_fleet_is_legal_and_there_is_one(rules: judge.Rules) -> None:
    """The first of all fleets is legal by the rules."""
    fleet = next(judge.all_fleets(rules))
    rules.check_fleet(fleet)


def test_all_fleets_are_counted() -> None:
    """On 3×3 a ship of two lies in twelve ways, and beside one of three in as many as by hand."""
    assert sum(1 for _ in judge.all_fleets(SMALL)) == 12
    assert sum(1 for _ in judge.all_fleets({**SMALL, "fleet": [2, 3]})) == 36


def test_importing_the_library_is_cheap() -> None:
    """`import judge` loads no part of the judge, and the rooms stay importable beside functions of
    their names."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import sys, judge; print([m for m in sys.modules if m.startswith('judge.')]);"
                "import judge.play.match; from judge.check.checks import *; print(callable(judge.play))"
            ),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.splitlines() == ["[]", "True"]


@examples(15)
@given(record=testing.records())
def test_records_of_the_strategy_can_be_judged_again(record: judge.GameRecord) -> None:
    """A record that `judge.testing` makes is whole, by any rules."""
    replay(record)


@examples(200)
@given(reply=testing.replies())
def test_replies_of_the_strategy_are_read_or_refused(reply: bytes) -> None:
    """Whatever a bot prints is an event, or the bot's own fault."""
    wire = Brainjar(judge.rules("brainjar"), 0, "readme")
    wire.send(AskFleet())
    wire.receive_data(reply)
    wire.receive_data(b"")
    with suppress(judge.BotError):
        wire.next_event()
