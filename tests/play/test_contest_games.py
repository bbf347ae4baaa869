"""AIs of the Battleships contest that behave in every odd way, in both dialects, from either seat.

Each odd program plays against an innocent one, which writes down every message that it was sent.
Both are Python programs; what they do is what was seen of the published programs, and every row of
the table of violations in their description. The forms of a message stand in tests/wire, one by one.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import cycle, product
from pathlib import Path

import pytest

from judge.documents.game import Limits, Termination
from judge.errors import LaunchFault
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find_all
from judge.process.run.scratch import remove, sweep
from judge.wire.messages import AskName, MatchStart
from needs import need, strictest
from odd_ais import (
    ENVIRONMENT,
    HURRIED_MS,
    PATIENT_MS,
    RULES,
    Odd,
    fight,
    hellos,
    logged_error,
    ships,
    shots,
)

pytestmark = pytest.mark.whole

T = Termination

BAD, ILLEGAL, MOVE = T.BAD_OUTPUT, T.ILLEGAL_FLEET, T.ILLEGAL_MOVE
IN_TWO = "say({0}[:9], False); time.sleep(0.1); say({0}[9:], False)"


FINE: dict[str, Odd] = {
    "plays": Odd(),
    "sends with sendmsg": Odd(
        start="say = lambda text: judge.sendmsg([text[:5].encode(), text[5:].encode()])"
    ),
    "sends with write": Odd(start="say = lambda text: os.write(judge.fileno(), text.encode())"),
    "is slow to connect": Odd(start="time.sleep(0.7)"),
    "repeats its shots": Odd(shot="say(shot(0, fired % 2) if fired < 4 else shot())"),
    "prints, and writes to stderr": Odd(start_game="print('x' * 100_000); os.write(2, b'y' * 100_000)"),
    "reads stdin": Odd(start="assert sys.stdin.read() == ''"),
    "takes a second to leave": Odd(leave="time.sleep(1); sys.exit(0)"),
    "does not leave": Odd(leave="time.sleep(60)"),
    "leaves with a crash": Odd(leave="os.kill(os.getpid(), signal.SIGKILL)"),
}  # fmt: skip

UNCONNECTED, UNANSWERED = "before it connected to its socket", "before it replied"
WRONG: dict[str, Odd] = {
    # The start.
    "exits before connecting": Odd(
        start="sys.exit(0)", lost=T.LEFT, codes=(6,), why=f"exited with status 0 {UNCONNECTED}", before_the_game=True
    ),
    "crashes before connecting": Odd(
        start="sys.exit(3)", lost=T.CRASH, codes=(6,), why=f"exited with status 3 {UNCONNECTED}", before_the_game=True
    ),
    "never connects": Odd(
        start="time.sleep(60)", lost=T.TIMEOUT, codes=(6,), why="did not connect to its socket within 5 s",
        is_late=True, before_the_game=True,
    ),
    "connects late": Odd(
        start="time.sleep(5.5)", lost=T.TIMEOUT, codes=(6,), why="did not connect", is_late=True, before_the_game=True
    ),
    "says no name": hellos("time.sleep(60)", lost=T.TIMEOUT, codes=(8,), why="sent no message within 5 s", is_late=True),
    "exits in place of its name": hellos("sys.exit(0)", lost=T.LEFT, codes=(9,), why=f"exited with status 0 {UNANSWERED}"),
    "closes in place of its name": hellos(
        "judge.close(); time.sleep(60)", lost=T.LEFT, codes=(9,), why=f"closed its connection {UNANSWERED}"
    ),
    "says its name in two pieces": hellos(IN_TWO.format("hello"), lost=BAD, codes=(9,)),
    "speaks the third protocol": hellos("say(hello.replace('1', '0', 1))", lost=BAD, codes=(9,)),
    # Ships.
    "is silent when asked for a ship": ships(
        "time.sleep(60)", lost=T.TIMEOUT, codes=(8,), why="sent no message within 0.4 s", is_late=True
    ),
    "exits in place of a ship": ships("sys.exit(0)", lost=T.LEFT, codes=(10,)),
    "crashes in place of a ship": ships("1 / 0", lost=T.CRASH, codes=(10,), why=f"exited with status 1 {UNANSWERED}"),
    "closes in place of a ship": ships("judge.close(); time.sleep(60)", lost=T.LEFT, codes=(10,)),
    "says garbage for a ship": ships("say('{')", lost=BAD, codes=(10,)),
    "says a ship in two pieces": ships(IN_TWO.format("ship(l, 0)"), lost=BAD, codes=(10,)),
    "places a ship of another length": ships("say(ship(l + 1))", lost=ILLEGAL, codes=(12,), why="is asked for"),
    "places a ship off the board": ships("say(ship(l, r=3))", lost=ILLEGAL, codes=(12,), why="grid"),
    "places ships on each other": ships("say(ship(l, r=0))", lost=ILLEGAL, codes=(12,), why="overlap"),
    "says two frames for a ship": ships(
        "say((ship(l).ljust(256, '\\0') * 2))", lost=ILLEGAL, codes=(12,), why="o"
    ),
    "places a ship and exits": ships("say(ship(l)); sys.exit(0)", lost=T.LEFT, codes=(8, 10)),
    "says an empty frame after a ship": ships(
        "say(ship(l).encode().ljust(512, b'\\0'))", lost=BAD, codes=(10,), why="without text"
    ),
    # Shots.
    "is silent when asked for a shot": shots("time.sleep(60)", lost=T.TIMEOUT, codes=(8,), is_late=True),
    "exits in place of a shot": shots("sys.exit(0)", lost=T.LEFT, codes=(11,)),
    "is killed in place of a shot": shots("os.kill(os.getpid(), 9)", lost=T.CRASH, codes=(11,), why="SIGKILL"),
    "closes in place of a shot": shots(
        "judge.close(); time.sleep(60)", lost=T.LEFT, codes=(11,), why=f"closed its connection {UNANSWERED}"
    ),
    "says NULs for a shot": shots("say(b'\\0' * 256)", lost=BAD, codes=(11,), why="sent a message without text"),
    "says what is not UTF-8": shots("say(b'\\xff')", lost=BAD, codes=(11,), why="UTF-8"),
    "says a shot in two pieces": shots(IN_TWO.format("shot()"), lost=BAD, codes=(11,)),
    "shoots off the board": shots("say(shot(r=3))", lost=MOVE, codes=(13,), why="outside"),
    "says an empty frame after a shot": shots("say(shot().encode().ljust(512, b'\\0'))", lost=BAD, codes=(11,), fired=1),
    "shoots and exits": shots("say(shot()); sys.exit(0)", lost=T.LEFT, codes=(8, 11), fired=1),
    "shoots and crashes": shots("say(shot()); sys.exit(4)", lost=T.CRASH, codes=(8, 11), fired=1),
    "sends no shot after its first": shots(
        "say(shot()) if not fired else time.sleep(60)", lost=T.TIMEOUT, codes=(8,), fired=1, is_late=True
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "dialect"), list(zip(FINE, cycle("12"), strict=False)))
def test_players_that_are_in_order(name: str, dialect: str, tmp_path: Path) -> None:
    """However a program says it, an answer is an answer, and what it does at the end costs
    nothing."""
    record, sent = fight(tmp_path, 0, FINE[name], dialect=dialect)
    assert record.outcome.termination is T.FLEET_DESTROYED
    assert record.evidence == ()
    kinds = [json.loads(line)["mt"] for line in sent]
    assert kinds[:3] == [2, 3, 4]
    assert kinds[-2:] == ([10, 11] if dialect == "1" else [9, 10])
    assert [seat.dialect for seat in record.seats] == [dialect] * 2


@pytest.mark.parametrize(
    ("name", "place"), list(zip(WRONG, cycle(product("12", (0, 1))), strict=False)), ids=str
)
def test_players_that_are_not(name: str, place: tuple[str, int], tmp_path: Path) -> None:
    """A player that answers otherwise loses by it, in either dialect and from either seat, which
    take turns here; the innocent one is told that the match is over, and of no other end of the
    game."""
    odd, (dialect, seat) = WRONG[name], place
    record, sent = fight(tmp_path, seat, odd, dialect=dialect)
    outcome = record.outcome
    assert (outcome.loser, outcome.termination) == (seat, odd.lost), outcome.detail
    assert odd.why in outcome.detail
    assert logged_error(record, seat) in odd.codes
    assert logged_error(record, 1 - seat) == 0
    assert [one.seat for one in record.evidence] == [seat]
    own = [one for one in record.shots if one.seat == seat]
    assert len(own) == odd.fired
    kinds = [json.loads(line)["mt"] for line in sent]
    over = 11 if dialect == "1" else 10
    if odd.before_the_game:
        assert kinds == [2, over]
    else:
        assert kinds[:2] == [2, 3]
        assert kinds[-1] == over
        assert (10 if dialect == "1" else 9) not in kinds


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("judge.close(); time.sleep(60)", "closed its connection"),
        ("sys.exit(0)", "exited with status 0"),
        ("sys.exit(4)", "exited with status 4"),
    ],
)
def test_what_is_said_of_a_program_that_is_gone_when_it_is_asked(
    ends: str, said: str, tmp_path: Path
) -> None:
    """The sentence says that it had not been asked, and the code is that of a message that did not
    arrive. One that was paused while it went is asked first."""
    odd, slow = shots(f"say(shot()); {ends}"), shots("time.sleep(0.3); say(shot())")
    record, _ = fight(tmp_path, 0, odd, slow)
    told = (record.outcome.detail, logged_error(record, 0))
    assert told in ((f"{said} before it was asked", 8), (f"{said} {UNANSWERED}", 11))


STEPS: dict[str, tuple[Odd, Odd, int | None, tuple[int, int]]] = {
    # Of the first and the second seat, who loses (None: both), and the codes in the log.
    "garbage beats a wrong ship": (ships("say('bang')"), ships("say(ship(l, r=3))"), 0, (10, 0)),
    "silence beats garbage": (ships("say('bang')"), ships("time.sleep(60)"), 1, (0, 8)),
    "both wrong ships": (ships("say(ship(l, r=3))"), ships("say(ship(l + 1))"), None, (12, 12)),
    "both garbage": (shots("say('bang')"), shots("say('')  or say('1')"), None, (11, 11)),
    "an exit, and silence": (shots("sys.exit(0)"), shots("time.sleep(60)"), None, (11, 8)),
    "no connection beats a bad name": (Odd(start="sys.exit(0)"), hellos("say('bang')"), 0, (6, 0)),
    "a bad name, before any ship": (hellos("say('bang')"), ships("time.sleep(60)"), 0, (9, 0)),
}


@pytest.mark.parametrize("name", STEPS)
def test_both_fail(name: str, tmp_path: Path) -> None:
    """A step is judged in three stages: whether there is an answer, whether it can be read, whether
    the rules allow it. The first in which anyone fails decides alone; if both do, it is a tie."""
    one, other, loser, codes = STEPS[name]
    record, _ = fight(tmp_path, 0, one, other, dialect="2", timeout_ms=HURRIED_MS)
    expected = T.BOTH_FAILED if loser is None else record.outcome.termination
    assert (record.outcome.loser, record.outcome.termination) == (loser, expected)
    assert record.rated
    assert (logged_error(record, 0), logged_error(record, 1)) == codes
    failed = [0, 1] if loser is None else [loser]
    assert [one.seat for one in record.evidence] == failed


def test_both_have_their_time_from_the_question(tmp_path: Path) -> None:
    """Both answer late in their time at once, and neither loses; the time of each is its own."""
    late = shots("time.sleep(0.5) if not fired else None; say(shot())")
    record, _ = fight(tmp_path, 0, late, late, timeout_ms=800)
    assert record.outcome.termination is T.FLEET_DESTROYED
    first = [one.ms for one in record.shots[:2]]
    assert all(500 <= ms < 800 for ms in first)


@pytest.mark.parametrize("isolation", ["bwrap", "limits"])
@pytest.mark.parametrize("name", ["plays", "sends with sendmsg", "sends with write"])
def test_under_isolation(name: str, isolation: str, tmp_path: Path) -> None:
    """Programs play under every isolation level, whichever call they send with."""
    if isolation == "bwrap":
        isolation = strictest().name
    else:
        need("prlimit")
    record, _ = fight(tmp_path, 0, FINE[name], isolation=isolation, noted=False)
    assert record.outcome.termination is T.FLEET_DESTROYED


@pytest.mark.parametrize("isolation", ["bwrap", "limits"])
def test_a_strict_umask_keeps_no_program_from_its_socket(isolation: str, tmp_path: Path) -> None:
    """Programs that are nobody's reach the folder of their socket, where root's files are closed
    to others by themselves."""
    if isolation == "bwrap":
        isolation = strictest().name
    else:
        need("prlimit")
    before = os.umask(0o077)
    try:
        record, _ = fight(tmp_path, 0, FINE["plays"], isolation=isolation, noted=False)
    finally:
        os.umask(before)
    assert record.outcome.termination is T.FLEET_DESTROYED


def test_a_connection_that_the_machine_has_no_room_for_is_the_judges_fault(tmp_path: Path) -> None:
    """No program loses by it, and the fault says what there is too little of."""
    path = Odd().write(tmp_path / "odd.py", "1")
    (bot,) = find_all([f"{path}@contest/1"])
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with (
        Run(Conditions(rules=RULES, limits=Limits(timeout_ms=PATIENT_MS)), [bot]) as run,
        run.seat(bot, 0, 7) as player,
    ):
        player.tell(MatchStart(0, ("odd", "other"), RULES, 1))
        os.close(full := os.dup(0))  # the lowest number that is free
        resource.setrlimit(resource.RLIMIT_NOFILE, (full, before[1]))
        try:
            player.ask(AskName(), PATIENT_MS)
            with pytest.raises(LaunchFault, match="Too many open files"):
                player.answer()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


# Sockets


def belongs(path: Path, judge: int) -> bool:
    """Whether a socket lies in the folder that this judge has open, to hold its lock."""
    folder = path.parent.parent
    return any(
        fd.readlink() == folder for fd in Path(f"/proc/{judge}/fd").iterdir() if fd.is_symlink()
    )


def test_sockets_of_a_judge_that_was_killed_are_removed(tmp_path: Path) -> None:
    """The next judge removes the socket of one that was killed, and none of one that is alive."""
    silent = Odd(start="time.sleep(60)").write(tmp_path / "silent.py", "1")
    command = [sys.executable, "-m", "judge", "fight", f"{silent}@contest/1", f"{silent}@contest/1"]
    command += ["--rules", "contest-3", "--no-ledger", "--isolation", "none", "--timeout", "off"]
    scratch = Path(tempfile.mkdtemp(prefix="s-"))  # for the path of a socket is short
    environment = {**ENVIRONMENT, "TMPDIR": str(scratch)}

    def sockets() -> list[Path]:
        return [path for path in scratch.rglob("*") if path.is_socket()]

    with ExitStack() as ended:
        ended.callback(remove, scratch)
        judges = []
        for number in (1, 2):
            judge = subprocess.Popen(command, env=environment, start_new_session=True)
            judges.append(judge)
            ended.callback(judge.wait)
            ended.callback(judge.kill)
            while len(sockets()) < 2 * number:
                assert judge.poll() is None
                time.sleep(0.05)
        killed, alive = judges
        kept = {path for path in sockets() if belongs(path, alive.pid)}
        assert len(kept) == 2
        killed.kill()
        killed.wait()
        assert len(sockets()) == 4
        sweep(scratch)
        assert {*sockets()} == kept


STRANGER = """
import os, pathlib, signal, socket
signal.alarm(60)
os.setgroups([]); os.setgid(65533); os.setuid(65533)
print("begun", flush=True)
while True:
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\\0")
        except OSError:
            continue
        for path in (word for word in words if word.endswith(b"/battleships.socket")):
            with socket.socket(socket.AF_UNIX) as stranger:
                try:
                    stranger.connect(path)
                except PermissionError:
                    print("refused", flush=True)
                except OSError:
                    continue
                else:
                    print("connected", flush=True)
                raise SystemExit
"""


def test_another_user_takes_no_program_s_place(tmp_path: Path) -> None:
    """Another user of the machine, who sees the socket's path in the command of a program that is
    slow to connect, cannot connect, so as not to keep others from it, and the program plays."""
    as_root = () if os.geteuid() == 0 else (need("sudo"), "-n")  # who can be another user
    command = [*as_root, sys.executable, "-c", STRANGER]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as stranger:
        try:
            assert stranger.stdout is not None
            assert stranger.stdout.readline() == b"begun\n"
            record, _ = fight(tmp_path, 0, Odd(start="time.sleep(2)"), noted=False)
            assert stranger.stdout.readline() == b"refused\n"
        finally:
            stranger.kill()
    assert record.outcome.termination is T.FLEET_DESTROYED
