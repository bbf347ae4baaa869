"""judge tester and judge play by lines, as a script pipes them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from commands import ROOT, judge_in
from commands import judge as in_process
from judge.cli.interactive import fleet_input
from judge.errors import IllegalFleet
from judge.game.fleets import random_fleet
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.game.rules import Cell, Orientation, Rules, Ship, Turn
from judge.game.variants import BRAINJAR, VARIANTS
from judge.wire.brainjar import fleet_reply

PLAYS = str(ROOT / "tests" / "hostile" / "plays.sh")

# plays.sh places this one, and shoots 00, 01, …
FLEET = '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"10","orientation":"vertical"},"4":{"point":"20","orientation":"vertical"},"5":{"point":"30","orientation":"vertical"}}'
HANDS = ["--first", "a", "fleet.json", "fleet.json"]


@pytest.fixture
def judge(tmp_path: Path):
    (tmp_path / "fleet.json").write_text(FLEET)

    return partial(judge_in, tmp_path)


def transcript(judge, typed: str, *arguments: str) -> str:
    done = judge("tester", *arguments, typed=typed)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def snapshots(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def test_moves_are_piped_and_told(judge) -> None:
    """A hit goes on with the same player, a miss passes; after each move comes the snapshot that
    a bot would have got, and both boards."""
    text = transcript(judge, "00\n01\n77\n77\n", *HANDS)
    assert re.findall(r"^player (\d)> (.*)$", text, re.MULTILINE) == [
        ("0", "00"),
        ("0", "01"),
        ("0", "77"),
        ("1", "77"),
    ]
    assert "   2  player 0  01  hit, sinks the 2" in text
    assert "player 0 has destroyed: 2\nplayer 1 has destroyed: nothing" in text
    told = snapshots(text)
    assert [one["you"] for one in told] == [0, 0, 0, 1, 0]
    assert told[-1] == {
        "cmd": "move",
        "moves": ["0003", "0013", "0771", "1771"],
        "hit": ["00", "01"],
        "missed": ["77"],
        "destroyed": [2],
        "you": 0,
    }
    assert text.count("  0 1 2 3 4 5 6 7") == 2 * 5
    assert text.rstrip().endswith("player 0>")


def test_the_dialect_is_that_of_the_bots(judge) -> None:
    """With --dialect engine the snapshot is what the published engine sent."""
    text = transcript(judge, "00\n01\n", *HANDS, "--dialect", "engine")
    assert list(snapshots(text)[-1]) == ["hit", "missed", "destroyed", "moves", "cmd", "you"]
    assert snapshots(text)[-1]["destroyed"] == ["2"]


def test_a_wrong_move_says_why_and_asks_again(judge) -> None:
    """Nothing that is typed wrong changes the game or ends it."""
    wrong = ["99", "00", "xx", "", "999", '{"mov":"00"}', '{"move":"1"}', "undo it", "save", "nan"]
    text = transcript(judge, "00\n" + "\n".join(wrong) + "\n11\n", *HANDS)
    for sentence in (
        "illegal-move: shot at column 9, row 9, outside the 8×8 grid.",
        "illegal-move: shot at column 0, row 0, which was shot at before.",
        "'xx' is no cell, such as 34; help says what else can be typed.",
        "a shot is two digits, the column and the row; help says what else.",
        "'999' is no cell",
        'bad-output: replied `{"mov":"00"}`: \'move\' is a required property.',
        'bad-output: replied `{"move":"1"}`: move: \'1\' does not match',
        "'undo it' is no cell",
        "say where to: save FILE.",
    ):
        assert sentence in " ".join(text.split()), sentence
    assert len(snapshots(text)) == 3
    assert snapshots(text)[-1]["moves"] == ["0003", "0113"]


def test_moves_are_taken_back(judge) -> None:
    """Undo goes back move by move to the first, and no further."""
    text = transcript(judge, "00\n77\nundo\nundo\nundo\n33\n", *HANDS)
    assert text.count("last move is taken back") == 2
    assert "there is no move to take back." in text
    assert snapshots(text)[-1]["moves"] == ["0333"]


def test_a_game_is_saved_and_replayed(judge, tmp_path: Path) -> None:
    """The file is a record like any other; one that is there is never overwritten."""
    script = "00\n77\nsave some.json\nsave some.json\nsave no/such/folder.json\n"
    text = transcript(judge, script, *HANDS)
    assert "kept in some.json, unfinished. judge replay some.json shows it." in text
    assert "some.json is there already, and stays as it is; name another." in text
    assert "there is no folder no/such; make it first." in text
    record = GameRecord.from_json(json.loads((tmp_path / "some.json").read_text()))
    *_, last = replay(record)
    assert [shot.cell for shot in last.shots] == [(0, 0), (7, 7)]
    shown = judge("replay", "some.json")
    assert shown.returncode == 0
    assert "Unfinished: the game was not played to its end." in shown.stdout


def test_a_game_is_played_to_its_end(judge, tmp_path: Path) -> None:
    """The last shot tells who has won; after it there is only undo, save and quit."""
    cells = [f"{ship - 2}{row}" for ship in range(2, 6) for row in range(ship)]
    text = transcript(judge, "\n".join([*cells, "00", "save end.json", "quit", "77"]), *HANDS)
    assert "player 0 beats player 1: it sank the whole fleet in 14 shots, without a miss." in text
    assert "the game is over; undo takes the last move back, quit leaves." in text
    assert text.rstrip().endswith("the game is over> quit")
    record = GameRecord.from_json(json.loads((tmp_path / "end.json").read_text()))
    assert record.outcome.termination == "fleet-destroyed"


def test_fleets_are_typed_ship_by_ship_or_at_once(judge) -> None:
    """What does not fit is said at once, and only that ship asked for again."""
    ships = ["00v", "00h", "77h", "help", "1 0 v", "2,0 V", "x", "30v"]
    text = transcript(judge, "\n".join([*ships, FLEET, "00"]), "--first", "a")
    assert "the ships of 2 and 3 overlap at column 0, row 0." in text
    assert "the ship of 3 leaves the 8×8 grid at column 8, row 7." in text
    assert "'x' is no place for a ship" in text
    assert "the left or top cell of that ship" in text
    assert "   1  player 0  00  hit" in text


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
    (tmp_path / "both.json").write_text(json.dumps(both.to_json()))
    text = transcript(judge, "00v\n00h\n00\n00\n10\n01\n", "--rules", "both.json", "--first", "a")
    assert "noted; the other side moves in the same round" in text
    assert "both fleets were sunk at once" in text


def test_a_volley_is_tested_as_one_move(judge) -> None:
    """Its cells are typed in a line, or as the open protocol has them; its shots are told and
    drawn with their numbers; and it is taken back whole."""
    volley = '{"shots":[[0,0,0],[0,1,0],[0,2,0],[0,3,0],[0,4,0],[0,5,0]]}'
    typed = f"A1 B2 C3\nA1 B2 C3 D4 E5 F6\n{volley}\nundo\nundo\n"
    text = transcript(judge, typed, "--rules", "broadsides", "--seed", "1", "--first", "a")
    assert "6 shots are due, and this is 3 cells." in text
    assert "player 0, 6 shots> A1 B2 C3 D4 E5 F6\n   1  player 0  ¹A1 miss  ²B2 hit" in text
    assert " 1¹○ · · ·" in text
    assert "\n   2  player 1  ¹A1 " in text
    assert "player 1's last move is taken back." in text
    assert "player 0's last move is taken back." in text
    due = [json.loads(line)["due"] for line in text.split("\n") if line.startswith('{"cmd"')]
    assert due == [6] * 5


def test_a_drawn_fleet_is_tested_ship_by_ship(judge) -> None:
    """The rules of contest: the fleet of the very game is drawn, typed once for each side, and
    both shoot in a round."""
    text = transcript(judge, "random\nrandom\n00\n99\n", "--rules", "contest", "--first", "a")
    assert text.count("> random\n") == 2
    assert re.search(r"^   1  player 0  00  .*\n   1  player 1  99  ", text, re.MULTILINE)


def test_a_turn_is_skipped_by_hand(judge) -> None:
    """Where the rules allow it, and as a move of its own."""
    text = transcript(judge, "skip\n00\n", "--rules", "xbs", "--seed", "1", "--first", "a")
    assert "\n   2  player 1  00  " in text
    refused = transcript(judge, "skip\n", "--seed", "1", "--first", "a")
    assert "a turn cannot be skipped in brainjar" in refused


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


def test_a_player_that_lives_through_a_game_is_stepped_through(judge, player: str) -> None:
    """It is told what happens as in a fight, which is shown; a move is taken back although the
    player has heard of it, for one that is started anew gives the same answers again."""
    volley = "A1 B2 C3 D4 E5 F6"
    typed = f"{volley}\n\n{volley}\n\nundo\nundo\nundo\n\nquit\n"
    text = stepped(judge, typed, "--bot", player, "--first", "a", *BROADSIDES)
    told = [line for line in text.splitlines() if line.startswith(("INFO", "ACTION"))]
    assert [line.split(":")[0] for line in told[:2]] == ["INFO SHOTS player_0 A1", "ACTION SHOTS 6"]
    assert told[:2] == told[-2:]
    assert text.count("  said    SHOTS A1 A2 A3 A4 A5 A6, after") == 2
    assert text.count("  said    SHOTS A7 A8 A9 A10 B1 B2, after") == 1
    assert text.count("last move is taken back") == 3


def test_a_player_that_keeps_state_makes_its_own_moves(judge, player: str) -> None:
    """What it had not said itself it would not know of: neither a fleet nor a move is typed for
    it."""
    text = stepped(judge, "A1 B2 C3 D4 E5 F6\n", "--bot", player, "--first", "b", *BROADSIDES)
    assert "player speaks broadsides, whose players keep account of their own moves" in text
    done = judge("tester", "random", "random", "--bot", player, *BROADSIDES)
    assert (done.returncode, done.stdout) == (2, "")
    assert "leave the fleet for side 1 out" in done.stderr


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


def test_a_bot_is_stepped_through(judge) -> None:
    """Enter runs it and shows what went in and came out; a move may be made for it by hand; and
    taking back asks it again."""
    text = judge(
        "tester",
        "--bot",
        f"1={PLAYS}",
        "--first",
        "b",
        "fleet.json",
        "--isolation",
        "limits",
        typed="\n\nundo\n55\nquit\n",
    ).stdout
    assert text.count("  ended   exit 0 after") == 3
    assert '  stdout  {"move":"00"}' in text
    assert '  stdout  {"move":"01"}' in text
    assert "plays is up. This is what it gets; Enter runs it:" in text
    assert "plays's last move is taken back." in text
    assert snapshots(text)[-1]["moves"] == ["1003", "1551"]


def test_a_bot_that_fails_shows_how(judge, tmp_path: Path) -> None:
    """Its forfeit is told with its output and standard error, and can be taken back."""
    bot = tmp_path / "fails.sh"
    bot.write_text(
        f"#!/bin/sh\ncase $1 in *init*) echo '{FLEET}';; *) echo oops >&2; exit 7;; esac\n"
    )
    bot.chmod(0o755)
    done = judge("tester", "--bot", f"0={bot}", *HANDS, typed="\nundo\nquit\n")
    assert "fails, crash: exited with status 7" in done.stdout
    assert "  stderr  oops" in done.stdout
    assert "player 1 wins: fails crashed." in done.stdout
    assert "fails's last move is taken back." in done.stdout


def test_two_bots_play_the_game_of_the_fight(judge) -> None:
    """With the same seed, stepping shows the very game that judge fight plays."""
    bots = ["--bot", f"0={PLAYS}", "--bot", "1=random", "--seed", "6"]
    text = judge("tester", *bots, typed="\n" * 6).stdout
    fight = judge("fight", PLAYS, "random", "--seed", "6", "--json", "--no-ledger", "--quiet")
    (record,) = json.loads(fight.stdout)["records"]
    shots = [f"{shot[0]}{shot[2]}{shot[3]}" for shot in record["shots"][:6]]
    assert [move[:3] for move in snapshots(text)[-1]["moves"]] == shots


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a", "b", "c"], "at most two fleets"),
        (["no.json"], "no.json cannot be read: No such file or directory"),
        (["."], ". is not a file"),
        (["bad.json"], "bad.json is no fleet of these rules"),
        (["out.json"], "out.json is no fleet of these rules: the ship of 5 leaves"),
        (["--bot", "2=random"], "'2=random' is neither 0=BOT nor 1=BOT"),
        (["--bot", "0=random", "--bot", "0=hunt"], "one side, two bots"),
        (["--bot", "1=nosuch"], "there is no bot 'nosuch'"),
        (["--rules", "bsp", "--seed", "1", "random"], "the judge places the fleets"),
    ],
)
def test_what_is_typed_wrong_is_said_in_a_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong file, side or bot: one sentence, exit 2, nothing on stdout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text('{"2":{}}')
    (tmp_path / "out.json").write_text(FLEET.replace('"30"', '"37"'))
    done = in_process("tester", *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


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
    """What is told of a fleet drawn by luck could be typed, by rules whose cells have letters
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
    record = GameRecord.from_json(json.loads((tmp_path / "game.json").read_text()))
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


def test_a_bot_loses_to_a_person_as_to_a_bot(judge, tmp_path: Path) -> None:
    """Its fault costs it the game, with the evidence; the person's typing never does."""
    bot = tmp_path / "fails.sh"
    bot.write_text(f"#!/bin/sh\ncase $1 in *init*) echo '{FLEET}';; *) exit 7;; esac\n")
    bot.chmod(0o755)
    typed = f"{FLEET}\n99\n7 x\n\nhelp\n77\n"
    done = judge("play", str(bot), "--name", "me", "--first", "a", "--quiet", typed=typed)
    assert done.returncode == 0
    assert "there is no cell 99 on a board of 8×8." in done.stdout
    assert "shoot at column 3, row 4" in done.stdout
    assert "me wins: fails crashed." in done.stdout
    assert "fails, crash: exited with status 7" in done.stdout


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_a_game_that_is_left_is_not_kept(end: str, judge, tmp_path: Path) -> None:
    """The end of input leaves as quit does: said in a line, status 0, nothing rated."""
    typed = f"{FLEET}\n77\n{end}"
    done = judge("play", PLAYS, "--name", "me", "--rated", "--quiet", typed=typed)
    assert done.returncode == 0
    assert done.stderr == "judge: you have left the game; it is not kept.\n"
    assert not (tmp_path / "ledger.games.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--name", "plays"], "you and the bot are both called plays"),
        (["--name", ""], "--name: '' is no name"),
        (["--name", "x" * 61], "is no name of 1 to 60 printable characters"),
        (["--rules", "bsp", "--wire", "brainjar"], "one ship a size"),
        (["--save", "no/such.json"], "there is no folder no; make it first"),
    ],
)
def test_a_wrong_option_of_play_is_said_in_a_sentence(
    arguments: list[str], sentence: str, judge
) -> None:
    """Before anything is asked."""
    done = judge("play", PLAYS, "--quiet", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_persons_name_is_not_a_bots(judge) -> None:
    """Who plays rated under the name that a bot had is told of it."""
    judge("fight", f"me={PLAYS}", "random", "--quiet", "--seed", "1")
    done = judge("play", PLAYS, "--name", "me", "--rated", typed=f"{FLEET}\nresign\n")
    assert "the files of me have changed since its last game" in done.stderr
