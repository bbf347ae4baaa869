"""Commands in a real terminal: what is seen, what keys do, and how the terminal is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot_files import manifest, script, write
from changes import replace
from child_processes import children
from commands import JUDGE, ROOT
from games import played
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Termination
from judge.game.variants import BRAINJAR
from needs import need
from terminals import (
    BACKSPACE,
    COLOURS,
    CTRL_C,
    CTRL_D,
    CTRL_Z,
    DOWN,
    END,
    ENTER,
    HOME,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    UP,
    Terminal,
)
from twelve_games import fill

PLAYS = str(ROOT / "tests" / "hostile" / "plays.sh")
RECORD = played(seed=3)
LAST = len(RECORD.shots)

# A game of a few moves: four cells, one ship of two, and a bot that shoots them in order.
TINY = replace(BRAINJAR, name="tiny", columns=2, rows=2, fleet=(2,))
TINY_BOT = """#!/bin/sh
case $1 in
    *init*) echo '{"2":{"point":"00","orientation":"vertical"}}' ;;
    *)
        for cell in 00 10 01 11; do
            case $1 in *"\\"$cell\\""*) ;; *) echo "{\\"move\\":\\"$cell\\"}" && exit ;; esac
        done ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a game to replay, and a tiny game's rules and bot."""
    (tmp_path / "game.json").write_text(json.dumps(builtins(RECORD)))
    (tmp_path / "tiny.json").write_text(json.dumps(builtins(TINY)))
    write(tmp_path / "tiny.sh", TINY_BOT, 0o755)
    return tmp_path


@pytest.fixture
def replay(folder: Path) -> Iterator[Terminal]:
    with Terminal([*JUDGE, "replay", "game.json"], folder) as terminal:
        terminal.shows(f"0 of {LAST}")
        yield terminal


def ends_well(terminal: Terminal, status: int = 0) -> None:
    """The command has ended so, has said no more than it should, and left all as it was."""
    assert terminal.ends() == status, terminal.text
    assert terminal.is_as_before()
    assert "Traceback" not in terminal.text


# Replay


def test_a_replay_is_stepped_through_by_keys(replay: Terminal) -> None:
    """Arrows step, Page keys go by ten, Home and End to the ends, a number and Enter anywhere. The
    position is that after the move: the shot stands in brackets, and in words below. F goes from the
    truth to what each side knew, and back."""
    ship = "5 5 5 5 5"
    assert ship in replay.text
    for seen, drawn in (("as hunter knows it", True), ("as random knows it", False)):
        replay.types(b"f")
        replay.shows(seen)
        assert (ship in replay.text) is drawn
    replay.types(b"f", b"7", ENTER)
    text = replay.shows(f", 7 of {LAST}, the truth")
    shot = RECORD.shots[6]
    name = RECORD.seats[shot.seat].name
    assert re.search(rf"^ +7 +{name} +{shot.cell.column}{shot.cell.row}  ", text, re.MULTILINE)
    assert text.count("[") == 1
    replay.types(HOME)
    for keys, number in (
        ([RIGHT], 1),
        ([ENTER], 2),
        ([DOWN, RIGHT], 4),
        ([LEFT], 3),
        ([UP], 2),
        ([LEFT, LEFT, LEFT], 0),
        ([PAGE_DOWN], 10),
        ([PAGE_DOWN, PAGE_UP, LEFT], 9),
        ([END], LAST),
        ([RIGHT], LAST),
        ([HOME], 0),
        ([b"37", ENTER], 37),
        ([b"12", BACKSPACE, b"5", ENTER], 15),
        ([b"999999", ENTER], LAST),
    ):
        replay.types(*keys)
        replay.shows(f", {number} of {LAST},")
    assert "sank the whole fleet" in replay.text
    replay.types(b"q")
    ends_well(replay)
    assert COLOURS.search(replay.output)


def test_a_replay_plays_by_itself(folder: Path) -> None:
    """With --delay it plays to the end and stops there; space plays and pauses."""
    short = played(forfeit=(0, Termination.CRASH), after=4)
    last = len(short.shots) + 1  # the forfeit
    (folder / "short.json").write_text(json.dumps(builtins(short)))
    with Terminal([*JUDGE, "replay", "short.json", "--delay", "1ms"], folder) as terminal:
        terminal.shows(f", {last} of {last},", "forfeits: crash")
        terminal.types(HOME)
        terminal.shows(f", 0 of {last},")
        terminal.types(b"----------", b" ")
        terminal.shows("playing, a step every 1.024 s")
        terminal.types(b" ")
        terminal.hides("playing")
        terminal.types(CTRL_D)
        ends_well(terminal)


def test_a_replay_fits_itself_to_the_terminal(replay: Terminal) -> None:
    """However narrow or low it becomes, no line is broken; when there is room again, all is
    back. Ctrl-C ends it with 130, and modes, screen and cursor are as they were."""
    replay.types(b"20", ENTER)
    replay.shows(f", 20 of {LAST},")
    for columns, rows in ((40, 40), (30, 10), (12, 3), (200, 50)):
        replay.resize(columns, rows)
        replay.shows("hunter aga" if columns < 60 else f", 20 of {LAST}, the truth")
        (first,) = [n for n, line in enumerate(replay.lines) if line.startswith("hunter aga")]
        assert first == 0
    replay.shows("afloat", "not shot at", "q quits")
    replay.types(CTRL_C)
    ends_well(replay, 130)
    assert "judge: interrupted." in replay.text


def test_a_replay_can_be_put_aside(folder: Path) -> None:
    """Ctrl-Z gives the terminal back to the shell, and fg goes on where it was."""
    shell = [need("bash"), "--norc", "--noprofile", "-i"]
    with Terminal(shell, folder, PS1="ready> ", HISTFILE="") as terminal:
        terminal.shows("ready>")
        terminal.types("stty -a > shell; " + " ".join([*JUDGE, "replay", "game.json"]) + "\r")
        terminal.shows(f"0 of {LAST}")
        terminal.types(RIGHT, RIGHT)
        terminal.shows(f", 2 of {LAST},")
        terminal.types(CTRL_Z)
        terminal.shows("Stopped")
        assert not terminal.screen.cursor.hidden
        terminal.types("clear; stty -a > stopped; echo free; fg\r")
        terminal.shows(f", 2 of {LAST},", "afloat")
        terminal.types(RIGHT)
        terminal.shows(f", 3 of {LAST},")
        terminal.types(b"q")
        terminal.shows("ready>")
        terminal.types("stty -a > end; exit\r")
        terminal.ends()
    texts = [(folder / name).read_text() for name in ("shell", "stopped", "end")]
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_replay_goes_on(by: signal.Signals, replay: Terminal) -> None:
    """SIGSTOP comes without Ctrl-Z: after SIGCONT one reader has all keys. A signal ends it as Ctrl-C
    does."""
    (child,) = children(replay.child.pid)
    for count in (2, 3):
        os.kill(child, signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)
        replay.until(lambda count=count: replay.output.count(b"\x1b[?1049h") == count)
        replay.types(RIGHT)
        replay.shows(f", {count - 1} of {LAST},")
    os.kill(child, by)
    ends_well(replay, 130)
    assert "judge: interrupted." in replay.text


AT_A_BAD_TIME = """
import os, signal
from judge.screen.full_screen import FullScreen

class Screen(FullScreen):
    def on_mount(self):
        super().on_mount()
        self.set_timer(0.2, self.go_on)

    def go_on(self):
        with self._driver._writer_thread._queue.mutex:
            os.kill(os.getpid(), signal.SIGCONT)
        self.set_timer(0.2, self.exit)

Screen(colour=False).run()
print("It ended.")
"""


def test_a_signal_to_go_on_may_come_while_the_screen_is_written(tmp_path: Path) -> None:
    """The handler of SIGCONT does not wait for the lock that the main thread holds."""
    with Terminal([sys.executable, "-c", AT_A_BAD_TIME], tmp_path) as terminal:
        terminal.shows("It ended.")
        ends_well(terminal)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_gets_the_text(term: str, folder: Path) -> None:
    """The whole game is printed if nothing can be drawn; and to a dumb terminal no sequence is
    sent."""
    with Terminal([*JUDGE, "replay", "game.json"], folder, rows=200, TERM=term) as terminal:
        assert terminal.ends() == 0
        terminal.shows("Game 3-1: hunter against random.", "sank the whole fleet")
        assert b"\x1b" not in terminal.output or term == ""


def test_names_and_faults_of_strangers_stay_in_their_place(folder: Path) -> None:
    """The name and the output of a bot cannot move the cursor, break the picture or colour it: with
    NO_COLOR there is not a single colour."""
    evil = "\x1b[2J\x1b[31m漢字\u202e" * 3
    record = played(forfeit=(1, Termination.CRASH), detail=evil, names=(evil, "b"))
    (folder / "evil.json").write_text(json.dumps(builtins(record)))
    with Terminal([*JUDGE, "replay", "evil.json"], folder, NO_COLOR="1") as terminal:
        terminal.types(END)
        terminal.shows("forfeits: crash", "漢字", "q quits")
        assert "\\u202e" in terminal.text
        terminal.resize(40, 12)
        terminal.shows("< > scroll the lines above")
        assert "  stderr  " not in terminal.text
        terminal.types(b">" * 9)
        terminal.shows("  stderr  ")
        terminal.types(b"<" * 9)
        terminal.hides("  stderr  ")
        terminal.types(b"q")
        ends_well(terminal)
        assert not COLOURS.search(terminal.output)


# Watching


def watched(folder: Path, *more: str, **environment: str) -> Terminal:
    command = [*JUDGE, "fight", PLAYS, f"twin={PLAYS}", "--watch", "--no-ledger", "--first", "a"]
    return Terminal([*command, *more], folder, **environment)


def test_a_fight_is_watched_move_by_move(folder: Path) -> None:
    """Both boards stand side by side in 80 columns, whole at every move, and at the end the last
    position stays above the result."""
    with watched(folder, "--delay", "30s", NO_COLOR="1") as terminal:
        for number in range(1, 5):
            text = terminal.shows(f"plays against twin, move {number}", "Ctrl-C stops")
            rows = [line for line in text.split("\n") if re.match(r"\d ?[·\[○×#2-5]", line)]
            assert len(rows) == 8
            assert all(re.fullmatch(r"\d[ \[][^ ].{41,45}", line) for line in rows), text
            terminal.types(b" ", RIGHT, b" ")  # paused, one move on, and no longer paused
        terminal.types(b"+" * 12)
        assert terminal.ends() == 0
        assert terminal.is_as_before()
        text = terminal.shows("beats", "afloat: none", "shots   hits")
        assert not COLOURS.search(terminal.output)


def test_a_watched_fight_says_who_plays_once_a_game_is_over(folder: Path) -> None:
    """The authors, and the names that bots report, are known by the record of a game."""
    shutil.copy(folder / "tiny.sh", manifest(folder / "ada", "./tiny.sh", author="Ada"))
    command = [*JUDGE, "fight", "./ada", "./tiny.sh", "--rules", "tiny.json", "--games", "8"]
    with Terminal([*command, "--watch", "--no-ledger", "--delay", "30s"], folder) as terminal:
        terminal.shows("ada against tiny, move 1", "Ctrl-C stops")
        assert "by Ada" not in terminal.text
        terminal.types(b" ")
        terminal.shows("another key is one move")
        for _ in range(14):  # two games have fewer moves
            terminal.types(RIGHT)
        terminal.shows("ada: by Ada")
        terminal.types(CTRL_C)
        ends_well(terminal, 130)


def test_a_watched_fight_follows_the_size_of_the_terminal(folder: Path) -> None:
    """Drawn anew when it becomes smaller or larger; with no room at all, the last shots are
    left. Other keys do not land in the picture, and Ctrl-C ends it in the middle of a long look."""
    with watched(folder, "--delay", "30s") as terminal:
        terminal.shows("move 1", "not shot at")
        terminal.types(b"zzz")
        terminal.resize(30, 40)
        text = terminal.shows("2–5 ship, by its length", "Ctrl-C stops")
        assert sum(line.startswith("7 ") for line in text.split("\n")) == 2
        terminal.resize(30, 5)
        terminal.hides("0 1 2")
        terminal.shows("   1  plays  00")
        terminal.resize(80, 24)
        terminal.types(b" ")
        terminal.shows("move 1", "not shot at", "paused")
        assert "zzz" not in terminal.text
        terminal.types(CTRL_C)
        ends_well(terminal, 130)
        assert "interrupted before the first game was over" in terminal.text


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("fight huntre hunt", "judge: there is no bot 'huntre': nothing here and no bundled bot"),
        ("standings", "name one, as in `judge standings --ledger a.ledger.json`."),
        (
            "new lua mybot",
            "The strongest one, in every game, is captain: judge fight mybot captain",
        ),
        ("guide", "Play a game or a match: results, seeds"),
        ("ledger show a.ledger.json ada", "from 10.00, between 10.00 and 10.50"),
        ("ledger verify a.ledger.json", "3 games judged again; all is as it should be"),
        ("ledger reset a.ledger.json ada", "takes it back."),
        ("fight random random --no-ledger --jobs 999", "this process may use"),
    ],
)
def test_sentences_fit_40_columns(command: str, said: str, tmp_path: Path) -> None:
    """Errors, notes and texts end their lines between words, and a progress bar is shorter. Only
    commands to be copied are longer."""
    for name in ("a", "b"):
        fill(tmp_path / f"{name}.ledger.json", 3)
    with Terminal([*JUDGE, *command.split()], tmp_path, columns=40, NO_COLOR="1") as terminal:
        terminal.ends()
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.output.decode())
    assert said in " ".join(text.split())
    assert "\n" not in "".join(re.findall("`[^`]*`", text))
    lines = [line for line in re.split(r"[\r\n]+", text) if not re.match(" +judge |.*`", line)]
    assert max(map(len, lines)) <= 40


def slow_bots(folder: Path) -> None:
    """Two bots whose games take time and no work."""
    for name in ("ann", "bob"):
        slow = TINY_BOT.replace("case", "sleep 0.02\ncase", 1)
        write(folder / "bots" / f"{name}.sh", slow, 0o755)


def test_a_time_budget_shows_the_time_that_is_left_and_the_score(folder: Path) -> None:
    """The bar of `judge rank --for` fills with the time, and counts the games; below it stands who
    leads. Then it is gone, and the table is there."""
    slow_bots(folder)
    command = [*JUDGE, "rank", "bots", "--rules", "tiny.json", "--for", "5s", "--isolation", "none"]
    with Terminal(command, folder) as terminal:
        text = terminal.until(
            lambda: re.search(r" [1-9]\d* games? 00:0[1-4] left", terminal.text), "counts games"
        )
        assert re.search(r"^ +1 +(ann|bob) +\d+\.\d\d +won \d+ of \d+", text, re.MULTILINE)
        terminal.shows("games of 2 bots.")
        terminal.hides(" left")
        ends_well(terminal)


def test_a_comparison_shows_the_shots_and_then_the_score(folder: Path) -> None:
    """The bar of `judge compare` says how it stands on the boards, and then in the games."""
    slow_bots(folder)
    command = ["compare", "bots/ann.sh", "bots/bob.sh", "--boards", "10", "--games", "40"]
    more = ["--rules", "tiny.json", "--isolation", "none", "--seed", "1"]
    with Terminal([*JUDGE, *command, *more], folder) as terminal:
        shots = re.compile(r"ann [234]\.\d+, bob [234]\.\d+ shots a board")
        terminal.until(lambda: shots.search(terminal.text), "shows the shots")
        terminal.shows(" in 1")
        ends_well(terminal)


def test_a_dumb_terminal_watches_lines(folder: Path) -> None:
    """A plain line a shot, as in a pipe."""
    with watched(folder, "--delay", "30s", TERM="dumb") as terminal:
        assert terminal.ends() == 0
        assert b"\x1b" not in terminal.output
        assert len(re.findall(rb"^ +\d+  (?:plays|twin) ", terminal.output, re.MULTILINE)) == 29


# Playing


def playing(folder: Path, *more: str, **environment: str) -> Terminal:
    tiny = ["--rules", "tiny.json", "--isolation", "none", "--name", "me", "--seed", "1"]
    return Terminal(
        [*JUDGE, "play", "./tiny.sh", *tiny, "--delay", "1ms", *more], folder, **environment
    )


def test_a_game_is_played_with_the_arrow_keys(folder: Path) -> None:
    """A ship is turned and laid, a cell aimed at and fired on, and the win told and kept."""
    with playing(folder, "--first", "a", "--save", "won.json", "--rated") as terminal:
        terminal.shows("your ship of 2", "0[2]2")
        terminal.types(b" ")
        terminal.shows("0[2]·", "1 2 ·")
        terminal.types(RIGHT)
        terminal.shows("0 ·[2]", "1 · 2")
        terminal.types(ENTER)
        terminal.shows("your fleet lies: Enter begins")
        terminal.types(ENTER)
        terminal.shows("arrows or two digits aim", "  tiny")
        terminal.types(b"00", ENTER)  # a hit: the turn goes on
        terminal.shows("   1  me", "00  hit")
        terminal.types(b"00", ENTER)
        terminal.shows("you have shot at 00 before")
        terminal.types(DOWN, ENTER)
        terminal.shows("You have won. These are both fleets", "sinks the 2")
        terminal.types(b"x")
        ends_well(terminal)
        text = terminal.shows("me beats tiny: it sank the whole fleet in 2 shots, without a miss.")
        assert "Points: me 10.00 to 10.50" in text
        assert "The game is kept in won.json" in text
    record = convert(GameRecord, json.loads((folder / "won.json").read_text()), "it")
    assert [seat.name for seat in record.seats] == ["me", "tiny"]
    assert (record.seats[0].digest, record.outcome.winner) == (None, 0)


def test_a_game_follows_the_size_of_the_terminal(folder: Path) -> None:
    """With little room the board is left; with more, all is back; Ctrl-D leaves, and the terminal is
    as it was."""
    with playing(folder, "--first", "a") as terminal:
        terminal.types(b"x", ENTER)
        terminal.shows("arrows or two digits aim, Enter fires")
        terminal.resize(20, 6)
        terminal.shows("me against tiny", "0 1")
        terminal.hides("arrows or two")
        terminal.resize(80, 24)
        terminal.shows("arrows or two digits aim, Enter fires, R resigns, Q leaves", "not shot at")
        terminal.types(CTRL_D)
        ends_well(terminal)


def test_a_game_can_be_lost(folder: Path) -> None:
    """The bot's shots fall where it shoots, and what it hit and sank is told."""
    with playing(folder, "--first", "b") as terminal:
        terminal.types(b" ", RIGHT, ENTER, ENTER)  # the right column
        terminal.shows("arrows or two digits aim")
        terminal.types(b"10", ENTER)
        terminal.shows("   4  tiny  01  miss", "arrows or two digits aim")
        terminal.types(b"11", ENTER)
        terminal.shows("tiny has won")
        terminal.types(ENTER)
        ends_well(terminal)
        assert "tiny beats me" in terminal.text


def test_a_game_can_be_resigned_or_left(folder: Path) -> None:
    """R twice loses it, Q twice leaves it unkept; another key in between does neither."""
    with playing(folder) as terminal:
        terminal.types(b"q")
        terminal.shows("q again leaves")
        terminal.types(b"q")
        ends_well(terminal)
        terminal.shows("judge: you have left the game; it is not kept.")
    with playing(folder, "--first", "a") as terminal:
        terminal.types(b"x", ENTER)
        terminal.shows("arrows or two digits aim")
        terminal.types(b"q", b"r", b"q", LEFT)
        terminal.shows("arrows or two digits aim")
        terminal.types(b"r")
        terminal.shows("r again resigns")
        terminal.types(b"r")
        terminal.shows("tiny has won")
        terminal.types(b" ")
        ends_well(terminal)
        terminal.shows("tiny wins: me resigned")


@pytest.mark.parametrize("moment", ["laying", "the bot's move"])
def test_a_broken_off_game_gives_the_terminal_back(moment: str, folder: Path) -> None:
    """Ctrl-C while a fleet is laid, or a bot moves: 130, no game kept, no bot left, the terminal as it was."""
    slow = script(folder / "slow.sh", "echo $$ > pid\nexec sleep 1000")
    bot = slow if moment == "the bot's move" else "./tiny.sh"
    more = ("--isolation", "none", "--timeout", "10min", "--rated", "--first", "b")
    with Terminal([*JUDGE, "play", bot, "--rules", "tiny.json", *more], folder) as terminal:
        terminal.shows("your ship of 2")
        if moment == "the bot's move":
            terminal.types(b"x", ENTER)
            terminal.until(lambda: (folder / "pid").exists() and (folder / "pid").read_text())
        terminal.types(CTRL_C)
        ends_well(terminal, 130)
        terminal.shows("judge: interrupted; the game is not kept.")
    assert not (folder / "ledger.games.jsonl").exists()
    if moment == "the bot's move":
        assert not Path("/proc", (folder / "pid").read_text().strip()).exists()


def test_a_dumb_terminal_is_played_by_lines(folder: Path) -> None:
    """Without a screen the same game is played by typing, and Ctrl-D leaves it."""
    with playing(folder, "--first", "a", TERM="dumb") as terminal:
        terminal.shows("your ship of 2>")
        terminal.types("10v\r")
        terminal.shows("me, your shot>")
        terminal.types("10\r")
        terminal.shows("10  miss")
        terminal.types(CTRL_D)
        ends_well(terminal)
        assert b"\x1b[" not in terminal.output
        assert "you have left the game" in terminal.text


# The tester


def test_the_tester_has_lines_that_can_be_edited(folder: Path) -> None:
    """At its prompt, lines can be corrected, called back and completed; Ctrl-D leaves."""
    command = [*JUDGE, "tester", "--seed", "1", "--first", "a"]
    with Terminal(command, folder, rows=60) as terminal:
        terminal.shows("player 0>")
        terminal.types("0", b"\x01", "0", b"\x0b", "0", ENTER)  # 0, to its start, 00, cut off: 00
        terminal.shows("   1  player 0  00")
        terminal.types("un\t", ENTER)
        terminal.shows("player 0's last move is taken back")
        terminal.types(UP, UP, ENTER)
        terminal.until(lambda: terminal.output.count(b"   1  player 0  00") == 2)
        terminal.types(CTRL_D)
        ends_well(terminal)


def test_a_broken_off_tester_gives_the_terminal_back(folder: Path) -> None:
    """Ctrl-C at the prompt: 130, and the terminal as it was."""
    with Terminal([*JUDGE, "tester"], folder) as terminal:
        terminal.shows("your ship of 2>")
        terminal.types("0")
        terminal.shows("your ship of 2> 0")
        assert terminal.is_broken_off() == 130
        ends_well(terminal, 130)


def test_a_dumb_terminal_tests_as_well(folder: Path) -> None:
    """The tester needs nothing that a dumb terminal lacks."""
    with Terminal([*JUDGE, "tester", "--seed", "1"], folder, TERM="dumb", rows=60) as terminal:
        terminal.shows("player ")
        terminal.types("00\r")
        terminal.shows("   1  player ")
        terminal.types("quit\r")
        ends_well(terminal)
        assert b"\x1b[" not in terminal.output
