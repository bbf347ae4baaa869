"""Broadsides players as they come: Ruby programs that behave in every odd way, from either seat.

Each odd program plays against an innocent one, which is scripted and keeps every line that it was
sent. The cases are those of the published description, of the published judge's own tests, and of
what was seen of the published players; of the forms of an answer, which tests/wire has one by one,
here is one of each kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from broadsides_players import GOLDEN
from changes import replace
from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.game.variants import BROADSIDES
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find, find_all
from judge.process.bots.scaffolds import make
from judge.process.run.connection import Connection, Script
from needs import held_by, need

pytestmark = pytest.mark.whole

T = Termination
PATIENT_MS, HURRIED_MS = 60_000, 2500
SETUP = "INFO SETUP players:{},{} board:10x10 ships:5,4,3,3,2"
FLEET = "SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H"

# Shoots row by row, and so sinks the fleet above, which is the innocent's, by its fifth volley.
PLAYER = r"""
$stdout.sync = true
fleet = "SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H"
cells = (1..10).flat_map { |row| ("A".."J").map { |column| "#{column}#{row}" } }
START
while (line = $stdin.gets)
  case line.chomp
  when "ACTION SHIPS 5,4,3,3,2"
    SHIPS
  when /\AACTION SHOTS (\d)\z/
    volley = "SHOTS #{cells.shift($1.to_i).join(' ')}"
    SHOTS
  when "ACTION FINISH"
    FINISH
  when /\AINFO (SETUP|SHOTS|WINNER) /
    INFO
  else
    abort "what is #{line}?"
  end
end
"""


@dataclass(frozen=True)
class Odd:
    """A program that does something else than it should, and the result: it wins, or loses by a
    termination, after that number of its volleys, with these words in the reason."""

    start: str = ""
    ships: str = "puts fleet"
    shots: str = "puts volley"
    finish: str = 'puts "FINISH"'
    info: str = ""
    lost: Termination | None = None
    volleys: int = 0
    why: str = ""
    is_late: bool = False

    def write(self, path: Path) -> str:
        source = PLAYER
        for word in ("start", "ships", "shots", "finish", "info"):
            source = source.replace(f"{word.upper()}\n", f"{getattr(self, word)}\n", 1)
        path.write_text(source)
        return str(path)


def replies(text: str, **more: object) -> Odd:
    """One that answers the question for ships so."""
    return Odd(ships=f"$stdout.write({text})", **more)  # type: ignore[arg-type]


def fires(text: str, **more: object) -> Odd:
    """One that answers the first question for shots so."""
    return Odd(shots=f"$stdout.write({text})", **more)  # type: ignore[arg-type]


def places(*ships: str, lost: Termination, why: str = "") -> Odd:
    return Odd(ships=f"puts 'SHIPS {' '.join(ships)}'", lost=lost, why=why)


BAD, ILLEGAL, MOVE = T.BAD_OUTPUT, T.ILLEGAL_FLEET, T.ILLEGAL_MOVE

ODD: dict[str, Odd] = {
    # Forms of an answer that are as good as any.
    "plays": Odd(),
    "dribbles, in time": Odd(shots="volley.each_char { |c| print c; sleep 0.001 }; puts"),
    "repeats shots": Odd(shots='puts volley; cells.unshift("J9", "J9") if cells.size > 80'),
    "writes to stderr": Odd(info="warn line"),
    "answers ahead, before all": Odd(
        start="puts fleet",
        ships="",
        info='puts "SHOTS A1 B1 C1 D1 E1 F1" if line =~ /SETUP/',
        shots="$asked = true; puts volley if cells.size < 94",
    ),
    # At the end.
    "answers FINISH with anything": Odd(finish='puts "\\xff BYE"'),
    "answers FINISH with nothing": Odd(finish="puts"),
    "answers FINISH by exiting": Odd(finish="exit 3"),
    "answers FINISH late": Odd(finish="sleep 0.3; puts 'FINISH'"),
    "does not answer FINISH": Odd(finish="sleep", is_late=True),
    "floods at FINISH": Odd(finish="loop { puts 'FINISH' * 1000 } rescue exit"),
    "writes a line at FINISH and stays": Odd(finish="puts; $stdin.read"),
    "exits after its last volley": Odd(shots="puts volley; exit if cells.size < 58"),
    "is killed after its last volley": Odd(
        shots="puts volley; Process.kill(:KILL, $$) if cells.size < 58"
    ),
    # Ships that are no answer.
    "says SHIPS MALFORMED": replies(r'"SHIPS MALFORMED\n"', lost=BAD, why="is not a ship"),
    "places ships on each other": places(
        *("5:A1:H", "4:A1:V", "3:B3:H", "3:B4:H", "2:B5:H"), lost=ILLEGAL, why="overlap"
    ),
    "places in what is not UTF-8": replies(r'"\xff#{fleet}\n"', lost=BAD, why="ASCII"),
    # Shots that are no answer.
    "says SHOTS MALFORMED": fires(r'"SHOTS MALFORMED\n"', lost=BAD, why="is not a cell"),
    "fires a shot too few": fires(r'"#{volley[0..-4]}\n"', lost=MOVE, why="5 shots where 6"),
    "answers with a line of 1 MB": fires(
        r'"#{volley} #{"x" * 1_000_000}\n"', lost=BAD, why="more than 65536 bytes"
    ),
    # Lines too many.
    "writes a line before its answer": replies(r'"# ships\n#{fleet}\n"', lost=BAD),
    "writes a line after its ships": Odd(
        ships='puts fleet, "# placed"', lost=BAD, why="starts with SHOTS"
    ),
    "writes a line after its shots": Odd(
        shots='puts volley, "# fired"', lost=BAD, volleys=1, why="# fired"
    ),
    "answers six shots ahead when four are due": Odd(
        # The second answer is looked at when five are asked for: the innocent has sunk the 2.
        ships="puts fleet, 'SHOTS A1 B1 C1 D1 E1 F1', 'SHOTS A1 B1 C1 D1 E1 F1'",
        shots="",
        lost=MOVE,
        volleys=1,
        why="6 shots where 5 are due",
    ),
    # Ends too early.
    "exits at once": Odd(start="exit", lost=T.LEFT),
    "exits at once with status 1": Odd(start="exit 1", lost=T.CRASH, why="exited with status 1"),
    "has a syntax error": Odd(start="def (", lost=T.CRASH, why="exited with status 1"),
    "exits in place of its ships": Odd(ships="exit", lost=T.LEFT),
    "is killed in place of its ships": Odd(
        ships="Process.kill(:KILL, $$)", lost=T.CRASH, why="SIGKILL"
    ),
    "raises in place of its shots": Odd(
        shots="[1].choice", lost=T.CRASH, why="exited with status 1"
    ),
    "exits after its ships": Odd(ships="puts fleet; exit", lost=T.LEFT),
    "places without an LF and exits": replies("fleet); $stdout.flush; exit!(0", lost=T.LEFT),
    "exits after its first volley": Odd(shots="puts volley; exit", lost=T.LEFT, volleys=1),
    "crashes after its first volley": Odd(
        shots="puts volley; abort", lost=T.CRASH, volleys=1, why="exited with status 1"
    ),
    "fires without an LF and exits": Odd(
        shots="$stdout.write(volley); exit", lost=T.LEFT, volleys=1
    ),
    # Ruby keeps the descriptor of a stdout that it has closed.
    "closes its stdout": Odd(shots="exec 'exec >&-; while read line; do :; done'", lost=T.LEFT),
    # Comes too late.
    "is silent": Odd(ships="$stdin.read", lost=T.TIMEOUT, is_late=True),
    "is silent in mid-game": Odd(
        shots="cells.size > 90 ? (puts volley) : $stdin.read",
        lost=T.TIMEOUT,
        volleys=1,
        is_late=True,
    ),
    "stays without an LF": Odd(
        shots="$stdout.write(volley); $stdin.read", lost=T.TIMEOUT, is_late=True
    ),
    "does not flush": Odd(start="$stdout.sync = false", lost=T.TIMEOUT, is_late=True),
    "dribbles": Odd(
        shots="volley.each_char { |c| print c; sleep 0.5 }; puts", lost=T.TIMEOUT, is_late=True
    ),
    "closes its stdout the Ruby way": Odd(
        shots="$stdout.close; $stdin.read", lost=T.TIMEOUT, is_late=True
    ),
    # By a shell, for Ruby keeps descriptor 0 open.
    "closes its stdin": Odd(
        ships="""exec "exec <&-; echo '#{fleet}'; exec sleep 1" """, lost=T.LEFT
    ),
    "answers after it has lost": Odd(shots="sleep 3.5; puts volley", lost=T.TIMEOUT, is_late=True),
    # Says too much.
    "floods": Odd(ships='loop { $stdout.write("x" * 4096) }', lost=BAD, why="more than 65536"),
    "floods with lines": Odd(ships='loop { puts "x" }', lost=BAD, why="starts with SHIPS"),
}


class Innocent:
    """Places `FLEET`, and sinks the 2 of the other by its volley of that number, and nothing with
    any other."""

    def __init__(self, sinks_by: int) -> None:
        self.lines: list[str] = []
        self._sinks_by = sinks_by
        self._volleys = 0

    def __call__(self, data: bytes) -> bytes:
        lines = data.decode("ascii").splitlines()
        self.lines += lines
        return b"".join(map(self._answer, lines))

    def _answer(self, line: str) -> bytes:
        if line.startswith("ACTION SHIPS"):
            return FLEET.encode() + b"\n"
        if line == "ACTION FINISH":
            return b"FINISH\n"
        if line.startswith("ACTION SHOTS"):
            self._volleys += 1
            due = int(line.rsplit(maxsplit=1)[-1])
            cells = (["A5", "B5"] if self._volleys == self._sinks_by else []) + ["J10"] * due
            return f"SHOTS {' '.join(cells[:due])}\n".encode()
        return b""


def played(
    odd: Bot, seat: int, limit_ms: int = PATIENT_MS, isolation: str = "limits"
) -> tuple[GameRecord, list[str]]:
    """The record of a game with the innocent in the other seat, and what that was sent."""
    # So the odd one is asked for six shots first and then for five, from either seat.
    innocent = Innocent(sinks_by=1 + seat)
    fine = Bot("fine", ("none",), Path("/"), (), "sha256:0", 0, "")

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        return Script(innocent) if bot.name == "fine" else usual()

    conditions = Conditions(
        rules=BROADSIDES, isolation=held_by(isolation), limits=Limits(timeout_ms=limit_ms)
    )
    bots = (odd, fine) if seat == 0 else (fine, odd)
    seats = tuple(TaskSeat(bot.name, bot.digest, number) for number, bot in enumerate(bots))
    with Run(conditions, bots, connect) as run:
        record = run.play(Task("game", 1, 0, seats))
    return record, innocent.lines


def volleys_of(name: str, lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.startswith(f"INFO SHOTS {name} ")]


@pytest.mark.parametrize(("name", "seat"), list(zip(ODD, cycle((0, 1)), strict=False)))
def test_odd_players(name: str, seat: int, tmp_path: Path) -> None:
    """Who loses, by what and in which words, from either seat in turn; and the innocent is told its
    own game, the winner, and the end, and of a volley that was refused nothing."""
    need("ruby")
    odd = ODD[name]
    bot = find(odd.write(tmp_path / "odd.rb"))
    record, lines = played(bot, seat, HURRIED_MS if odd.is_late else PATIENT_MS)
    outcome = record.outcome
    told = (outcome.termination, outcome.detail)
    assert outcome.loser == (seat if odd.lost else 1 - seat), told
    assert outcome.termination is (odd.lost or T.FLEET_DESTROYED), told
    assert re.search(re.escape(odd.why), outcome.detail), told

    setup, *_, last, finish = lines
    assert setup == SETUP.format(*(("odd", "fine") if seat == 0 else ("fine", "odd")))
    assert last == f"INFO WINNER {'fine' if odd.lost else 'odd'}"
    assert finish == "ACTION FINISH"
    own_volleys = len(volleys_of("fine", lines))
    assert own_volleys == sum(line.startswith("ACTION SHOTS") for line in lines)
    if odd.lost:
        assert len(volleys_of("odd", lines)) == odd.volleys
        (evidence,) = record.evidence
        assert evidence.seat == seat
        assert evidence.argv[-1] == str(tmp_path / "odd.rb")
    if odd.lost and seat == 0 and record.seats[0].fleet is None:
        assert lines == [setup, last, finish], "the second player is asked nothing"


LOG = [line for line in GOLDEN.splitlines() if not line.startswith("SHIPS")]
FLEETS = {
    name: f"SHIPS {ships}"
    for _, name, ships in (line.split(" ", 2) for line in GOLDEN.splitlines()[1:3])
}


def answers_of(name: str) -> list[str]:
    """The answers by which a player comes to the golden game."""
    volleys = [line.split()[2:] for line in LOG if line.startswith(f"SHOTS {name}")]
    shots = ["SHOTS " + " ".join(cell.partition(":")[0] for cell in volley) for volley in volleys]
    return [FLEETS[name], *shots, "FINISH"]


def by_rote(folder: Path, name: str) -> str:
    """A player with these answers, that keeps all it is sent in a file beside it."""
    answers = "\n".join(answers_of(name))
    path = folder / f"{name}.rb"
    path.write_text(
        "$stdout.sync = true\n"
        "answers = DATA.readlines\n"
        "File.open(__FILE__.sub('.rb', '.txt'), 'w') do |kept|\n"
        "  kept.sync = true\n"
        "  while (line = $stdin.gets)\n"
        "    kept.write(line)\n"
        "    puts answers.shift if line.start_with?('ACTION')\n"
        "  end\n"
        "end\n"
        f"__END__\n{answers}\n"
    )
    return str(path)


def test_a_whole_game_of_two_programs(tmp_path: Path) -> None:
    """Both are told the game as it was published, line by line, and are asked for as many shots as
    they have left; the second is not asked after its last ship is sunk."""
    need("ruby")
    bots = find_all([by_rote(tmp_path, name) for name in FLEETS])
    seats = tuple(TaskSeat(bot.name, bot.digest, number) for number, bot in enumerate(bots))
    with Run(Conditions(rules=BROADSIDES, limits=Limits(timeout_ms=PATIENT_MS)), bots) as run:
        record = run.play(Task("game", 1, 0, seats))
    assert record.outcome.termination is T.FLEET_DESTROYED
    assert record.outcome.winner == 0
    asked = {"aa_demo": ("6", "5", "5", "5"), "bb_demo": ("4", "3", "1")}
    for name, numbers in asked.items():
        lines = (tmp_path / f"{name}.txt").read_text().splitlines()
        told = [line.removeprefix("INFO ") for line in lines if line.startswith("INFO ")]
        assert told == LOG
        actions = [line for line in lines if line.startswith("ACTION ")]
        shots = [f"ACTION SHOTS {number}" for number in numbers]
        assert actions == ["ACTION SHIPS 5,4,3,3,2", *shots, "ACTION FINISH"]


# Where a player finds itself

PLACES = r"""
log = File.directory?("log") && Dir.empty?("log")
abort "no log" unless log && Dir.children(".") == ["log"]
abort "not absolute" unless $0.start_with?("/") && File.basename($0) == "odd.rb"
abort "no arguments" unless ARGV.empty?
File.write("log/game.txt", "kept")
File.write("odd.txt", "kept")
"""


@pytest.mark.parametrize("isolation", ["none", "limits", "bwrap"])
def test_the_working_folder(isolation: str, tmp_path: Path) -> None:
    """A player starts by its absolute path in a folder that it may write to, with nothing in it
    but an empty folder ``log``; and again in a fresh one in the next game."""
    need("ruby")
    bot = find(Odd(start=PLACES).write(tmp_path / "odd.rb"))
    for seat in (0, 1):
        record, _ = played(bot, seat, isolation=isolation)
        assert record.outcome.winner == seat, record.outcome
    assert [path.name for path in tmp_path.iterdir()] == ["odd.rb"]


def test_a_file_finds_nothing_beside_it(tmp_path: Path) -> None:
    """Under bwrap a player that is given as a file sees no other, and is told what to do."""
    need("ruby")
    (tmp_path / "helper.rb").write_text("")
    bot = find(Odd(start='require_relative "helper"').write(tmp_path / "odd.rb"))
    record, _ = played(bot, 0, isolation="bwrap")
    assert record.outcome.termination is T.CRASH
    assert "it cannot see 'helper.rb' beside it" in record.outcome.detail


@pytest.mark.parametrize("isolation", ["limits", "bwrap"])
def test_a_player_with_a_library_is_a_folder(isolation: str, tmp_path: Path) -> None:
    """Given as a folder with a bot.json, a player finds what it loads from ``../lib``."""
    need("ruby")
    for name in ("players", "lib"):
        (tmp_path / name).mkdir()
    (tmp_path / "lib" / "helper.rb").write_text("HELPED = true\n")
    Odd(start='require_relative "../lib/helper"').write(tmp_path / "players" / "odd.rb")
    manifest = {"command": ["ruby", "players/odd.rb"], "name": "odd", "wire": "broadsides"}
    (tmp_path / "bot.json").write_text(json.dumps(manifest))
    record, _ = played(find(str(tmp_path)), 1, isolation=isolation)
    assert record.outcome.winner == 1, record.outcome


def test_the_player_to_start_from_beats_random_shots(tmp_path: Path) -> None:
    """The player that `judge new broadsides-ruby` makes wins most of its games against random
    shots."""
    need("ruby")
    make("broadsides-ruby", tmp_path / "mine")
    bots = (find(str(tmp_path / "mine")), find("random"))
    conditions = Conditions(rules=BROADSIDES, limits=Limits(timeout_ms=PATIENT_MS))
    won = 0
    with Run(conditions, bots) as run:
        for number in range(10):
            seats = tuple(TaskSeat(bot.name, bot.digest, number, bot.wires) for bot in bots)
            won += run.play(Task("game", number, number % 2, seats)).outcome.winner == 0
    assert won >= 8


@pytest.mark.parametrize("first", [0, 1])
def test_who_moves_first_is_told_and_asked_first(first: int) -> None:
    """SETUP, what it is asked, the winner and FINISH go to the player that moves first, and then to
    the other; whatever their seats are."""
    sent: list[tuple[str, str]] = []
    names = ("ann", "bob")
    bots = [Bot(name, ("none",), Path("/"), (), f"sha256:{name}", 0, "") for name in names]

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        innocent = Innocent(sinks_by=2)

        def hears(data: bytes) -> bytes:
            sent.extend((bot.name, line) for line in data.decode().splitlines())
            return innocent(data)

        return Script(hears)

    conditions = Conditions(rules=replace(BROADSIDES, round_limit=2))
    seats = tuple(TaskSeat(bot.name, bot.digest, number) for number, bot in enumerate(bots))
    with Run(conditions, bots, connect) as run:
        run.play(Task("game", 1, first, seats))
    in_order = [names[first], names[1 - first]]
    told = [
        (name, line) for name, line in sent if not line.startswith(("ACTION SHOTS", "INFO SHOTS"))
    ]
    by_line = [line for name, line in told if name == in_order[0]]
    assert by_line[0].startswith(f"INFO SETUP players:{','.join(in_order)} ")
    assert by_line[-1] == "ACTION FINISH"
    for line in dict.fromkeys(by_line):
        assert [name for name, other in told if other == line][:2] == in_order
