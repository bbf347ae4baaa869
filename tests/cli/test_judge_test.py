"""judge test, as a user meets it: real processes, real signals, real output."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import select
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest

from bot_files import script
from child_processes import is_running
from commands import ROOT, judge_at, started
from commands import judge as in_process
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.schedule import Solo
from judge.contest.setup import IN_A_ROW
from judge.contest.shooting.shooting import misses
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord
from judge.documents.rules import Turn
from judge.errors import LaunchFault
from judge.game.fleets import random_fleet
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, VARIANTS
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from judge.wire.brainjar import fleet_reply
from terminals import with_stderr_in_a_terminal

HOSTILE = ROOT / "tests" / "hostile"
PLAYS = str(HOSTILE / "plays.sh")
# Bots that leave a trace of what they were told need a folder that they may write to.
SETTINGS = {"JUDGE_TIMEOUT": "1min", "JUDGE_ISOLATION": "limits"}
FORKED = ("--launch", "fork")  # which is sooner
AS_TYPED = "--timeout 1min --isolation limits"  # the same, in the command that does it again

# Shoots at the cells in order, and leaves a trace of what it was told, or of when it has enough.
BOT = """\
import json, os, sys
asked = json.loads(sys.argv[1])
with open({trace!r}, "a") as file:
    print(os.environ["BOT_SEED"], os.environ["BOT_RULES"], sys.argv[1], file=file)
rules = json.loads(os.environ["BOT_RULES"])
if asked["cmd"] == "init":
    print(json.dumps({{str(n): {{"point": f"0{{row}}", "orientation": "horizontal"}}
                      for row, n in enumerate(rules["fleet"])}}))
else:
    shot = asked["hit"] + asked["missed"]
    fresh = (f"{{x}}{{y}}" for x in range(rules["columns"]) for y in range(rules["rows"]))
    if len(shot) == {enough}:
        sys.exit("I have had enough")
    print(json.dumps({{"move": next(cell for cell in fresh if cell not in shot)}}))
"""


def bot(folder: Path, name: str = "bot", enough: int = -1) -> str:
    """A bot's file; its trace is beside it."""
    path = folder / f"{name}.py"
    path.write_text(BOT.format(trace=str(folder / f"{name}.trace"), enough=enough))
    return str(path)


def traced(folder: Path, name: str = "bot") -> list[tuple[str, dict, dict]]:
    """The messages to a bot, move by move: its seed, the rules, and the questions."""
    lines = (folder / f"{name}.trace").read_text().splitlines()
    parts = [re.fullmatch(r"(\S+) (\{.*\}) (\{.*\})", line) for line in lines]
    return [(part[1], json.loads(part[2]), json.loads(part[3])) for part in parts if part]


judge = partial(judge_at, ROOT, "test", **SETTINGS)


def document(*arguments: str) -> dict:
    done = judge(*arguments, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    found: dict = json.loads(done.stdout)
    assert schemas.problem("test", found) is None
    return found


def without_times(found: dict) -> dict:
    return {**found, "bots": [{**one, "ms": None} for one in found["bots"]]}


def test_a_bot_that_stays_alive_has_the_same_figures_with_any_number_of_jobs() -> None:
    """A bot that takes its luck from BOT_SEED once, and so differs from one process to another."""
    words = ("xbs-hunt", "--rules", "xbs", "--boards", str(IN_A_ROW + 5), "--seed", "3")
    one, two = (document(*words, "--jobs", jobs) for jobs in ("1", "2"))
    assert without_times(one) == without_times(two)
    assert one["bots"][0]["cleared"] == IN_A_ROW + 5


def test_the_number_of_jobs_changes_no_figure() -> None:
    """With one job and with two, in any company, the same seed gives a bot the same figures."""
    one = document("hunter", "hunt", "--boards", "2", "--seed", "3", "--jobs", "1", *FORKED)
    two = document("hunter", "hunt", "--boards", "2", "--seed", "3", "--jobs", "2", *FORKED)
    assert without_times(one) == without_times(two)
    only = document("hunter", "--boards", "1", "--seed", "3", *FORKED)
    assert only["bots"][0]["histogram"][0] in one["bots"][0]["histogram"]


@contextmanager
def clearing(folder: Path) -> Iterator[Callable[[], int]]:
    """A test of a bot that stays alive and never answers, by two jobs. The function waits for the
    bot's next process, and gives the process that has started it. The test is interrupted in the
    end, and none of these processes is left."""
    bot, pipe, pids = folder / "silent", folder / "pids", list[int]()
    os.mkfifo(pipe)
    bot.mkdir()
    (bot / "bot.json").write_text('{"command": ["./bot"], "wire": "xbs"}')
    script(bot / "bot", f"echo $PPID $$ > {pipe}\nexec cat > /dev/null")
    words = (str(bot), "--rules", "xbs", "--jobs", "2", "--quiet")
    test = started(ROOT, "test", *words, **SETTINGS)
    with os.fdopen(os.open(pipe, os.O_RDWR), "rb", buffering=0) as said:

        def next_starter() -> int:
            assert select.select([said], [], [], 60)[0], "no other bot is started"
            pids.extend(map(int, said.readline().split()))
            return pids[-2]

        try:
            yield next_starter
        finally:
            test.send_signal(signal.SIGINT)
            _, err = test.communicate(timeout=60)
    assert err.startswith("judge: interrupted after "), err
    assert test.returncode == 130
    assert test.pid not in pids
    assert not any(map(is_running, pids))


def test_each_job_of_bots_that_stay_alive_has_a_process_that_stops_with_the_judge(
    tmp_path: Path,
) -> None:
    """Two processes of the judge start the bots, and are gone with them after a signal."""
    starters = set[int]()
    with clearing(tmp_path) as next_starter:
        while len(starters) < 2:
            starters.add(next_starter())


def test_boards_of_a_process_of_the_judge_that_is_killed_are_played_again(tmp_path: Path) -> None:
    """In a new process of the judge, and the test goes on."""
    starters = set[int]()
    with clearing(tmp_path) as next_starter:
        while len(starters) < 3:
            starters.add(next_starter())
            if len(starters) == 2:
                with suppress(ProcessLookupError):  # it is killed once
                    os.kill(min(starters), signal.SIGKILL)


def test_a_bot_is_asked_as_in_a_game_that_it_alone_has_played(tmp_path: Path) -> None:
    """It is asked to place and then to shoot, as player 0, in `moves` nothing but its own shots,
    with the rules of the game, and on every board with another seed."""
    found = document(bot(tmp_path), "--boards", "2", "--seed", "5", "--jobs", "1", *FORKED)
    told = traced(tmp_path)
    assert len(told) == 2 + found["bots"][0]["shots"]["mean"] * 2
    assert all(rules == builtins(BRAINJAR) for _, rules, _ in told)
    assert [asked["cmd"] for _, _, asked in told].count("init") == 2
    asked = [asked for *_, asked in told if asked["cmd"] == "move"]
    assert all(one["you"] == 0 for one in asked)
    for one in asked:
        assert [move[0] for move in one["moves"]] == ["0"] * len(one["hit"] + one["missed"])
    assert len({seed for seed, *_ in told}) == 2


def test_events_come_board_by_board() -> None:
    """`--jsonl` begins with what is played, tells every board with its record, ends with the
    sum."""
    done = judge(PLAYS, f"twin={PLAYS}", "--boards", "2", "--jsonl", "--quiet", "--jobs", "2")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [schemas.problem("test-event", event) for event in events] == [None] * 6
    start, *boards, end = events
    assert (start["event"], end["event"]) == ("start", "end")
    assert [(one["board"], one["bot"]) for one in boards] == [
        (1, "plays"),
        (1, "twin"),
        (2, "plays"),
        (2, "twin"),
    ]
    for event in boards:
        record = convert(GameRecord, event["record"], "it")
        assert [game.outcome for game in replay(record)][-1]
        shots = [[(one.cell, one.is_hit)] for one in record.shots]
        fleet = record.seats[1].fleet
        assert fleet is not None
        assert (event["search"], event["destroy"]) == misses(fleet, shots)
        assert event["shots"] == len(shots)
        assert event["turns"] == 1 + sum(not is_hit for ((_, is_hit),) in shots)
    fleets = [event["record"]["seats"][1]["fleet"] for event in boards]
    assert fleets[0] == fleets[1] != fleets[2] == fleets[3]


def test_a_spreadsheet_has_a_line_a_board_and_bot() -> None:
    """`--csv` has the very numbers that the document sums up."""
    arguments = [PLAYS, f"twin={PLAYS}", "--boards", "2", "--seed", "4", "--quiet"]
    rows = list(csv.DictReader(io.StringIO(judge(*arguments, "--csv").stdout)))
    assert [(row["board"], row["bot"]) for row in rows[:2]] == [("1", "plays"), ("1", "twin")]
    for found in document(*arguments)["bots"]:
        own = [row for row in rows if row["bot"] == found["name"]]
        assert sum(int(row["shots"]) for row in own) / 2 == found["shots"]["mean"]
        assert sum(int(row["search"]) for row in own) / 2 == found["misses"]["search"]
        assert {row["termination"] for row in own} == {"fleet-destroyed"}


# Other fleets


@pytest.mark.parametrize("form", ["reply", "record"])
def test_fleets_may_come_from_a_file(form: str, tmp_path: Path) -> None:
    """`--placements` has as many boards as the file, or fewer; either form gives the same."""
    fleets = [random_fleet(BRAINJAR, Random(seed)) for seed in range(3)]
    file = tmp_path / "fleets.json"
    given = [fleet_reply(fleet) if form == "reply" else [*map(builtins, fleet)] for fleet in fleets]
    file.write_text(json.dumps(given))
    found = document(PLAYS, "--placements", str(file))
    last = [max(cell for ship in fleet for cell in ship.cells) for fleet in fleets]
    needed = [8 * column + row + 1 for column, row in last]  # it shoots the cells in order
    assert (found["boards"], found["fleets"]) == (3, "placements")
    assert found["bots"][0]["histogram"] == [
        [shots, needed.count(shots)] for shots in sorted(set(needed))
    ]
    assert document(PLAYS, "--placements", str(file), "--boards", "1")["boards"] == 1


def test_fleets_may_come_from_a_bot(tmp_path: Path) -> None:
    """`--against` asks a bot for a fleet a board, each with another seed, once for all bots."""
    opponent = bot(tmp_path, "opponent")  # ships at the left of the first four rows
    found = document(PLAYS, f"twin={PLAYS}", "--against", opponent, "--boards", "3", "--seed", "2")
    assert (found["fleets"], found["against"]) == ("against", "opponent")
    assert [one["histogram"] for one in found["bots"]] == [[[36, 3]]] * 2
    told = traced(tmp_path, "opponent")
    assert [asked for *_, asked in told] == [{"cmd": "init"}] * 3
    assert len({seed for seed, *_ in told}) == 3


def test_other_rules_may_have_another_board(tmp_path: Path) -> None:
    """A board of ten by ten with five ships, which the wire can express, is played by its rules."""
    rules = {
        "name": "large",
        "columns": 10,
        "rows": 10,
        "fleet": [6, 5, 4, 3, 2],
        "turn": "single",
        "repeat": "illegal",
        "placing": "all",
        "bad_move": "forfeits",
    }
    (tmp_path / "large.json").write_text(json.dumps(rules))
    rules_file = str(tmp_path / "large.json")
    found = document(bot(tmp_path), "--rules", rules_file, "--boards", "1", "--seed", "7", *FORKED)
    assert found["rules"]["columns"] == 10
    assert found["bots"][0]["cleared"] == 1
    assert found["bots"][0]["shots"]["min"] > 64


# Other rules


def test_boards_and_ships_may_be_typed() -> None:
    """A setting that is not typed is as the rules have it; every shot is on the board, and every
    ship sunk."""
    arguments = ("--boards", "2", "--seed", "1", "--columns", "6", "--fleet", "3,2,2")
    done = judge("random", *arguments, "--jsonl", *FORKED)
    start, *boards, _ = map(json.loads, done.stdout.splitlines())
    assert (start["rules"]["columns"], start["rules"]["rows"]) == (6, 8)
    assert start["rules"]["name"] == "brainjar on 6×8 with ships 3-2-2"
    assert start["rules"]["fleet"] == [3, 2, 2]
    assert [one["record"]["outcome"]["termination"] for one in boards] == ["fleet-destroyed"] * 2
    assert all(7 <= board["shots"] <= 48 for board in boards)
    usual = judge("random", "--boards", "1", "--columns", "8", "--rows", "8", *FORKED)
    assert "Rules brainjar, seed" in usual.stdout


@pytest.mark.parametrize("rules", VARIANTS)
def test_boards_are_cleared_in_every_variant(rules: str) -> None:
    """Over either wire of a general bot, which is told all by each question, the same boards take
    the same shots; where salvos are fired the turns are volleys, and told in words as well."""
    arguments = ["hunter@open-lines", "--rules", rules, "--boards", "1", "--seed", "6"]
    found = document(*arguments, "one=hunter@open", *FORKED)
    assert found["rules"] == builtins(VARIANTS[rules])
    lines, one = found["bots"]
    for bot in (lines, one):
        assert (bot["cleared"], bot["forfeits"]) == (1, {})
    assert (lines["shots"], lines["turns"]) == (one["shots"], one["turns"])
    turns, shots = one["turns"]["max"], one["shots"]["max"]
    match VARIANTS[rules].turn:
        case Turn.SALVO:  # six shots a turn, for the bot loses no ship
            assert 6 * turns == shots
        case Turn.HIT_AGAIN:
            assert turns == one["misses"]["mean"] + 1
        case _:
            assert turns == shots
    said = judge(*arguments, "--quiet").stdout
    assert ("\nturns\n" in said) == (VARIANTS[rules].turn is Turn.SALVO)


def test_drawn_fleets_may_come_from_a_bot() -> None:
    """By rules that draw the ships, each board has those of the fleet that was asked for."""
    words = ("--rules", "contest-4", "--against", "hunter", "--boards", "3")
    found = document("hunt", *words, *FORKED)
    assert found["bots"][0]["cleared"] == 3


# What goes wrong


@pytest.mark.parametrize(("often", "status"), [(1, 0), (2, 1)], ids=["once", "twice"])
def test_the_judges_own_fault_is_nobodys(often: int, status: int) -> None:
    """A board that could not be played is played at the second try, or else listed and in no
    count, and the status is 1."""
    failures = [LaunchFault("no more processes")] * often
    boards = {board.id: board.bot_seeds[0] for board in Solo(1, 2, 7)}

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if seed == boards["7-2.1"] and failures:
            raise failures.pop()
        return usual()

    done = in_process(
        *("test", PLAYS, "--boards", "2", "--seed", "7", "--jsonl", "--quiet"),
        embedding=Embedding(connect),
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.status == status
    assert [event["event"] for event in events].count("fault") == often - 1
    assert all(schemas.problem("test-event", event) is None for event in events)
    bot, faults = events[-1]["test"]["bots"][0], events[-1]["test"]["faults"]
    assert bot["cleared"] + len(faults) == 2
    assert bot["forfeits"] == {}
    if faults:
        assert faults == [{"id": "7-2.1", "message": "no more processes"}]
        assert done.stderr == "judge: board 7-2.1 could not be played: no more processes.\n"


def test_each_board_of_a_row_is_listed_that_could_not_be_played() -> None:
    """The boards that one process was to clear, with what kept it from starting."""

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        raise LaunchFault("no more processes")

    words = ("test", "xbs-hunt", "--rules", "xbs", "--boards", "3", "--seed", "7", "--json")
    done = in_process(*words, "--quiet", embedding=Embedding(connect))
    found = json.loads(done.stdout)
    assert done.status == 1
    assert [one["id"] for one in found["faults"]] == ["7-1.1", "7-2.1", "7-3.1"]
    assert found["bots"][0]["cleared"] == 0


@pytest.mark.parametrize(
    ("number", "option"),
    [(signal.SIGINT, []), (signal.SIGTERM, ["--against"])],
    ids=["shooting", "placing"],
)
def test_a_signal_ends_it_at_once_and_leaves_nothing(
    number: signal.Signals, option: list[str], tmp_path: Path
) -> None:
    """Stopped in the middle of a move: exit 130, a line that says so and one with the seed that
    was drawn, nothing on stdout, and no bot is left."""
    os.mkfifo(tmp_path / "pids")
    sleeper = script(tmp_path / "bot.sh", f"echo $$ > {tmp_path}/pids\nexec sleep 1000")
    arguments = [*([PLAYS] if option else []), *option, sleeper, "--quiet", "--jobs", "1"]
    test = started(ROOT, "test", *arguments, **SETTINGS)
    with (tmp_path / "pids").open() as pids:
        pid = int(pids.readline())
    test.send_signal(number)
    out, err = test.communicate(timeout=60)
    assert (test.returncode, out) == (130, "")
    first, second = err.splitlines()
    assert first == "judge: interrupted after 0 of 100 boards."
    assert re.fullmatch(
        rf"Do it again: {re.escape(shlex.join(['judge', 'test', *arguments]))} {AS_TYPED} --seed [0-9a-z]+",
        second,
    )
    assert not is_running(pid)


@pytest.mark.parametrize("form", ["text", "--json", "--csv"])
def test_of_a_test_that_is_interrupted_the_boards_so_far_are_told(
    form: str, tmp_path: Path
) -> None:
    """After two boards and in the third: text has the table of the two, CSV their lines, JSON no
    half a document; the status is 130, and the seed that was drawn is told."""
    os.mkfifo(tmp_path / "third")
    games = tmp_path / "games"
    tired = script(
        tmp_path / "tired.sh",
        f"""
case $1 in *init*) echo >> {games};; esac
[ $(wc -l < {games}) -lt 3 ] || {{ echo here > {tmp_path}/third; exec sleep 1000; }}
exec {PLAYS} "$1"
""",
    )
    arguments = [*([] if form == "text" else [form]), "--jobs", "1", "--quiet"]
    test = started(ROOT, "test", tired, *arguments, **SETTINGS)
    with (tmp_path / "third").open() as third:
        third.readline()
    test.send_signal(signal.SIGINT)
    out, err = test.communicate(timeout=60)
    assert test.returncode == 130
    seed = re.search(r"^Do it again: judge test .* --seed (\w+)$", err, re.MULTILINE)
    assert seed
    assert err.startswith("judge: interrupted after 2 of 100 boards: tired ")
    if form == "text":
        assert re.search(r"^tired +\d\d\.\d\d ± \d+\.\d\d ", out, re.MULTILINE)
        last = f"2 of 100 boards, fleets drawn by the seed. Rules brainjar, seed {seed[1]}."
        assert " ".join(out.split()).endswith(f"Interrupted after {last}")
    elif form == "--csv":
        assert len(list(csv.DictReader(io.StringIO(out)))) == 2
    else:
        assert out == ""


def test_a_terminal_shows_how_it_stands() -> None:
    """On a terminal a bar shows the boards and the running mean; it is gone in the end."""
    done = with_stderr_in_a_terminal("test", PLAYS, "--boards", "5", *shlex.split(AS_TYPED))
    assert done.status == 0
    assert re.search(r"\d/5", done.stderr)
    assert re.search(r"plays \d\d\.\d\d", done.stderr)
    assert done.stdout.startswith("shots  ")
