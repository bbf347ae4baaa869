"""System calls of the fork server: namespaces, mounts, limits, the ends of processes.

This runs inside, as `judge.process.sandbox.fork_server` does, and imports nothing of the judge's.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select

# From linux/sched.h, linux/mount.h, linux/prctl.h and linux/capability.h.
_SAME_MEMORY, _SAME_FILES, _UNTIL_ITS_END = 0x100, 0x400, 0x4000
_NEW_MOUNTS, _NEW_IPC = 0x20000, 0x8000000
_NEW_PIDS, _NEW_NET, _NEW_CGROUP = 0x20000000, 0x40000000, 0x2000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE = 32, 4096, 16384
_DETACH = 2
_SET_PARENTS_DEATH, _SET_DUMPABLE, _KEEP_CAPABILITIES = 1, 4, 8
_DROP_BOUND, _AMBIENT, _CLEAR_ALL = 24, 47, 4
_SET_GID, _SET_UID, _SET_PCAP, _SYS_CHROOT, _SYS_ADMIN, _SYS_RESOURCE = 6, 7, 8, 18, 21, 24
_CAPABILITIES_3 = 0x20080522

OF_A_GAME = _NEW_MOUNTS | _NEW_PIDS
ALL_KINDS = 0x40000000  # an option of wait4(2): children, whatever signal their ends send

SIGKILL, SIGCONT, SIGSTOP = 9, 18, 19
_SIGPIPE, _SIGCHLD, _SIGXFSZ = 13, 17, 25
_STACK_BYTES = 32 * 2**10  # bytes, with room for the linker's look-up of a function
_MOST_FILES = 10_000  # files in a /tmp; names take memory that its size does not count

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fopen.restype = ctypes.c_void_p
# What a name is looked up in is written to at the first time, and by a fork in a page of its own.
_capset, _clone, _mount = _libc.capset, _libc.clone, _libc.mount
_prctl, _setns = _libc.prctl, _libc.setns
_fflush, _fputs, _rewind = _libc.fflush, _libc.fputs, _libc.rewind
_purge = _libc["__fpurge"]
_sigprocmask, _unshare = _libc.sigprocmask, _libc.unshare
_SET_MASK = 2  # of signals, which 128 bytes hold
_NO_SIGNAL, _ALL_SIGNALS = (
    ctypes.create_string_buffer(byte * 128, 128) for byte in (b"\0", b"\xff")
)
_SHOWN = ctypes.c_ulong(_BIND | _RECURSIVE)
_PROC = (
    *(b"proc", b"/proc", b"proc"),
    ctypes.c_ulong(_READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC),
)
_NO_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
_KEPT = (
    _SYS_ADMIN,
    _SYS_CHROOT,
    _SET_PCAP,
)  # capabilities that the fork server keeps, to make namespaces

_STACK = ctypes.create_string_buffer(_STACK_BYTES)  # an init's; no two inits are awake
_WRITERS_STACK = ctypes.create_string_buffer(_STACK_BYTES)
_INITS_TOP, _WRITERS_TOP = (
    ctypes.c_void_p(ctypes.addressof(stack) + _STACK_BYTES) for stack in (_STACK, _WRITERS_STACK)
)


class Broken(Exception):
    """The machine does not do what the fork server needs of it."""


def namespaces_of_a_move(*, is_filtered: bool) -> int:
    """The namespaces that each move has of its own, as flags of clone(2).

    ``is_filtered`` says that a filter refuses queues and networks, which then need none.
    """
    kinds = _NEW_MOUNTS | _NEW_PIDS
    return kinds if is_filtered else kinds | _NEW_IPC | _NEW_NET


def enter_new(namespaces: int) -> None:
    """Move this process into new namespaces; of processes, only its children."""
    _check(_unshare(namespaces), "namespaces of its own")


def own_namespaces() -> list[int]:
    """Descriptors of this process's mounts and processes, for `return_to`."""
    return [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("mnt", "pid")]


def return_to(namespaces: list[int]) -> None:
    for fd in namespaces:
        _check(_setns(fd, 0), "namespaces that it does not see")


class LastNumber:
    """The number of the process that was started last in a pid namespace; the next ones follow it.

    If the kernel was built without a way to set it, or has no such number, processes get others.
    """

    def __init__(self) -> None:
        opened = _libc.fopen(b"/proc/sys/kernel/ns_last_pid", b"we")
        self._file = None if opened is None else ctypes.c_void_p(opened)

    def begin_anew(self) -> None:
        """Number this process's children from the start again, so that numbers do not count what
        was forked."""
        if self._file:
            self._put(2)
            _fflush(self._file)

    def set_next(self, number: int) -> None:
        """Have the next process in the new pid namespace get this number; its first process is
        there.

        Only a process in that namespace can say so to the kernel. That one shares this process's
        memory and files, as `start_init`'s does, and runs one function of C.
        """
        if self._file:
            self._put(number)
            flags = _SAME_MEMORY | _SAME_FILES | _UNTIL_ITS_END | _SIGCHLD
            writer = _clone(_fflush, _WRITERS_TOP, flags, self._file)
            _check(writer, "a number")
            os.waitpid(writer, 0)

    def _put(self, number: int) -> None:
        _purge(self._file)  # of a number that was refused
        _rewind(self._file)
        _fputs(b"%d" % (number - 1), self._file)


def start_init() -> int:
    """Start the first process of a pid namespace, with which all in there will end; its number.

    It sleeps, and nothing in there can wake it: neither signals, which it has blocked, nor a
    debugger, which would need privileges. So it may share the fork server's memory: with a copy of
    that, as by fork, it would take longer than many a move. It is not a thread of the fork server's:
    its limits, which a bot may set, are its own.
    """
    _sigprocmask(_SET_MASK, _ALL_SIGNALS, None)
    init = _clone(_libc.pause, _INITS_TOP, _SAME_MEMORY | _SIGCHLD, None)
    _sigprocmask(_SET_MASK, _NO_SIGNAL, None)
    _check(init, "a first process")
    return int(init)


def become(user: int) -> None:
    """Have this process be that user's and group's, outside as well; it is root's until then.

    It keeps what it needs to make namespaces, but nobody can make a user namespace any more.
    """
    with open("/proc/sys/user/max_user_namespaces", "w") as most:
        most.write("0")
    os.setgroups([])
    _check(_prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0), "the fork server's privileges")
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    kept = sum(1 << capability for capability in _KEPT)
    header, none = _NO_CAPABILITIES
    _check(_capset(header, type(none)(kept, kept)), "the fork server's privileges")
    _drop_bound(_SET_UID, _SET_GID, _SYS_RESOURCE)
    end_with_parent(0)  # the kernel forgets this when the user changes


def go_in() -> None:
    """Become the first process of namespaces in which this process may mount and set limits.

    Those of bubblewrap belong to a namespace around this one. The control group that this process
    is in by now is the outermost that a bot sees, so that it does not read what that is called.
    """
    _check(_unshare(OF_A_GAME | _NEW_CGROUP), "namespaces of the fork server's own")
    if server := os.fork():
        os.waitpid(server, 0)
        os._exit(0)
    _check(_prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0), "no privileges")
    _drop_bound(*_KEPT)
    for device in os.listdir("/dev"):
        path = f"/dev/{device}"
        if not os.path.islink(path):
            # So that nobody can leave a note in its times, or take it from others.
            flags = _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_EXEC
            _mount_there(None, path, None, flags)


def _drop_bound(*capabilities: int) -> None:
    """See that no program can be given these any more."""
    for capability in capabilities:
        _check(_prctl(_DROP_BOUND, capability, 0, 0, 0), "no privileges")


class Furniture:
    """The contents of each move's /tmp, as bubblewrap shows it there, and an empty folder
    ``scratch``, which is /tmp itself if nothing is shown. All that it has takes ``most_bytes`` at
    most."""

    def __init__(self, most_bytes: int, scratch: str) -> None:
        self._scratch = scratch
        options = f"size={most_bytes},nr_inodes={_MOST_FILES},mode=0700".encode()
        flags = ctypes.c_ulong(_NO_SUID | _NO_DEVICES)
        self._tmpfs = (b"tmpfs", b"/tmp", b"tmpfs", flags, options)
        paths = [f"/tmp/{name}" for name in os.listdir("/tmp")]
        self._links = [(path, os.readlink(path)) for path in paths if os.path.islink(path)]
        self._shown = [
            (path, os.fsencode(path), os.path.isdir(path))
            for path in paths
            if not os.path.islink(path)
        ]

    def put(self) -> None:
        """Make everything new in which a move could leave something for the next, or see another."""
        opened = [os.open(path, os.O_PATH | os.O_NOFOLLOW) for path, _, _ in self._shown]
        _check(_mount(*self._tmpfs), "/tmp anew")
        for path, target in self._links:
            os.symlink(target, path)
        for fd, (path, place, is_folder) in zip(opened, self._shown):  # noqa: B905 - one for each
            if is_folder:
                os.mkdir(path)
            else:
                os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC))
            _check(_mount(b"/proc/self/fd/%d" % fd, place, None, _SHOWN, None), "/tmp anew")
            os.close(fd)
        if self._scratch != "/tmp":
            os.mkdir(self._scratch, 0o700)


def show_own_processes() -> None:
    """Mount a /proc that shows the pid namespace of this process.

    And nothing else: what the kernel counts there for the whole machine, a move could leave notes
    in for the next. A kernel before Linux 5.8 shows that all the same.
    """
    if _mount(*_PROC, b"subset=pid") < 0:
        _check(_mount(*_PROC, b""), "/proc anew")


def mount_memory(path: str, most_bytes: int, most_files: int) -> None:
    """Mount an empty folder in memory."""
    options = f"size={most_bytes},nr_inodes={most_files},mode=0755"
    _mount_there("tmpfs", path, "tmpfs", _NO_SUID | _NO_DEVICES, options)


def shut(path: str) -> None:
    """Have nothing written any more to the file system that is mounted there."""
    _mount_there(None, path, None, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def show_there(path: bytes, place: bytes) -> None:
    """Have a file or folder stand at another place, too, where there is one already."""
    _mount_there(path, place, None, _BIND)


def hide(place: bytes) -> None:
    """Take away what was mounted there last."""
    _check(_libc.umount2(place, _DETACH), "its files anew")


def drop_privileges() -> None:
    _check(_capset(*_NO_CAPABILITIES), "no privileges")


def limit(what: int, most: int) -> None:
    """Set a limit of `resource`'s for this process and its children, or leave a lower one."""
    allowed = at_most(what, most)
    resource.setrlimit(what, (allowed, allowed))


def at_most(what: int, most: int) -> int:
    """That limit, or the lower one that this process is held to."""
    _, hard = resource.getrlimit(what)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


class LessMemory:
    """A lower limit on memory for a while, so that want of it ends an import, and not the fork
    server."""

    def __init__(self, most: int) -> None:
        self.before = resource.getrlimit(resource.RLIMIT_DATA)
        self.most = at_most(resource.RLIMIT_DATA, most)

    def __enter__(self) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (self.most, self.before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, self.before)


def set_dumpable(yes: bool) -> None:
    """Let processes of the same user look into this one, or not."""
    _check(_prctl(_SET_DUMPABLE, int(yes), 0, 0, 0), "its own memory to itself")


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends.

    ``parent`` is the number of the process that the caller was forked from, as it was then.
    """
    _check(_prctl(_SET_PARENTS_DEATH, SIGKILL, 0, 0, 0), "an end with the fork server")
    if os.getppid() not in (parent, 0):  # 0: it lies in another pid namespace
        os._exit(1)


def signal_others(number: int) -> None:
    """Send a signal to all other processes of this namespace and of those in it, at one instant.

    Raises `Broken` outside of a namespace of its own, where that would be everybody.
    """
    if os.getpid() != 1:
        raise Broken("a bot could not have a namespace of its own to be stopped in")
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass  # no other process exists


def has_exited(process: int, seconds: float, unless_gone: int) -> bool:
    """Wait for a child to exit, for so long at most, and no longer than the other end of this
    socket is there."""
    exited = os.pidfd_open(process)
    poll = select.poll()
    poll.register(exited, select.POLLIN)
    poll.register(unless_gone, 0)  # it is told of all the same when it hangs up
    ready = [fd for fd, _ in poll.poll(seconds * 1000)]
    os.close(exited)
    return exited in ready


def restore_signals() -> None:
    """Undo what Python ignores, which a program that is executed would keep."""
    for number in (_SIGPIPE, _SIGXFSZ):
        _libc.signal(number, None)


def _mount_there(
    source: str | bytes | None, target: str | bytes, kind: str | None, flags: int, data: str = ""
) -> None:
    words = (source and os.fsencode(source), os.fsencode(target), kind and kind.encode())
    done = _mount(*words, ctypes.c_ulong(flags), data.encode())
    _check(done, f"{os.fsdecode(target)} anew")


def _check(result: int, what: str) -> None:
    if result < 0:
        raise Broken(f"a bot could not have {what}: {os.strerror(ctypes.get_errno())}")
