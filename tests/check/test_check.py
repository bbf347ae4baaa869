"""judge check: every check can fail, every bundled bot passes them all, and the rest of its
contract.

The bots that are broken on purpose are a few lines of shell before an honest one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from child_processes import is_running
from commands import JUDGE, ROOT, judge_at, judge_in, started
from findings import failed, found
from judge import schemas
from judge.check import conformance, side_effects
from judge.check.checks import Subject, checks_of
from judge.check.examination import MOST_LATE, CheckReport, examine
from judge.check.relocated import moved, unmoved
from judge.documents.codec import builtins
from judge.documents.game import Evidence, Limits, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.errors import Crashed, TimedOut
from judge.game import positions
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.asking import Question, Reply, ask
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find, sharing
from judge.process.run import scratch
from judge.process.run.listening import Stop
from judge.process.sandbox.bwrap import Bubblewrap
from judge.process.sandbox.isolation import Limited, choose
from judge.show.check import document, first_cause, hint, table, text
from judge.wire.brainjar import Brainjar
from judge.wire.hints import wants_network
from needs import held_by, need, strictest
from strategies import examples

FIRST, _, CHECKS, *_ = checks_of(Brainjar, "readme")

HONEST = (ROOT / "tests" / "hostile" / "plays.sh").read_text()
# With time enough for a busy machine: nothing is timed here but what is late on purpose.
PATIENT = Limits(timeout_ms=60_000)
CONDITIONS = Conditions(rules=BRAINJAR, isolation=choose("limits")[0], limits=PATIENT)
HURRIED = Limits(timeout_ms=2000)


def written(folder: Path, before: str = "", bot: str = HONEST) -> Path:
    """A folder with a bot that begins with these lines and plays honestly after them."""
    folder.mkdir(exist_ok=True)
    (folder / "run.sh").write_text(f"#!/bin/sh\n{before}\n{bot}")
    (folder / "run.sh").chmod(0o755)
    return folder


def examined(folder: Path, *only: str, **more: object) -> CheckReport:
    """By every check, or only by these."""
    conditions = replace(CONDITIONS, **more) if more else CONDITIONS
    return examine(find(str(folder)), Run(conditions), seed=2, jobs=2, only=only)


ONE_PLACE = '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"00","orientation":"vertical"},"4":{"point":"20","orientation":"vertical"},"5":{"point":"30","orientation":"vertical"}}'

# What fails, and the lines that make it fail.
BROKEN = {
    "places a legal fleet": f"case $1$BOT_SEED in *init*[13579]) echo '{ONE_PLACE}'; exit; esac",
    "makes the first move of a game": "case $1 in *'\"moves\":[],'*) exit; esac",
    "replies to an opponent who moved first": (
        'case $1 in *\'"moves":[],\'*) ;; *\'"hit":[],"missed":[],\'*) exit 1; esac'
    ),
    "shoots at fresh cells, all through a game": (
        'case $1 in *move*) echo \'{"move":"00"}\'; exit; esac'
    ),
    "plays from seat 0 and from seat 1": "case $1 in *'\"you\":1}') exit 1; esac",
    "follows a wounded ship, however it lies": (
        "case $1 in *'\"hit\":[\"'??'\"],'*) exit 1;; *'\"hit\":[\"'??'\",\"'??'\"],'*) exit 1; esac"
    ),
    "goes on when ships are sunk, in any order": "case $1 in *'\"destroyed\":[4,2,'*) exit 1; esac",
    "copes with ships that touch": (
        'case $1 in *\'"hit":["00","01","02","03"\'*\'"destroyed":[\'[!\\"]*) exit 1; esac'
    ),
    "copes with nothing but hits, or but misses": (
        "case $1 in *'\"hit\":[],'*'\"missed\":[]'*) ;; *init*) ;;"
        " *'\"hit\":[]'*) [ ${#1} -lt 700 ] || exit 1; esac"
    ),
    "finds the last cell of the longest game": "[ ${#1} -lt 1240 ] || exit 1",
    "works in any locale": '[ "$LANG" = C.UTF-8 ] || exit 1',
    "works wherever its files lie": '. $PWD/run.cfg && [ "${PWD##*/}" = bot ] || exit 1',
    "has time to spare": "case $1 in *'\"destroyed\":[4,2,'*) sleep 60; esac",
}


# These break nothing else.
ALONE = {
    "copes with ships that touch",
    "works in any locale",
    "works wherever its files lie",
}


@pytest.mark.parametrize("claim", BROKEN)
def test_each_check_can_fail(claim: str, tmp_path: Path) -> None:
    """A bot that has one thing wrong fails the check for it; the input, the fault and what to do
    are there to be read. A right bot is found to be right."""
    folder = written(tmp_path / "bot", BROKEN[claim])
    (folder / "run.cfg").touch()
    limits = HURRIED if claim == "has time to spare" else PATIENT
    only = () if claim in ALONE else (claim,)
    report = examined(folder, *only, limits=limits)
    assert not report.conforms
    finding = found(report)[claim]
    assert finding.passed is False, finding
    assert finding.failed
    assert finding.failed[0].fault
    row = next(row for row in builtins(document(report))["checks"] if row["name"] == claim)
    assert row["mend"]
    assert row["failed"] == len(finding.failed)
    assert row["example"]["input"] in row["example"]["again"]
    assert row["example"]["why"] in " ".join(text(report, again="", colour=False).split())
    assert schemas.problem("check", builtins(document(report))) is None
    if claim in ALONE:
        assert failed(report) == {claim}


@pytest.mark.parametrize("where", ["alone", "too"])
def test_where_a_bot_lies_is_blamed_only_if_it_works_at_home(where: str, tmp_path: Path) -> None:
    """A bot that fails the same questions where it is at home is told of what it does wrong."""
    wrong = "exit 7" if where == "too" else '[ "${PWD##*/}" = bot ] || exit 7'
    folder = written(tmp_path / "bot", f"case $1 in *move*) {wrong}; esac")
    (row,) = builtins(document(examined(folder, "works wherever its files lie")))["checks"]
    assert row["passed"] is False
    assert row["mend"].startswith("take nothing from outside") == (where == "alone")


def test_whose_shots_are_whose_is_found_out(tmp_path: Path) -> None:
    """A bot that takes its opponent's shots for its own finds no cell, where those are all left."""
    muddled = """\
import json, sys
request = json.loads(sys.argv[1])
shot = {move[1:3] for move in request.get("moves", [])}
fresh = [f"{x}{y}" for x in range(8) for y in range(8) if f"{x}{y}" not in shot] or ["00"]
fleet = {size: {"point": f"{size}0", "orientation": "vertical"} for size in (2, 3, 4, 5)}
print(json.dumps(fleet if request["cmd"] == "init" else {"move": fresh[0]}))
"""
    (tmp_path / "muddled.py").write_text(muddled)
    claims = ("tells its own shots from the opponent's", "follows a wounded ship, however it lies")
    report = examined(tmp_path / "muddled.py", *claims, launch="fork")
    assert failed(report) == {claims[0]}


@pytest.mark.parametrize(
    "late",
    [
        # its own shots are many, its last ones, or its ships sunk in one order as one player
        "[ ${#1} -lt 900 ]",
        "[ ${#1} -lt 1240 ]",
        'case $1 in *\'"destroyed":["4","2","5"]\'*\'"you":1\'*) false; esac',
    ],
)
def test_the_other_dialect_is_asked_of_to_the_end(late: str, tmp_path: Path) -> None:
    """A bot that fails in it late in a game gets a note."""
    is_engine = 'case $1 in *\'"destroyed":["\'*)'
    bot = written(tmp_path / "bot", f"{is_engine} {late} || exit 1; esac")
    finding = found(examined(bot, "understands the dialect engine"))
    assert finding["understands the dialect engine"].warning


def test_a_bot_that_fails_in_one_of_its_first_moves_does_not_conform(tmp_path: Path) -> None:
    """Each of the first shots is asked for, so a bot that crashes at its third move is found."""
    cell = "'\"'??'\"'"
    third = "|".join(
        f"*'\"hit\":['{hit}'],\"missed\":['{missed}']'*"
        for hit, missed in ((f"{cell},{cell}", ""), (cell, cell), ("", f"{cell},{cell}"))
    )
    bot = written(tmp_path / "bot", f"case $1 in {third}) exit 7;; esac")
    claim = "shoots at fresh cells, all through a game"
    assert found(examined(bot, claim))[claim].failed


def test_only_the_dialect_that_a_bot_says_it_speaks_can_fail(tmp_path: Path) -> None:
    """A bot that speaks one dialect and crashes, hangs or writes in the other one conforms, and is
    told of that as a note; it does not conform once somebody says that it speaks the other."""
    in_readme = "case $1 in *'\"destroyed\":['[0-9]*) echo >&2; sleep 60;; esac"
    in_engine = "case $1 in '{\"hit\":'*) echo >&2; exit 7;; esac"
    for folder, speaks, other, lines, limits in (
        ("one", "readme", "engine", in_engine, PATIENT),
        ("two", "engine", "readme", in_readme, HURRIED),
    ):
        bot = written(tmp_path / folder, lines)
        claim = f"understands the dialect {other}"
        conditions = replace(CONDITIONS, dialect=speaks, limits=limits)
        report = examine(find(str(bot)), Run(conditions), seed=2, jobs=2)
        assert report.conforms, text(report, again="", colour=False)
        assert claim in {one.claim for one in report.findings if one.warning}
        assert found(report)[conformance.QUIET].detail == "not a word"
        (finding,) = (one for one in report.findings if one.claim == claim)
        assert finding.failed
        assert "this is not a failure" in text(report, again="", colour=False)
        assert schemas.problem("check", builtins(document(report))) is None
        assert f"understands the dialect {speaks}" not in found(report)

        (first,) = FIRST[1:]
        report = examine(
            find(f"{bot}@brainjar/{other}"), Run(CONDITIONS), seed=2, jobs=2, only=[first.claim]
        )
        assert {one.question.dialect for one in report.replies} == {other}
        assert report.conforms == (folder == "two")


def test_every_check_is_tried_by_a_broken_bot() -> None:
    """No row of the table without a bot that fails it."""
    rows = {check.claim for check in (*FIRST, *CHECKS)}
    elsewhere = {  # in test_general.py, by rules that bring such positions
        "copes with cells that are shot at again",
        "copes with turns that are skipped",
        "copes with several opponents",
        "replies again when it is refused",
    }
    dialects = {check.claim for check in CHECKS if check.dialect}  # which nobody fails
    own = {"tells its own shots from the opponent's"}
    assert rows - BROKEN.keys() == own | elsewhere | dialects


# What a bot remembers


def test_a_file_in_its_folder_is_remembering(tmp_path: Path) -> None:
    """A bot that writes into its own folder fails, whether its replies depend on it or not."""
    report = examined(written(tmp_path / "bot", "echo $1 >> seen.txt"))
    finding = found(report)["remembers nothing"]
    assert finding.passed is False
    assert f"its own files, in {tmp_path / 'bot'}" in finding.detail
    assert failed(report) == {"remembers nothing"}


def test_a_file_beside_it_is_remembering(tmp_path: Path) -> None:
    """So does a bot that is a file and writes into the folder that it lies in."""
    folder = written(tmp_path / "bot", "echo $1 >> seen.txt")
    finding = found(examined(folder / "run.sh", conformance.FORGETFUL))["remembers nothing"]
    assert finding.passed is False
    assert str(folder / "seen.txt") in finding.detail


@pytest.mark.usefixtures("shared_folders")
def test_a_file_in_tmp_is_remembering(tmp_path: Path) -> None:
    """And one that keeps something in /tmp, which the sentence names."""
    kept = Path("/tmp", f"bot-{os.getpid()}-{tmp_path.name}")
    try:
        bot = written(tmp_path / "bot", f"echo $1 > {kept}")
        report = examined(bot, conformance.FORGETFUL)
    finally:
        kept.unlink(missing_ok=True)
    assert failed(report) == {"remembers nothing"}
    assert str(kept) in found(report)["remembers nothing"].detail


def test_a_reply_that_depends_on_earlier_questions_is_remembering(tmp_path: Path) -> None:
    """A memory that cannot be found shows in the bot's replies."""
    kept = tmp_path / "out" / "of" / "sight"
    kept.parent.mkdir(parents=True)
    # Whether fleets have been asked for twice or three times turns the order of cells around.
    turned = f"""\
case $1 in
*init*) echo >> {kept} ;;
*) [ $(($(wc -l < {kept}) % 2)) = 0 ] || set -- "$(echo "$1" | sed 's/"missed":./&"00","01",/')" ;;
esac
"""
    report = examined(written(tmp_path / "bot", turned), conformance.FORGETFUL)
    finding = found(report)["remembers nothing"]
    assert finding.passed is False
    assert "depends on what it was asked before" in finding.detail


def test_luck_of_its_own_and_noise_are_said_and_no_failure(tmp_path: Path) -> None:
    """A bot that is random whatever its seed, and writes to stderr, conforms; that it cannot be
    repeated is said, and so is what it writes."""
    lucky = """\
echo thinking >&2
case $1 in *'"moves":[],'*) printf '{"move":"%02o"}\\n' $((1$$ % 64)); exit; esac
"""
    report = examined(written(tmp_path / "bot", lucky))
    assert report.conforms, [finding for finding in report.findings if finding.passed is False]
    finding = found(report)["gives the same reply to the same question"]
    assert (finding.passed, finding.warning) == (True, True)
    assert "random" in finding.detail
    noise = found(report)[conformance.QUIET]
    assert (noise.passed, noise.warning) == (True, True)
    assert noise.detail.endswith(": thinking")


@pytest.mark.parametrize("name", ["seen-$$", "seen-$$/", ".seen-$BOT_SEED-$$"])
def test_a_file_of_a_new_name_each_move_is_remembering(name: str, tmp_path: Path) -> None:
    """So does one that never writes the same file twice, or makes but folders."""
    how = "mkdir -p" if name.endswith("/") else ": >"
    folder = written(tmp_path / "bot", f"{how} {name}")
    finding = found(examined(folder / "run.sh", conformance.FORGETFUL))["remembers nothing"]
    assert finding.passed is False
    assert f"{folder}/{name.partition('seen')[0]}seen-" in finding.detail


def test_where_the_isolation_lets_nothing_be_kept_nothing_is_looked_for(tmp_path: Path) -> None:
    """Under bwrap a bot cannot write, so that what is written meanwhile is never held against
    it."""
    bwrap = held_by("bwrap")
    folder = written(tmp_path / "bot")
    for path in (folder, tmp_path):
        (path / "ci.log").touch()
    writer = subprocess.Popen(
        ["sh", "-c", "while :; do echo x | tee -a bot/ci.log >> ci.log; sleep 0.02; done"],
        cwd=tmp_path,
    )
    try:
        report = examined(folder / "run.sh", conformance.FORGETFUL, isolation=bwrap)
    finally:
        writer.kill()
        writer.wait()
    finding = found(report)["remembers nothing"]
    assert (finding.passed, finding.detail) == (True, "it could keep nothing")


def test_what_others_write_is_no_trace(tmp_path: Path) -> None:
    """A change that the bot did not make is not held against it, and neither is a change that comes
    once."""
    kept = [tmp_path / name for name in ("once", "always", "by others")]
    moves = 0

    class Busy(Stop):
        def wait(self, seconds: float) -> None:
            kept[2].write_text(f"pause {moves}")

    def move() -> float:
        nonlocal moves
        moves += 1
        kept[2].write_text(f"move {moves}")
        kept[1].write_text("x" * moves)
        if moves == 1:
            kept[0].touch()
        return 0.0

    with closing(Busy()) as stop:
        assert side_effects.left_by(move, [str(tmp_path)], Random(1), stop) == (str(kept[1]),)
    assert moves == side_effects.ROUNDS + side_effects.MORE_ROUNDS


@given(
    period=st.floats(0.02, 20),
    phase=st.floats(0, 1),
    takes=st.floats(0.005, 4),
    is_new=st.booleans(),
    luck=st.integers(0, 2**32),
)
@examples(60)
def test_who_writes_steadily_is_never_taken_for_the_bot(
    period: float, phase: float, takes: float, is_new: bool, luck: int
) -> None:
    """Whatever the rhythm, of writing one file or ever new ones, against that of the moves."""
    with tempfile.TemporaryDirectory() as folder:
        clock = 0.0

        def passes(seconds: float) -> float:
            nonlocal clock
            before, clock = clock, clock + seconds
            for number in range(int(before / period + phase) + 1, int(clock / period + phase) + 1):
                Path(folder, f"{number}.log" if is_new else "log").write_text("x" * number)
            return seconds

        class Simulated(Stop):
            def wait(self, seconds: float) -> None:
                passes(seconds)

        with closing(Simulated()) as stop:
            assert side_effects.left_by(lambda: passes(takes), [folder], Random(luck), stop) == ()


def test_only_the_scratch_folders_of_this_judge_are_passed_over(tmp_path: Path) -> None:
    """A file of a bot is a trace whatever it is called; a file that the judge makes for it is
    not."""
    kept = tmp_path / "judge-notes"
    own = Path(scratch.of_this_run())
    moves = 0

    def move() -> float:
        nonlocal moves
        moves += 1
        kept.write_text("x" * moves)
        (own / "notes").write_text("x" * moves)
        return 0.0

    where = [str(tmp_path), str(own.parent)]
    with closing(Stop()) as stop:
        assert side_effects.left_by(move, where, Random(1), stop) == (str(kept),)
    (own / "notes").unlink()


# What is seen by all replies together


def reply(**run: object) -> Reply:
    """A reply whose run looked like that."""
    seen = {
        "seat": 0,
        "argv": ("bot", "{}"),
        "stdout": "",
        "stderr": "",
        "exit": 0,
        "signal": None,
        "wall_ms": 10.0,
        "cpu_ms": 5.0,
        "peak_kib": None,
        **run,
    }
    question = Question(positions.placing(BRAINJAR), 1)
    fault = Crashed("exited with status 1") if seen["exit"] else None
    return Reply(question, None, fault, Evidence(**seen), "/", {}, seen["wall_ms"], Brainjar)


def test_head_room_is_measured_and_little_of_it_is_said() -> None:
    """The worst of all runs against the limit; over half of it there is a note."""
    limits = Limits()
    assert not conformance.in_time([reply(), reply(wall_ms=900.0)], limits).warning
    near = conformance.in_time([reply(), reply(wall_ms=1500.0)], limits)
    assert (near.passed, near.warning, near.detail) == (True, True, "at most 1500.0 ms of 2 s")
    assert conformance.in_memory([reply()], limits).passed
    near = conformance.in_memory([reply(peak_kib=200 * 1024), reply()], limits)
    assert (near.passed, near.warning, near.detail) == (True, True, "at most 200.0 of 256 MiB")
    over = conformance.in_memory([reply(peak_kib=300 * 1024), reply()], limits)
    assert (over.passed, len(over.failed)) == (False, 1)


def test_what_this_isolation_does_not_hold_is_not_tried() -> None:
    """Only where a bot has neither network nor a folder to write in does it show that it needs
    none; where it then fails for want of them, that is said."""
    asked = [reply(), reply(exit=1, stderr="open: Read-only file system")]
    walled = Bubblewrap("bwrap")
    assert conformance.held(asked, Limited("prlimit")).passed is None
    assert conformance.held(asked[:1], walled).passed
    assert conformance.held(asked, walled).failed == (asked[1],)
    broken = conformance.held([reply(exit=1)], walled)
    assert (broken.passed, broken.detail) == (None, "not tried: no run of it succeeded")


# Programs that ask a server, by its number and by its name, and how else they do.
CALLS = {
    "python3": "import socket\nsocket.create_connection(('{}', 80))",
    "node": "require('http').get('http://{}')",
    "perl": "use IO::Socket::INET; IO::Socket::INET->new('{}:80') or die $@;",
    "ruby": "require 'socket'; TCPSocket.new('{}', 80)",
    "java": 'new java.net.Socket("{}", 80);',
    "bash": "set -e; exec 3<>/dev/tcp/{}/80",
}
PAGE = """\
import urllib.request as web, sys
try: web.urlopen('http://203.0.113.1')
except OSError as error: sys.exit(str(error))
"""
SOCKET = """\
#include <stdio.h>
#include <sys/socket.h>
int main(void) { if (socket(AF_INET, SOCK_STREAM, 0) < 0) { perror("socket"); return 1; } }
"""
ONLINE = {
    **{program: (program, call.format("203.0.113.1")) for program, call in CALLS.items()},
    **{f"{program}, a name": (program, CALLS[program].format("example.org")) for program in CALLS},
    "python3, a page": ("python3", PAGE),
    "node, a datagram": (
        "node",
        "require('dgram').createSocket('udp4').send('x', 9, '203.0.113.1')",
    ),
    "C": ("cc", SOCKET),
}


@pytest.mark.parametrize("how", ONLINE)
def test_a_bot_that_needs_the_network_is_told_so(how: str, tmp_path: Path) -> None:
    """However its language words that it gets no socket, or no number for a name."""
    conditions = replace(CONDITIONS, isolation=held_by("bwrap"))
    program, source = ONLINE[how]
    need(program)
    command = [program, "bot"]
    if program == "java":
        need("javac")
        source = (
            f"class B {{ public static void main(String[] a) throws Exception {{ {source} }} }}"
        )
        (tmp_path / "B.java").write_text(source)
        subprocess.run(["javac", "B.java"], cwd=tmp_path, check=True)
        command = [
            "java",
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            ".",
            "B",
        ]
    elif program == "cc":
        (tmp_path / "bot.c").write_text(source)
        subprocess.run(["cc", "-o", "bot", "bot.c"], cwd=tmp_path, check=True)
        command = ["./bot"]
    else:
        (tmp_path / "bot").write_text(source)
    (tmp_path / "bot.json").write_text(json.dumps({"command": command}))
    asked = Question(positions.placing(BRAINJAR), 1)
    with Run(conditions) as run:
        got = ask(run, find(str(tmp_path)), asked)
    assert got.fault
    finding = conformance.held([got], conditions.isolation)
    assert (finding.passed, finding.failed) == (False, (got,)), got.run.stderr
    assert hint(got) == "ask no server: a bot has no network"


def test_what_is_not_permitted_need_not_be_the_network() -> None:
    """Nobody is told of a server who did something else that is not permitted."""
    said = "os.chown('bot', 0, 0)\nPermissionError: [Errno 1] Operation not permitted: 'bot'"
    assert not wants_network(said)


def test_a_bot_that_never_replies_is_not_asked_on(tmp_path: Path) -> None:
    """The rest is left out, and is said to be, if not one of the first replies can be read."""
    report = examined(written(tmp_path / "bot", "exit 1"))
    assert failed(report) == {"places a legal fleet", "makes the first move of a game"}
    assert len(report.replies) == 10
    untried = [finding for finding in report.findings if finding.passed is None]
    assert len(untried) == 2 + len(CHECKS) + 3
    printed = text(report, again="", colour=False)
    assert " ".join(printed.split()).count("not tried: it does not reply yet") == 1
    assert f"-     {2 + len(CHECKS)} more checks  " in printed
    assert "wrote to it" not in printed
    assert schemas.problem("check", builtins(document(report))) is None


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bot_that_is_always_late_is_not_asked_on(jobs: int, tmp_path: Path) -> None:
    """After a few replies that did not come in time, the rest is left out, and is said to be;
    where that is does not depend on how many are asked at once."""
    folder = written(tmp_path / "bot", "case $1 in *move*) sleep 60; esac")
    conditions = replace(CONDITIONS, limits=HURRIED)
    report = examine(find(str(folder)), Run(conditions), seed=1, jobs=jobs)
    assert failed(report) == {"makes the first move of a game", "has time to spare"}
    late = [reply for reply in report.replies if isinstance(reply.fault, TimedOut)]
    assert len(late) == 2 * MOST_LATE  # in its own dialect, and in the one that it need not speak
    assert report.replies[-1] == late[-1]
    rest = {finding.detail for finding in report.findings[2 : 4 + len(CHECKS)]}
    other = "3 of 3 replies wrong; it does not say that it speaks it, so this is not a failure"
    assert rest - {"these rules bring no such position", other} == {"not tried: it is too slow"}
    assert schemas.problem("check", builtins(document(report))) is None


# What to do

MISTAKES = {
    "a program that can be started": ("#!/no/such/interpreter", {}),
    "use less memory": ("exec python3 -c 'x = bytearray(400_000_000)'", {}),
    'hand the argument on as "$1"': ('exec sh -c "echo $1 >&2; exit 1"', {}),
    "ask no server": ("echo 'connect: Network is unreachable' >&2; exit 1", {}),
    "write no files": ("echo 'disk: Read-only file system' >&2; exit 1", {}),
    "read files of the bot's own folder only": (
        "echo './helper: Permission denied' >&2; exit 1",
        {},
    ),
    "take files from the bot's own folder": ("cat ../brain.txt || exit 1", {}),
    "bring the module along": ("exec python3 -c 'import no_such_module'", {}),
    "standard input is empty": ("read -r line || { echo EOF >&2; exit 1; }", {}),
    "what comes after it fails": ("""echo '{"move":"00"}'; exit 1""", {}),
    "mend the error that the last line of stderr names": ("exec python3 -c '{}[1]'", {}),
    "end with exit status 0; what it wrote": ("echo oh no >&2; exit 7", {}),
    "end with exit status 0; it wrote nothing": ("exit 7", {}),
    "take the Windows line ends (CRLF)": (
        r"""printf 'run.sh: line 2: $"\\r": command not found\n' | tr '"' "'" >&2; exit 127""",
        {},
    ),
    "compile it: javac": (
        "echo 'Error: Could not find or load main class Bot' >&2; exit 1",
        {},
    ),
    "leave no process behind": ("""echo '{"move":"00"}'; sleep 60""", {"timeout_ms": 500}),
    "reply and exit sooner": ("sleep 60", {"timeout_ms": 500}),
    "it went to stderr": ("""echo '{"move":"00"}' >&2; exit""", {}),
    "print the reply to stdout before": ("exit", {}),
    "print the reply and nothing else": ("yes", {}),
    "print the reply once": ("""echo '{"move":"00"}'; echo '{"move":"01"}'; exit""", {}),
    "json.dumps": ("""echo "{'move': '00'}"; exit""", {}),
    "are double: json.dumps": ("""echo "{2: {'point': '00'}}"; exit""", {}),
    "for other words there is stderr": ("echo thinking; exit", {}),
    "print plain UTF-8": (r"printf '\303\050'; exit", {}),
    'reply {"move":"XY"}': ("""echo '{"mov":"00"}'; exit""", {}),
    "to the letter": ("""echo '{"move":"00","move":"01"}'; exit""", {}),
    "shoot at cells of the grid": ("""echo '{"move":"88"}'; exit""", {}),
    "draw the fleet anew": (f"""case $1 in *init*) echo '{ONE_PLACE}'; exit; esac""", {}),
    "shoot at no cell of hit or missed": ("""echo '{"move":"%s"}'; exit""", {}),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_each_mistake_gets_the_advice_that_fits(words: str, tmp_path: Path) -> None:
    """The hint is about what this bot does wrong."""
    luck = Random(1)
    asked = positions.middle(BRAINJAR, luck, 0, 0.5)
    assert asked is not None
    if "fleet" in words:
        asked = positions.placing(BRAINJAR)
    shot = next((shot.cell for shot in asked.game.shots if shot.seat == 0), None)
    lines, limits = MISTAKES[words]
    folder = written(tmp_path / "bot", lines.replace("%s", "".join(map(str, shot or ()))))
    bot = find(str(folder))
    if lines.startswith("#!"):
        (folder / "run.sh").write_text(lines)
    conditions = replace(CONDITIONS, limits=replace(PATIENT, **limits))
    if "started" in words:  # which prlimit would be the one to report
        conditions = replace(conditions, isolation=choose("none")[0])
    with Run(conditions) as run:
        got = ask(run, bot, Question(asked, 1))
    assert words in hint(got)


def test_no_advice_is_never_given() -> None:
    """Every hint is tried but that for rules of other games, and three that a fight's tests try."""
    mends = [mend for _, _, mend in Brainjar.hints]
    tried = {mend for mend in mends for words in MISTAKES if words in mend}
    assert set(mends) - tried == {
        "do what the rules allow in this position",
        "put the file and what it needs into a folder with a run.sh or a bot.json, and name the folder",
        "call programs that bots see: those below /usr, its own, and the Python of --python",
        "name the Python that has the module by --python, or do without it",
    }


def test_a_contest_says_the_first_cause_with_its_mend(tmp_path: Path) -> None:
    """It is what a bot is left out for; causes that are not told are counted, each once."""
    said = "exited with status 7; to mend it: end with exit status 0; it wrote nothing to stderr"
    chosen = ("places a legal fleet", "makes the first move of a game")
    one = written(tmp_path / "one", "exit 7")
    assert first_cause(examined(one, *chosen)) == f"{said}, so have it print there how far it comes"
    late = "case $1 in *init*) exit 7;; esac; exit"
    told = first_cause(examined(written(tmp_path / "two", late), *chosen))
    assert told.startswith(said)
    assert told.endswith("; `judge check` shows 1 more fault")


def test_a_narrow_terminal_has_whole_claims_and_names(honest: Path) -> None:
    """At 40 columns no line is longer and nothing is cut; the table says what it has no room for."""
    longest = max((check.claim for check in CHECKS), key=len)
    report = examined(honest, longest)
    said = text(report, again="", colour=False, width=40)
    of_two = table([report, report], again="", colour=False, width=40)
    assert all(len(line) <= 40 for line in [*said.splitlines(), *of_two.splitlines()])
    assert longest in " ".join(said.split())
    assert of_two.count("  honest ") == 2
    assert "No room here for notes, untried: " in of_two


# A copy elsewhere


@pytest.mark.parametrize("given", ["folder", "file", "command line"])
def test_a_moved_bot_is_its_own_files_and_no_others(given: str, tmp_path: Path) -> None:
    """Its command, its folder and its files are those of the copy, which ends with the block."""
    folder = written(tmp_path / "bot")
    (folder / "brain.txt").write_text("x")
    script = folder / "run.sh"
    spec = {"folder": folder, "file": script, "command line": f"sh {script}"}[given]
    bot = find(str(spec))
    with moved(bot) as copy:
        assert copy is not None
        assert str(folder) not in "\n".join([*copy.command, *map(str, copy.files)])
        assert " " in str(copy.folder)
        assert (copy.folder / "run.sh").read_text() == script.read_text()
        assert os.access(copy.folder / "run.sh", os.X_OK)
        assert (copy.folder / "brain.txt").exists() == (given == "folder")
    assert not copy.folder.exists()


def test_a_command_line_without_files_cannot_be_moved(tmp_path: Path) -> None:
    """Then the check says that it was not tried."""
    with moved(find("sh -c true")) as copy:
        assert copy is None


def test_a_file_with_a_shared_folder_is_called_no_command_line(tmp_path: Path) -> None:
    """It cannot be moved either, for another reason."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "bots" / "ann.rb").write_text("puts 1\n")
    (bot,) = sharing([find(str(tmp_path / "bots" / "ann.rb"))], tmp_path / "lib", 2**20)
    with moved(bot) as copy:
        assert copy is None
    assert unmoved(bot) == (
        "not tried: it has files outside of its folder, which cannot be moved with it"
    )
    assert "is a command line" in unmoved(find("sh -c true"))


# As a user meets it


judge = partial(judge_at, ROOT, "check", JUDGE_TIMEOUT="1min")


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    return written(tmp_path / "honest")


def without_times(printed: str) -> str:
    printed = re.sub(r"/judge-run-\w+/\w+", "", printed)  # where the copy was
    # Memory too: whether it can be told goes by the judge's own.
    printed = re.sub(r'"peak_kib":\w+|at most [\d.]+ of|too little to tell, of', "", printed)
    return re.sub(r'"(median|max|wall_ms)":[\d.]+|\d+(\.\d+)? ms', "", printed)


def test_a_bot_that_conforms_is_status_0(honest: Path) -> None:
    """A line a check, the sum, and how to check again; nothing on stderr but the note."""
    done = judge(str(honest), "--seed", "4", "--isolation", "limits")
    assert done.returncode == 0
    assert re.fullmatch(r"(judge: bots run as root, .*\n)?", done.stderr)
    checks = [*FIRST, *CHECKS]
    asked = [check for check in checks if check.asked(Subject(Brainjar, "honest", BRAINJAR), 4)]
    for check in asked:
        assert re.search(rf"^(ok|note) +{re.escape(check.claim)} ", done.stdout, re.MULTILINE)
    left = len(checks) - len(asked)
    assert f"\n-     {left} more checks " in done.stdout
    assert "honest conforms: " in done.stdout
    # The time is a variable's (see `judge`), and is carried like what was typed.
    assert done.stdout.endswith(
        f"judge check {honest} --seed 4 --isolation limits --timeout 1min\n"
    )
    assert all(len(line) <= 80 for line in done.stdout.splitlines()[:-1])


def test_a_bot_that_does_not_is_status_3(tmp_path: Path) -> None:
    """And what came back and what to do are printed, each fault once; what ran the bot fits a
    terminal, and with --verbose is whole, to be copied."""
    folder = written(tmp_path / "bot", "case $1 in *'\"you\":1}') echo oh no >&2; exit 7; esac")
    short = judge(str(folder), "--seed", "4", "--quiet")
    assert short.returncode == 3
    *lines, again, more = short.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "BOT_RULES" not in short.stdout
    assert re.search(r"^ +ran +BOT_SEED=\d+ \./run\.sh \\$", short.stdout, re.MULTILINE)
    assert more == "--verbose prints commands and output whole; --only NAME asks one check again."
    done = judge(str(folder), "--seed", "4", "--quiet", "--verbose")
    assert done.returncode == 3
    assert re.search(r"^bot does not conform: \d+ of \d+ checks failed", done.stdout, re.MULTILINE)
    assert "Because: exited with status 7" in done.stdout
    assert short.stdout.count("Because: ") == 1
    assert short.stdout.count("stderr  oh no") == 1
    assert "As in: makes the first move of a game" in done.stdout
    (ran,) = re.findall(r"^ +ran +(.*)$", done.stdout, re.MULTILINE)
    again = subprocess.run(["sh", "-c", ran], capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (7, "oh no\n")


def test_with_verbose_all_that_it_wrote_is_there(tmp_path: Path) -> None:
    """Else the first and the last lines of it."""
    loud = "case $1 in *init*) seq -f 'line %g' 20 >&2; exit 7; esac"
    folder = written(tmp_path / "bot", loud)
    only = ("--only", "legal fleet", "--quiet")
    assert "line 10\n" not in judge(str(folder), *only).stdout
    assert "line 10\n" in judge(str(folder), *only, "--verbose").stdout


# One check again


def test_one_check_can_be_asked_again(tmp_path: Path) -> None:
    """By its name or a part of it, in any case: the same questions get the same findings, and no
    others are put."""
    folder = written(tmp_path / "bot", "case $1 in *'\"you\":1}') exit 7; esac")
    every, some = (
        json.loads(judge(str(folder), "--seed", "4", "--quiet", "--json", *only).stdout)
        for only in ([], ["--only", "Wounded", "--only", "works in any locale"])
    )
    names = ["follows a wounded ship, however it lies", "works in any locale"]
    assert schemas.problem("check", some) is None
    assert some["only"] == names
    for row in (*every["checks"], *some["checks"]):
        for key in ("stdout", "wall_ms", "peak_kib"):
            (row["example"] or {}).pop(key, None)
    assert some["checks"] == [row for row in every["checks"] if row["name"] in names]
    assert some["runs"] == sum(row["asked"] for row in some["checks"])
    assert not some["conforms"]


@pytest.mark.parametrize(
    "claim",
    [conformance.SAMENESS, conformance.FORGETFUL, conformance.IN_TIME, "makes the first move"],
)
def test_any_check_can_be_the_only_one(claim: str, tmp_path: Path) -> None:
    """Also one that looks at all replies, for which everything is asked."""
    done = judge(str(written(tmp_path / "bot")), "--only", claim, "--quiet", "--json")
    (row,) = json.loads(done.stdout)["checks"]
    assert row["name"].startswith(claim)
    assert row["passed"] is True
    assert (json.loads(done.stdout)["runs"] > 100) == (claim == conformance.IN_TIME)


# Several bots


def test_the_bots_of_a_folder_are_checked(tmp_path: Path) -> None:
    """All that lie in it; what is not a bot is left out with its reason, as in a contest. The
    document has that of each bot."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    written(shelf / "good")
    written(shelf / "bad", "exit 7")
    (shelf / "notes.txt").write_text("to do")
    only = ("--only", "first move", "--seed", "4")
    done = judge(str(shelf), *only, "--json")
    assert done.returncode == 3
    assert "left out notes.txt: " in done.stderr
    document = json.loads(done.stdout)
    assert schemas.problem("checks", document) is None
    assert [(bot["bot"], bot["conforms"]) for bot in document["bots"]] == [
        ("bad", False),
        ("good", True),
    ]
    assert [one["name"] for one in document["left_out"]] == ["notes.txt"]
    alone = json.loads(judge(str(shelf / "good"), *only, "--json", "--quiet").stdout)
    assert alone["checks"] == document["bots"][1]["checks"]


def test_the_command_that_asks_again_does_so(tmp_path: Path) -> None:
    """It gives the bot all that the judge gave it, and nothing of the user's: the six variables,
    an empty folder to write in, and nothing on stdin."""
    tells = "env | grep -v '^_=' | sort; ls -A \"$TMPDIR\"; cat; pwd"
    folder = written(
        tmp_path / "a bot", f"case $1 in *init*) ;; *) {{ {tells}; }} >&2; exit 7; esac"
    )
    some = ("--only", "first move", "--only", "works in any locale")
    done = judge(str(folder), "--seed", "4", "--quiet", "--json", *some)
    examples = [row["example"] for row in json.loads(done.stdout)["checks"]]
    assert len(examples) == 2
    for example in examples:
        again = subprocess.run(
            ["sh", "-c", example["again"]],
            capture_output=True,
            text=True,
            input="the user's",
            env={**os.environ, "OWN": "the user's"},
        )
        assert (again.returncode, again.stdout) == (7, "")
        there, here = (_without_scratch(said) for said in (example["stderr"], again.stderr))
        assert here == there
        names = {line.partition("=")[0] for line in here.splitlines() if "=" in line}
        assert names >= {"PATH", "HOME", "LANG", "TMPDIR", "BOT_SEED", "BOT_RULES"}
        assert "the user's" not in again.stderr


def _without_scratch(said: str) -> str:
    return re.sub(r"^(HOME|TMPDIR)=.*", r"\1=", said, flags=re.MULTILINE)


def test_the_document_is_valid_and_the_seed_decides_it(tmp_path: Path) -> None:
    """The same seed asks the same, however many at once, and another one something else."""
    folder = written(tmp_path / "bot", "case $1 in *'\"you\":1}') exit 7; esac")
    claims = ("first move", "fresh cells", "wounded", "any locale", conformance.SAMENESS)
    only = [word for claim in claims for word in ("--only", claim)]
    documents = {}
    for seed, jobs in (("1", "1"), ("1", "3"), ("2", "2")):
        done = judge(str(folder), "--seed", seed, "--jobs", jobs, "--json", "--quiet", *only)
        assert done.returncode == 3
        assert schemas.problem("check", json.loads(done.stdout)) is None
        documents[seed, jobs] = without_times(done.stdout)
    one, other = (documents["1", jobs].replace(",", ",\n").splitlines() for jobs in "13")
    assert one == other
    assert documents["1", "1"] != documents["2", "2"]


def test_other_rules_are_asked_about_too(tmp_path: Path) -> None:
    """On another board the positions are of that board, and a bot for 8×8 does not conform."""
    rules = tmp_path / "small.json"
    small = {"name": "small", "columns": 6, "rows": 6, "fleet": [2, 3, 4], "turn": "hit-again"}
    more = {"repeat": "illegal", "placing": "all", "bad_move": "forfeits"}
    rules.write_text(json.dumps(small | more))
    fleet = '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"10","orientation":"vertical"},"4":{"point":"20","orientation":"vertical"}}'
    able = HONEST.replace("0 1 2 3 4 5 6 7", "0 1 2 3 4 5")
    fits = written(tmp_path / "fits", f"case $1 in *init*) echo '{fleet}'; exit; esac", able)
    assert judge(str(fits), "--rules", str(rules), "--quiet").returncode == 0
    assert judge(str(written(tmp_path / "bot")), "--rules", str(rules)).returncode == 3


def test_interrupted_it_is_status_130_and_leaves_nothing(tmp_path: Path) -> None:
    """Stopped in the middle of a run: a line that says so, the seed that was drawn, no bot left."""
    os.mkfifo(tmp_path / "pids")
    folder = written(tmp_path / "bot", f"echo $$ > {tmp_path}/pids\nexec sleep 1000")
    check = started(
        Path(), "check", str(folder), "--timeout", "10min", "--jobs", "1", JUDGE_QUIET="1"
    )
    with (tmp_path / "pids").open() as pids:
        pid = int(pids.readline())
    check.send_signal(signal.SIGINT)
    out, err = check.communicate(timeout=60)
    assert (check.returncode, out) == (130, "")
    assert re.fullmatch(
        rf"judge: interrupted\.\nDo it again: judge check {folder} .* --seed [0-9a-z]+\n", err
    )
    assert not is_running(pid)


def test_a_fault_of_the_judge_is_status_1(honest: Path) -> None:
    """A limit of the judge is not the bot's failure: here no file may have over ten bytes."""
    limited = ("prlimit", "--fsize=10:", *JUDGE)
    words = ("check", str(honest), "--quiet", "--isolation", "none")
    done = judge_in(ROOT, *words, command=limited)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "judge: honest cannot be copied: [Errno 27] File too large.\n"


# The bots that come with the judge

NEEDS: dict[str, list[str]] = {
    "contest-random": ["cc"],
    "contest-rows": ["cc"],
    "heatmap-c": ["make", "cc"],
    "heatmap-java": ["make", "javac", "java"],
    "hunter-javascript": ["node"],
    "parity-bash": ["bash"],
    "parity-perl": ["perl"],
    "salvo_ruby": ["ruby"],
}
# These are asked only the checks that depend on the language. A start of Java or node is slow, as is a
# move of the others: how they shoot is shown in tests/bots, beside those that are asked everything.
SLOW = ("captain", "foresight", "heatmap-java", "hunter-javascript")
ASKED = (
    "places a legal fleet",
    "makes the first move of a game",
    "works in any locale",
    "works wherever its files lie",
    conformance.FORGETFUL,
)
MARKS = ("bot.json", "run.sh")  # a folder with one of them is a bot's
BUNDLED = sorted({path.parent.name for what in MARKS for path in (ROOT / "bots").glob(f"*/{what}")})


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_bot_conforms(name: str, tmp_path: Path) -> None:
    """Each of them does all that a bot has to do. One of each other language, and each player of another
    system, is held as strictly as this machine can, as a new bot in Python is (tests/cli/test_new.py).
    The others in Python are forked, which is sooner; held strictly, they play a game to its end."""
    for program in NEEDS.get(name, []):
        need(program)
    shutil.copytree(ROOT / "bots", tmp_path / "bots")
    if "make" in NEEDS.get(name, []):
        target = {"heatmap-c": "heatmap-c/bot", "heatmap-java": "heatmap-java/Bot.class"}[name]
        subprocess.run(["make", "-B", "-C", tmp_path / "bots", target], check=True)
    bot = find(str(tmp_path / "bots" / name))
    rules = VARIANTS.get(bot.wires[0], BRAINJAR)  # of a player of another system, its own
    strict = replace(CONDITIONS, rules=rules, isolation=strictest())
    is_strict = name in NEEDS or rules is not BRAINJAR
    loose = replace(CONDITIONS, launch="fork")
    run = Run(strict if is_strict else loose)
    told: list[tuple[int, int]] = []
    report = examine(
        bot,
        run,
        seed=2,
        jobs=2,
        only=ASKED if name in SLOW else (),
        tell_progress=lambda _, *at: told.append(at),
    )
    assert report.conforms, text(report, again="", colour=False)
    assert told[-1][0] == told[-1][1]  # the progress ends where it said
    if not is_strict:
        seats = (TaskSeat(bot.name, bot.digest, 1), TaskSeat(bot.name, bot.digest, 2))
        with Run(replace(strict, launch="fork"), [bot]) as run:
            record = run.play(Task("strict", 3, 0, seats))
        assert record.outcome.termination is Termination.FLEET_DESTROYED


def test_a_bot_is_checked_again_when_its_file_changes(tmp_path: Path) -> None:
    """With --watch: what is wrong then is told, even if the bot is gone for a while; Ctrl-C ends it."""
    bot = tmp_path / "mine.sh"
    bot.write_text('echo \'{"move": "00"}\'\n')
    watching = started(
        tmp_path, "check", "mine.sh", "--watch", "--only", "first move", "--seed", "1"
    )

    def waits() -> None:
        while "checks again when a file changes" not in watching.stderr.readline():
            assert watching.poll() is None

    waits()
    bot.unlink()
    waits()
    bot.write_text("echo nothing\n")
    waits()
    watching.send_signal(signal.SIGINT)
    out, _ = watching.communicate(timeout=60)
    assert watching.returncode == 130
    marks = re.findall(r"^(\w+) +makes the first move", out, re.MULTILINE)
    assert marks[0] == "ok"
    assert marks[-1] == "FAIL"
