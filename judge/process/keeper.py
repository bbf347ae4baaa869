"""The keeper of one bot: started once for the games of a run, it starts each move anew.

This is a program for the inside of the sandbox, with a Python that need not be the judge's. It
imports nothing of the judge's and little of the standard library; it runs no line of the bot's,
and reads no request: each move's own process does, so that the keeper is the same after a move
as before. `judge.process.kept` is the other side, and this is one move::

    judge                     keeper                     (in bubblewrap, once a run)
      |                         | clone --> warden       (first of a pid namespace that is the
      |                         |              |          move's, and sleeps)
      |                         | fork ------- | -------> bot   (limits, no privileges)
      |                         |              |           |
      |  variables, an argument, a stdout and a stderr     |
      |--------------------------------------------------->| becomes the program (exec), or
      |                         |              |           | runs what is compiled (fork)
      |<---------------- ended: |<-------------------------x
      |      status, CPU, memory| kill ------->x   and with it the kernel ends all of the move
      |<----------------- gone -|<-------------|
      |                         | clone, fork ...

Two moves are ready at any time, each with a socket for its request: so the next one need not wait
until what the last one leaves has been cleared away, and the one after it made ready.

Without bubblewrap there are no namespaces, and no more is promised than that the bot's process
group ends: then the keeper says that the bot has ``exited``, and waits for leave to end it.

Messages are words in ASCII, one a packet: ``ready PEAK``, ``exited``, ``ended STATUS CPU PEAK``
(as waitpid has it; microseconds; KiB), ``gone``, ``failed ERRNO`` (the program could not be
executed), ``broken WHAT`` (nor could anything else). A request is what `marshal` makes of two: the
variables that come to the environment of this move, by name, and its argument.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal without its enumerations
import _socket
import ctypes
import marshal
import os
import resource
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

LONGEST = 2**18  # of a request; an argument is shorter by far more than a few variables

# From linux/sched.h, linux/mount.h, linux/prctl.h and linux/capability.h.
_SAME_MEMORY, _NEW_MOUNTS, _NEW_IPC = 0x100, 0x20000, 0x8000000
_NEW_PIDS, _NEW_NET = 0x20000000, 0x40000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE = 32, 4096, 16384
_SET_DUMPABLE, _DROP_BOUND, _AMBIENT, _CLEAR_ALL = 4, 24, 47, 4
_SET_PCAP, _SYS_CHROOT, _SYS_ADMIN = 8, 18, 21
_CAPABILITIES_3 = 0x20080522

_SIGKILL, _SIGPIPE, _SIGCHLD, _SIGXFSZ = 9, 13, 17, 25
_NOT_EXECUTED = 127
_STACK_BYTES = 16 * 2**10
_MOST_FILES = 10_000  # in a /tmp; a name takes memory that no size counts

_libc = ctypes.CDLL(None, use_errno=True)
_NO_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()


_STACK = ctypes.create_string_buffer(_STACK_BYTES)  # a warden's; no two wardens are awake


class Broken(Exception):
    """The machine does not do what the keeper needs of it."""


def main(plan: dict[str, Any], as_main: ModuleType | None) -> NoReturn:
    """Keep a bot until there are no more requests.

    ``plan`` has the descriptors ``requests``, to be read in turn, and ``answers``; ``command``,
    ``folder``, ``environment`` and ``limits`` of each move; ``scratch``, the size of its /tmp in
    bytes, or None if this is not inside bubblewrap; and ``is_filtered``, if what a move could do
    to queues and networks has no effect on others. With ``as_main``, the module of that name,
    the last word of the command is a Python program that is to be forked rather than executed.
    """
    answers, *requests = (_socket.socket(fileno=fd) for fd in (plan["answers"], *plan["requests"]))
    for socket in (answers, *requests):
        os.set_inheritable(socket.fileno(), False)
    status = 1
    try:
        Keeper(plan, as_main, answers).keep(requests)
        status = 0
    except (OSError, Broken) as error:
        _tell(answers, f"broken {error}")
    finally:
        os._exit(status)


class Move:
    """What is there of one move: its bot, and inside bubblewrap the first of its namespace."""

    def __init__(self, requests: _socket.socket) -> None:
        self.requests = requests
        self.bot = 0
        self.warden: int | None = None


class Keeper:
    """What all moves have in common."""

    def __init__(
        self,
        plan: dict[str, Any],
        as_main: ModuleType | None,
        answers: _socket.socket,
    ) -> None:
        self.plan = plan
        self.answers = answers
        self.is_inside = plan["scratch"] is not None
        self.as_main = as_main
        self.program: Any = None
        self.namespaces = _NEW_MOUNTS | _NEW_PIDS
        if not plan["is_filtered"]:
            self.namespaces |= _NEW_IPC | _NEW_NET
        self.home: list[int] = []  # the keeper's own namespaces, inside bubblewrap

    def keep(self, requests: list[_socket.socket]) -> None:
        """Have moves ready until nobody asks any more."""
        os.environ.pop("PWD", None)  # which bubblewrap adds
        for what, most in self.plan["limits"]:
            if what != resource.RLIMIT_CPU:  # each move has its own, and the keeper none
                _limit(what, most)  # here, to be inherited
        if self.as_main:
            *interpreter, path = self.plan["command"]
            os.chdir(self.plan["folder"])
            with _HalfTheMemory(self.plan["limits"]):
                self.program = self.as_main.compile_bot(path, interpreter)
            self.as_main.set_up(self.program)
        if not self.answers.recv(1):  # leave to begin
            return
        if self.is_inside:
            _go_in()
            self.home = [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("mnt", "pid")]
        _set_dumpable(False)
        _tell(self.answers, f"ready {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}")
        waiting = [self._start(turn) for turn in requests]
        while True:
            move = waiting.pop(0)
            self._wait_for_its_end(move)
            _, status, usage = os.wait4(move.bot, 0)
            micros = (usage.ru_utime + usage.ru_stime) * 1e6
            if not _tell(self.answers, f"ended {status} {micros:.0f} {usage.ru_maxrss}"):
                return
            if move.warden:
                os.kill(move.warden, _SIGKILL)
                os.waitpid(move.warden, 0)
            _tell(self.answers, "gone")
            waiting.append(self._start(move.requests))

    def _start(self, requests: _socket.socket) -> Move:
        """Have one more move ready.

        Whatever can be done here is not done by the bot's process: the kernel copies each page of
        memory to it that either of the two writes to.
        """
        move = Move(requests)
        if self.is_inside:
            _check(_libc.unshare(self.namespaces), "namespaces of its own")
            _furnish(self.plan["scratch"], self.plan["environment"]["TMPDIR"])
            move.warden = _start_warden()
        os.chdir(self.plan["folder"])
        move.bot = os.fork()
        if not move.bot:
            self._be_bot(requests)
        for fd in self.home:
            _check(_libc.setns(fd, 0), "namespaces that it does not see")
        return move

    def _wait_for_its_end(self, move: Move) -> None:
        """Wait until the bot has exited, or is to be ended: the judge says so in a byte.

        Without a namespace to end, it is the judge who says when its process group is ended. Its
        leader is not reaped yet, so that its number cannot have gone to anyone else.
        """
        exited, told = os.pidfd_open(move.bot), self.answers.fileno()
        poll = select.poll()
        for fd in (exited, told):
            poll.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poll.poll()]
        os.close(exited)
        if self.is_inside and exited in ready:
            return
        if exited in ready:
            _tell(self.answers, "exited")
        self.answers.recv(1)
        for end in (os.kill,) if self.is_inside else (os.kill, os.killpg):
            try:
                end(move.bot, _SIGKILL)
            except ProcessLookupError:
                pass  # it has no group of its own yet

    def _be_bot(self, requests: _socket.socket) -> NoReturn:
        """Give up everything, wait to be asked, and become the bot."""
        status = 1
        try:
            os.setsid()
            _set_dumpable(True)  # which also lets a user write to its own files in /proc
            score = None
            if self.is_inside:
                score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
                _mount("proc", "/proc", "proc", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC)
                _check(_libc.capset(*_NO_CAPABILITIES), "no privileges")
            stdin, nobody = os.pipe()  # at its end, and no file that a bot could change
            os.close(nobody)
            os.dup2(stdin, 0)
            if cpu_seconds := dict(self.plan["limits"]).get(resource.RLIMIT_CPU):
                _limit(resource.RLIMIT_CPU, cpu_seconds)
            if self.as_main:
                self.as_main.run(self.program, lambda: _wait_as_main(requests, score))
            self._execute(*_wait_for_request(requests, score))
            status = _NOT_EXECUTED
        except (OSError, Broken) as error:
            _tell(self.answers, f"broken {error}")
        finally:
            os._exit(status)

    def _execute(self, variables: dict[str, str], argument: str) -> None:
        command = [*self.plan["command"], argument]
        environment = {**self.plan["environment"], **variables}
        for number in (_SIGPIPE, _SIGXFSZ):  # which Python ignores, and exec would keep so
            _libc.signal(number, None)
        try:
            os.execvpe(command[0], command, environment)  # noqa: S606 - as is meant
        except OSError as error:
            _tell(self.answers, f"failed {error.errno}")


def _wait_as_main(requests: _socket.socket, score: int | None) -> list[str]:
    """The arguments of a program that is forked, once its environment has this move's variables."""
    variables, argument = _wait_for_request(requests, score)
    os.environ.update(variables)
    return [argument]


def _wait_for_request(requests: _socket.socket, score: int | None) -> tuple[dict[str, str], str]:
    """The variables and the argument of this move; its pipes take the place of the keeper's.

    From now on it is the first that the kernel ends where memory is short: before the keeper, and
    before the move that is ready after this one.
    """
    size = _socket.CMSG_SPACE(8)
    request, passed, _, _ = requests.recvmsg(LONGEST, size, _socket.MSG_CMSG_CLOEXEC)
    if not passed:
        os._exit(1)  # the judge is done
    if score is not None:
        os.write(score, b"1000")
    for place, fd in enumerate(memoryview(passed[0][2]).cast("i"), 1):
        os.dup2(fd, place)
    variables, argument = marshal.loads(request)  # noqa: S302 - it is the judge's
    return variables, argument


def _start_warden() -> int:
    """Start the first process of a pid namespace, with which all in there will end; its number.

    It sleeps, and nothing in there can wake it: neither signals, which it has blocked, nor a
    debugger, which would need privileges. So it may share the keeper's memory: with a copy of
    that, as by fork, it would take longer than many a move. It is no thread of the keeper's: its
    limits, which a bot may set, are its own.
    """
    before = _signal.pthread_sigmask(_signal.SIG_SETMASK, _signal.valid_signals())
    top = ctypes.c_void_p(ctypes.addressof(_STACK) + _STACK_BYTES)
    warden = _libc.clone(_libc.pause, top, _SAME_MEMORY | _SIGCHLD, None)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
    _check(warden, "a first process")
    return int(warden)


def _go_in() -> None:
    """Become the first process of namespaces in which this process may mount and set limits.

    Those of bubblewrap belong to a user namespace around this one.
    """
    _check(_libc.unshare(_NEW_MOUNTS | _NEW_PIDS), "namespaces of the keeper's own")
    if keeper := os.fork():
        os.waitpid(keeper, 0)
        os._exit(0)
    _check(_libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0), "no privileges")
    for capability in (_SYS_ADMIN, _SYS_CHROOT, _SET_PCAP):  # what bubblewrap has left to it
        _check(_libc.prctl(_DROP_BOUND, capability, 0, 0, 0), "no privileges")
    for device in os.listdir("/dev"):
        path = f"/dev/{device}"
        if not os.path.islink(path):
            # So that nobody can leave a note in its times, or take it from others.
            flags = _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_EXEC
            _mount(None, path, None, flags)


def _furnish(most_bytes: int, scratch: str) -> None:
    """Make everything new in which a move could leave something for the next, or see another.

    What bubblewrap shows below /tmp is shown in the new one, too; ``scratch`` is then deeper.
    """
    flags = os.O_PATH | os.O_NOFOLLOW
    shown = [(name, os.open(f"/tmp/{name}", flags)) for name in os.listdir("/tmp")]
    _mount(
        "tmpfs",
        "/tmp",
        "tmpfs",
        _NO_SUID | _NO_DEVICES,
        f"size={most_bytes},nr_inodes={_MOST_FILES},mode=0700",
    )
    for name, fd in shown:
        _show(fd, f"/tmp/{name}")
    os.makedirs(scratch, 0o700, exist_ok=True)


def _show(fd: int, path: str) -> None:
    """Show there what is open, a folder with all that is mounted in it, a file or a link."""
    there = f"/proc/self/fd/{fd}"
    try:
        os.symlink(os.readlink("", dir_fd=fd), path)
    except OSError:
        if os.path.isdir(there):
            os.mkdir(path)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC))
        _mount(there, path, None, _BIND | _RECURSIVE)
    os.close(fd)


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (allowed, allowed))


class _HalfTheMemory:
    """For what grows with the bot's size, so that it cannot end the keeper for want of memory."""

    def __init__(self, limits: list[tuple[int, int]]) -> None:
        self.before = resource.getrlimit(resource.RLIMIT_DATA)
        self.most = dict(limits).get(resource.RLIMIT_DATA)

    def __enter__(self) -> None:
        if self.most is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self.most // 2, self.before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, self.before)


def _set_dumpable(yes: bool) -> None:
    """Let processes of the same user look into this one, or not."""
    _check(_libc.prctl(_SET_DUMPABLE, int(yes), 0, 0, 0), "its own memory to itself")


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    words = (source and source.encode(), target.encode(), kind and kind.encode())
    _check(_libc.mount(*words, ctypes.c_ulong(flags), data.encode()), f"{target} anew")


def _check(result: int, what: str) -> None:
    if result < 0:
        raise Broken(f"a bot could not have {what}: {os.strerror(ctypes.get_errno())}")


def _tell(answers: _socket.socket, message: str) -> bool:
    """False if there is nobody to be told."""
    try:
        answers.send(message.encode("ascii", "backslashreplace"))
    except OSError:
        return False
    return True
