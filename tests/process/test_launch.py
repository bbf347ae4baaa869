"""Runs of real programs: how they end, what is kept of them, and that nothing is left."""

from __future__ import annotations

import os
import select
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from bot_files import script
from changes import replace
from child_processes import children, is_running
from judge.documents.game import Limits
from judge.errors import BotError, Interrupted, JudgeFault, LaunchFault
from judge.process.bots.bot import Bot
from judge.process.bots.interpreters import Interpreters
from judge.process.run.launch import ProcessRun, Start
from judge.process.run.listening import RunEnd, Stop, read_now
from judge.process.run.streams import Streams
from judge.process.sandbox.bwrap import Bubblewrap
from judge.process.sandbox.isolation import Isolation, Unlimited
from launching import PATIENT, run
from needs import held_by, need

SECOND = Limits(timeout_ms=1000)
PATH = Interpreters.of(None).path


def sh(script: str, limits: Limits = PATIENT, isolation: Isolation | None = None) -> ProcessRun:
    return launch(("/bin/sh", "-c", script), limits, isolation or Unlimited())


def launch(
    argv: tuple[str, ...], limits: Limits, isolation: Isolation, stop: Stop | None = None
) -> ProcessRun:
    folder = Path("/")
    bot = Bot("bot", argv[:-1], folder, (), digest="", size=0, path=PATH)
    environment = {"PATH": bot.path, "WORD": "hello"}
    with (
        closing(stop or Stop()) as stopping,
        closing(isolation.launcher(Start(bot, environment, limits), stopping)) as launcher,
    ):
        return launcher.run(argv[-1])


@pytest.fixture(params=["none", "limits", "bwrap"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    return held_by(request.param)


@pytest.fixture(params=["none", "limits"])
def open_isolation(request: pytest.FixtureRequest) -> Isolation:
    """One under which a program can write where the test looks."""
    return held_by(request.param)


def test_a_run_is_told_in_full(isolation: Isolation) -> None:
    """The output of a program on both pipes, and the way it exits, is kept apart and whole."""
    done = sh("echo out; echo err >&2; exit 7", isolation=isolation)
    assert (done.stdout, done.stderr, done.status) == (b"out\n", b"err\n", 7)
    assert done.ended is RunEnd.BY_ITSELF
    assert done.argv == ("/bin/sh", "-c", "echo out; echo err >&2; exit 7")


def test_the_environment_and_the_folder_are_those_asked_for(isolation: Isolation) -> None:
    """A program gets the whole environment that it is given, its scratch folder twice, and
    nothing of the judge's.
    """
    done = launch((need("env"), "-u", "NOTHING"), PATIENT, isolation)
    lines = dict(line.split("=", 1) for line in done.stdout.decode().splitlines())
    assert lines.pop("HOME") == lines.pop("TMPDIR")
    assert lines == {"PATH": PATH, "WORD": "hello"}
    assert sh("pwd", isolation=isolation).stdout == b"/\n"


def test_stdin_is_empty(isolation: Isolation) -> None:
    """A program that reads its stdin finds the end of it at once."""
    assert sh("wc -c", isolation=isolation).stdout.strip() == b"0"


def test_a_signal_is_told_as_such(isolation: Isolation) -> None:
    """A program that a signal ends has minus that signal's number for a status."""
    assert sh("kill -SEGV $$", isolation=isolation).status == -11
    assert sh("exit 139", isolation=isolation).status == 139


def test_the_deadline_ends_it(isolation: Isolation) -> None:
    """A program that is not done in time is killed, and its words until then are kept."""
    done = sh("echo early; sleep 1000; echo late", SECOND, isolation)
    assert (done.ended, done.stdout, done.status) == (RunEnd.TIMED_OUT, b"early\n", -9)


def test_a_flood_is_cut_at_the_limit(isolation: Isolation) -> None:
    """The judge reads hardly more of an endless reply than it would have taken."""
    done = sh("exec cat /dev/zero", isolation=isolation)
    assert done.ended is RunEnd.FLOODED
    assert done.stdout == bytes(PATIENT.output_bytes)


def test_output_at_the_limit_is_no_flood(isolation: Isolation) -> None:
    """Exactly the limit is allowed."""
    done = sh(f"head -c {PATIENT.output_bytes} /dev/zero", isolation=isolation)
    assert (done.ended, len(done.stdout)) == (RunEnd.BY_ITSELF, PATIENT.output_bytes)


def test_stderr_is_drained_and_kept_at_both_ends(isolation: Isolation) -> None:
    """However much a program complains, its first and last 32 KiB are what is kept."""
    done = sh("echo first >&2; yes | head -c 5000000 >&2; echo last >&2", isolation=isolation)
    assert done.ended is RunEnd.BY_ITSELF
    assert done.stderr.startswith(b"first\n")
    assert done.stderr.endswith(b"last\n")
    left_out = len(b"first\n") + 5_000_000 + len(b"last\n") - 2 * 32 * 1024
    assert f"… {left_out} bytes left out …".encode() in done.stderr
    assert len(done.stderr) < 66 * 1024


def test_a_child_that_holds_the_pipe_is_killed(open_isolation: Isolation, tmp_path: Path) -> None:
    """After a timely exit what was read stands, and the rest of the group is dead."""
    pid_file = tmp_path / "pid"
    done = sh(f"sleep 1000 & echo $! > {pid_file}; echo reply", isolation=open_isolation)
    assert (done.ended, done.stdout, done.status) == (RunEnd.BY_ITSELF, b"reply\n", 0)
    pid = int(pid_file.read_text())
    while is_running(pid):  # it has been killed, and now has to die
        os.sched_yield()


def test_stopping_ends_it_at_once(isolation: Isolation) -> None:
    """A run that is stopped raises, blames nobody, and leaves nothing behind."""
    stop = Stop()
    before = children()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Interrupted):
        launch(("/bin/sleep", "1000"), PATIENT, isolation, stop)
    assert children() <= before


def test_a_missing_program_is_its_own_fault() -> None:
    """A program that is not there could not be started, and its run says why."""
    done = launch(("/no-such-program", "x"), PATIENT, Unlimited())
    assert (done.ended, done.status) == (RunEnd.NOT_STARTED, 127)
    assert done.stderr == b"/no-such-program: No such file or directory"


def test_a_missing_judges_program_is_the_judges_fault() -> None:
    """A program that the judge puts before a bot's command is the judge's, and so is its being
    gone."""
    with pytest.raises(LaunchFault, match="no-such-prefix"):
        run("/bin/true", "", prefix=("/no-such-prefix",))


def test_a_judge_that_grows_convicts_nobody(tmp_path: Path) -> None:
    """A child is counted from its parent's size; the parent's, however it grows, is not held
    against it."""
    assert in_a_judge_of_its_own(GROWING).split() == ["None"] * 5


def test_a_judge_that_was_held_up_looks_once_more() -> None:
    """Who was done in time is not blamed for a judge that was stopped until after the deadline."""
    assert in_a_judge_of_its_own(HELD_UP) == "BY_ITSELF\n"


GROWING = """
import threading
from launching import PATIENT, run

hoard = []
grow = threading.Thread(target=lambda: hoard.extend(bytes(1000) * 1000 for _ in range(60)))
for number in range(5):
    if number == 1:
        grow.start()
    print(run("/bin/true", "").peak_kib)
grow.join()
"""

HELD_UP = """
import os
from judge.documents.game import Limits
from launching import PATIENT, run

# The bot stops its judge and is done, and leaves behind who wakes it long after the deadline.
done = run(
    "/bin/sh", "-c", f"setsid sh -c 'sleep 1; kill -CONT {os.getpid()}' >/dev/null 2>&1 & kill -STOP {os.getpid()}; echo done",
    environment={"PATH": os.environ["PATH"]}, limits=Limits(timeout_ms=300),
)
print(done.ended.name)
"""

STARVING = """
import os, resource, sys
from judge.errors import LaunchFault
from launching import PATIENT, run

run("/bin/true", "")  # which has its folder made
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = [os.open("/dev/null", os.O_RDONLY) for _ in range(64 - 1 - len(os.listdir("/proc/self/fd")))]
for spare in range(15):
    try:
        run("/bin/true", "")
        print("ran")
    except LaunchFault:
        print("fault")
    try:
        os.waitpid(-1, os.WNOHANG)
        print("left a child")
    except ChildProcessError:
        os.close(held.pop())
"""


def test_a_machine_without_descriptors_is_the_judges_fault() -> None:
    """No bot is blamed and no child is left if the judge itself has no descriptor left."""
    said = in_a_judge_of_its_own(STARVING).split()
    assert sorted(set(said)) == ["fault", "ran"]
    assert said == sorted(said), "once there are enough, there are enough"


HUNGRY = "x = bytearray(150_000_000); x[::4096] = b'x' * len(x[::4096]); sum(range(10**6))"
ACCOUNTING = f"""
import sys
from judge.documents.game import Limits
from launching import PATIENT, run

done = run(sys.executable, "-c", {HUNGRY!r}, limits=Limits(timeout_ms=30_000))
print(done.status, int(done.cpu_ms), done.peak_kib)
"""


def test_cpu_and_memory_are_accounted_for() -> None:
    """CPU time is that of the program, and memory is told where it can be told: by a judge of
    its usual size, which is not that of a worker that has run other tests."""
    status, cpu_ms, peak_kib = in_a_judge_of_its_own(ACCOUNTING).split()
    assert status == "0"
    assert 5 < int(cpu_ms) < 30_000
    assert 140_000 < int(peak_kib) < 400_000


def in_a_judge_of_its_own(program: str) -> str:
    root = Path(__file__).parents[2]
    program = f"import sys; sys.path[:0] = {[str(root), str(root / 'tests/support')]}\n{program}"
    # By way of a small shell, for the size of this very process is passed on to its children.
    small = ("/bin/sh", "-c", '"$0" "$@"; exit $?', sys.executable, "-c", program)
    done = launch(small, PATIENT, Unlimited())
    assert done.status == 0, done.stderr.decode()
    return done.stdout.decode()


def test_memory_below_the_judges_own_is_not_told() -> None:
    """The kernel counts a child from its parent's size, so a small one's cannot be told."""
    assert sh("exit 0").peak_kib is None


@pytest.mark.parametrize("name", ["limits", "bwrap"])
def test_limits_are_in_force_from_the_first_instruction(name: str) -> None:
    """A program is born with its limits; there is no moment without them."""
    limits = Limits(timeout_ms=1500, memory_bytes=2 * 2**30)
    script = "ulimit -d; ulimit -t; ulimit -c; ulimit -f"
    isolation = held_by(name)
    said = sh(script, limits, isolation).stdout.split()
    is_grouped = any(one.startswith("memory: cgroup") for one in isolation.enforcement)
    assert said == [
        b"unlimited" if is_grouped else b"%d" % (8 * 2**20),
        b"%d" % (3 * (os.cpu_count() or 1)),
        b"0",
        str(16 * 2**20 // 512).encode(),
    ]


FIRST_TO_GO = "until grep -qx 1000 /proc/self/oom_score_adj; do sleep 0.01; done; echo first"


@pytest.mark.parametrize("name", ["limits", "bwrap"])
def test_the_kernel_ends_a_bot_before_the_judge(name: str) -> None:
    """A program of a bot's is the first to go if the machine is short of memory; so is one that
    lives on."""
    held = held_by(name)
    assert sh(FIRST_TO_GO, Limits(timeout_ms=10_000), held).stdout == b"first\n"
    bot = Bot("bot", ("/bin/sh", "-c", FIRST_TO_GO), Path("/"), (), digest="", size=0, path=PATH)
    with closing(Stop()) as stop:
        start = Start(bot, {"PATH": PATH}, PATIENT, life_seconds=60)
        with closing(held.launcher(start, stop)) as launcher:
            living = launcher.start({})
            ready, _, _ = select.select([living.streams.stdout], [], [], 10)
            living.end()
    assert ready


def test_under_bwrap_small_children_are_accounted_for_too() -> None:
    """The time of a program and of what it waited for reaches the judge through bwrap."""
    work = f"{sys.executable} -c 'sum(range(3 * 10**6))'; true"
    assert sh(work, isolation=held_by("bwrap")).cpu_ms > 30


def test_what_keeps_bwrap_from_starting_costs_no_bot(tmp_path: Path) -> None:
    """The judge has failed if bwrap fails before the bot has run, whatever was said."""
    held = held_by("bwrap")
    assert isinstance(held, Bubblewrap)
    broken = tmp_path / "bwrap"
    for added, said in (
        ("--nonsense", "Unknown option --nonsense"),
        ("--ro-bind /no/such/folder /x", "Can't find source path /no/such/folder"),
    ):
        script(broken, f'exec {held.program} {added} "$@"')
        with pytest.raises(LaunchFault, match=f"could not hold /bin/true: .*{said}"):
            launch(("/bin/true", "x"), PATIENT, replace(held, program=str(broken)))


def test_no_descriptor_of_the_judge_is_open_in_a_bot(isolation: Isolation) -> None:
    """A program starts with its three standard descriptors and no other."""
    done = sh("ls /proc/self/fd | wc -l", isolation=isolation)
    assert int(done.stdout) == 4, "0, 1, 2 and the listing's own"


def test_a_bot_has_no_terminal(isolation: Isolation) -> None:
    """A program runs in a session of its own, so that it cannot write to the user's terminal."""
    assert sh("echo x > /dev/tty", isolation=isolation).status != 0


def test_faults_and_crashes_share_no_base() -> None:
    """No `except BotError` can catch a fault of the judge."""
    assert not issubclass(LaunchFault, BotError)
    assert not issubclass(BotError, JudgeFault)


def test_our_ends_of_a_programs_pipes_never_block() -> None:
    """A poll may say that there is something, and the program take it back before we read."""
    with closing(Streams()) as streams:
        for ours in (streams.stdin, streams.stdout, streams.stderr):
            assert not os.get_blocking(ours)
        assert all(map(os.get_blocking, streams.theirs))
        assert read_now(streams.stdout) is None
        streams.hand_over()
        assert read_now(streams.stdout) == b""
