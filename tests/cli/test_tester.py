"""judge tester and judge play by lines, as a script pipes them."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from random import Random

import pytest

from changes import replace
from commands import ROOT, judge_at
from judge.cli.interactive import fleet_input
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord
from judge.documents.rules import Cell, Orientation, Rules, Ship, Turn
from judge.errors import IllegalFleet
from judge.game.fleets import random_fleet
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, VARIANTS
from judge.wire.brainjar import fleet_reply

PLAYS = str(ROOT / "tests" / "hostile" / "plays.sh")

# plays.sh, which shoots 00, 01, …, sinks it by its 29th shot.
FLEET = '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"10","orientation":"vertical"},"4":{"point":"20","orientation":"vertical"},"5":{"point":"30","orientation":"vertical"}}'


@pytest.fixture
def judge(tmp_path: Path):
    (tmp_path / "fleet.json").write_text(FLEET)

    return partial(judge_at, tmp_path)


def transcript(judge, typed: str, *arguments: str) -> str:
    done = judge("tester", *arguments, typed=typed)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def snapshots(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def test_luck_is_that_of_the_seed(judge) -> None:
    """The same seed gives the same fleets and first mover, typed as random or not asked at all."""
    texts = [transcript(judge, "00\n", "--seed", "7") for _ in range(2)]
    assert texts[0] == texts[1]
    typed = transcript(judge, "00\n", "--seed", "7", "random", "random")
    assert snapshots(typed) == snapshots(texts[0])
    assert typed == texts[0]
    assert transcript(judge, "00\n", "--seed", "8") != texts[0]


def test_other_rules_are_tested_too(judge, tmp_path: Path) -> None:
    """Any game that the wire can express, one that all play at once among them."""
    both = replace(BRAINJAR, name="both", columns=3, rows=3, fleet=(2,), turn=Turn.BOTH)
    (tmp_path / "both.json").write_text(json.dumps(builtins(both)))
    text = transcript(judge, "00v\n00h\n00\n00\n10\n01\n", "--rules", "both.json", "--first", "a")
    assert "noted; the other side moves in the same round" in text
    assert "both fleets were sunk at once" in text


# Places as it was told to when it was written, and shoots column by column; counts its own turns.
BROADSIDER = """\
import sys

cells = [f"{column}{row}" for column in "ABCDEFGHIJ" for row in range(1, 11)]
for line in sys.stdin:
    match line.split():
        case ["ACTION", "SHIPS", _]:
            print("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H", flush=True)
        case ["ACTION", "SHOTS", due]:
            volley, cells = cells[:int(due)], cells[int(due):]
            print("SHOTS", *volley, flush=True)
        case ["ACTION", "FINISH"]:
            print("FINISH", flush=True)
            LAST
"""
BROADSIDES = ["--rules", "broadsides", "--seed", "1", "--isolation", "limits"]


@pytest.fixture
def player(tmp_path: Path) -> str:
    path = tmp_path / "player.py"
    path.write_text(BROADSIDER.replace("LAST", f"open({str(tmp_path / 'left')!r}, 'w')"))
    return "1=player.py"


def stepped(judge, typed: str, *arguments: str) -> str:
    done = judge("tester", *arguments, typed=typed)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_move_is_taken_back_from_a_player_that_answers_otherwise(
    judge, player: str, tmp_path: Path
) -> None:
    """The game stays as it was, with the player that it was played with."""
    path = tmp_path / "player.py"
    path.write_text(
        "import random\nrandom.seed()\n"
        + path.read_text().replace(
            "volley, cells = cells", "random.shuffle(cells); volley, cells = cells"
        )
    )
    text = stepped(
        judge, "\nA1 B2 C3 D4 E5 F6\nundo\n\n", "--bot", player, "--first", "b", *BROADSIDES
    )
    assert "no move is taken back: player was started anew and told the same" in text
    assert "last move is taken back." not in text
    assert len(re.findall("^   3  player  ", text, re.MULTILINE)) == 1


def test_a_player_is_taken_leave_of_once_its_game_is_over(
    judge, player: str, tmp_path: Path
) -> None:
    """As in a fight; of a game that is left in its middle it hears no more."""
    water = " ".join(["99"] * 6)
    arguments = ["--bot", player, "--first", "b", *BROADSIDES]
    stepped(judge, f"\n{water}\nquit\n", *arguments)
    assert not (tmp_path / "left").exists()
    text = stepped(judge, "\n" * 99, "--bot", "0=hunter", *arguments)
    assert "the game is over> " in text
    assert (tmp_path / "left").exists()


def test_two_bots_play_the_game_of_the_fight(judge) -> None:
    """With the same seed, stepping shows the very game that judge fight plays."""
    bots = ["--bot", f"0={PLAYS}", "--bot", "1=random", "--seed", "6"]
    text = judge("tester", *bots, typed="\n" * 6).stdout
    fight = judge("fight", PLAYS, "random", "--seed", "6", "--json", "--no-ledger", "--quiet")
    (record,) = json.loads(fight.stdout)["records"]
    shots = [f"{shot[0]}{shot[2]}{shot[3]}" for shot in record["shots"][:6]]
    assert [move[:3] for move in snapshots(text)[-1]["moves"]] == shots


# Placing


@pytest.mark.parametrize(
    ("text", "ship"),
    [
        ("34h", Ship(3, 3, 4, Orientation.HORIZONTAL)),
        ("3 4 v", Ship(3, 3, 4, Orientation.VERTICAL)),
        ("3,4 Vertical", Ship(3, 3, 4, Orientation.VERTICAL)),
        (" 12,3h ", Ship(3, 12, 3, Orientation.HORIZONTAL)),
    ],
)
def test_a_ship_is_written_in_some_ways(text: str, ship: Ship) -> None:
    """Its end and a letter, close together or apart."""
    assert fleet_input.ship(text, 3, BRAINJAR) == ship


@pytest.mark.parametrize("text", ["", "34", "h", "3h", "34x", "345h", "-1,0h", "３４h"])
def test_what_is_no_ship_is_refused(text: str) -> None:
    """Half of it, too much of it, or something else."""
    with pytest.raises(ValueError, match="no place for a ship"):
        fleet_input.ship(text, 3, BRAINJAR)


def test_a_ship_of_one_has_no_direction() -> None:
    """A cell is enough for it."""
    assert fleet_input.ship("34", 1, BRAINJAR).cells == (Cell(3, 4),)


@pytest.mark.parametrize("rules", [BRAINJAR, VARIANTS["broadsides"]], ids=lambda rules: rules.name)
def test_a_fleet_can_be_typed_as_it_is_shown(rules: Rules) -> None:
    """The text told of a fleet drawn by luck could be typed, by rules whose cells have letters
    too."""
    fleet = random_fleet(rules, Random(5))
    words = [part.split(" at ") for part in fleet_input.named(fleet, rules).split(", ")]
    assert tuple(fleet_input.ship(text, int(length), rules) for length, text in words) == fleet


def test_a_fleet_can_be_typed_as_a_bot_replies_it() -> None:
    """As JSON; a ship more has no room in it."""
    fleet = random_fleet(BRAINJAR, Random(5))
    assert fleet_input.parsed(json.dumps(fleet_reply(fleet)), BRAINJAR, "brainjar") == fleet
    with pytest.raises(IllegalFleet):
        fleet_input.require_room(BRAINJAR, (*fleet, fleet[0]))


@pytest.mark.parametrize("text", ["34", "G0", "G", "6G", "3,4", "GG"])
def test_where_cells_have_letters_digits_alone_are_none(text: str) -> None:
    """The sentence has a cell as the board of these rules names it."""
    with pytest.raises(ValueError, match="is no cell, such as D5; help says"):
        fleet_input.volley(text, 1, VARIANTS["broadsides"])
    assert fleet_input.volley("g10", 1, VARIANTS["broadsides"]) == (Cell(6, 9),)


# Playing by lines


def test_a_game_against_a_bot_is_piped(judge, tmp_path: Path) -> None:
    """A fleet by luck and shots in order: the game is played out, told, kept, and rated."""
    shots = "".join(f"{column}{row}\n" for column in range(8) for row in range(8))
    options = ["--name", "me", "--seed", "3", "--first", "a", "--rated", "--save", "game.json"]
    done = judge("play", PLAYS, *options, "--quiet", typed=f"{FLEET}\n{shots}")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"me beats plays: it sank the whole fleet in \d+ shots", done.stdout)
    assert "Points: me 10.00 to 10.50, plays 10.00 to 10.00; kept in ledger.json." in done.stdout
    record = convert(GameRecord, json.loads((tmp_path / "game.json").read_text()), "it")
    assert [game.outcome for game in replay(record)][-1] == record.outcome
    assert record.id == "1"
    assert (record.seats[0].digest, record.seats[1].digest is None) == (None, False)
    assert judge("ledger", "verify").returncode == 0
    taken = judge("play", PLAYS, "--save", "game.json", "--name", "me")
    assert taken.returncode == 2
    assert "game.json is there already" in taken.stderr


def test_a_player_that_lives_through_a_game_is_played_against(
    judge, player: str, tmp_path: Path
) -> None:
    """A person's fleet is typed as for any other bot, and both fire volleys."""
    (spec,) = player.split("=")[1:]
    fleet = '{"ships":[[5,0,0,"vertical"],[4,1,0,"vertical"],[3,2,0,"vertical"],[3,3,0,"vertical"],[2,4,0,"vertical"]]}'
    rows = "\n".join("".join(f"{column}{row} " for column in "ABCDEF") for row in (1, 2, 3))
    typed = f"{fleet}\n{rows}\nresign\n"
    done = judge("play", spec, "--name", "me", "--first", "a", *BROADSIDES, typed=typed)
    assert done.returncode == 0, done.stderr
    assert "   2  player  ¹A1 hit  ²A2 hit  ³A3 hit" in done.stdout
    assert "player wins: me resigned." in done.stdout
    assert (tmp_path / "left").exists()


def test_an_unrated_game_keeps_nothing(judge, tmp_path: Path) -> None:
    """By default nobody's points move, and no file is left."""
    before = set(tmp_path.iterdir())
    done = judge("play", PLAYS, "--name", "me", "--quiet", typed=f"{FLEET}\n00\nresign\n")
    assert done.returncode == 0
    assert "plays wins: me resigned." in done.stdout or "me wins" in done.stdout
    assert "Points" not in done.stdout
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_a_game_that_is_left_is_not_kept(end: str, judge, tmp_path: Path) -> None:
    """The end of input leaves as quit does: said in a line, status 0, nothing rated."""
    typed = f"{FLEET}\n77\n{end}"
    done = judge("play", PLAYS, "--name", "me", "--rated", "--quiet", typed=typed)
    assert done.returncode == 0
    assert done.stderr == "judge: you have left the game; it is not kept.\n"
    assert not (tmp_path / "ledger.games.jsonl").exists()


def test_a_persons_name_is_not_a_bots(judge) -> None:
    """Who plays rated under the name that a bot had is told of it."""
    judge("fight", f"me={PLAYS}", PLAYS, "--quiet", "--seed", "1")
    done = judge("play", PLAYS, "--name", "me", "--rated", typed=f"{FLEET}\nresign\n")
    assert "the files of me have changed since its last game" in done.stderr
