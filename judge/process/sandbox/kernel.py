"""System calls of the fork server: namespaces, mounts, limits, and ends of processes.

This file runs inside of the sandbox, like `judge.process.sandbox.fork_server`, and imports nothing
of the judge's.
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
ALL_KINDS = 0x40000000  # the option __WALL of wait4(2): children of all kinds

SIGKILL, SIGCONT, SIGSTOP = 9, 18, 19
_SIGPIPE, _SIGCHLD, _SIGXFSZ = 13, 17, 25
_STACK_BYTES = 32 * 2**10  # bytes, with room for the linker's look-up of a function
_MOST_FILES = 10_000  # files in a move's /tmp; the size of /tmp does not count their names

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fopen.restype = ctypes.c_void_p
# The functions are looked up here: a first look-up in a fork would write to memory, which the
# kernel would copy.
_capset, _clone, _mount = _libc.capset, _libc.clone, _libc.mount
_prctl, _setns = _libc.prctl, _libc.setns
_fflush, _fputs, _rewind = _libc.fflush, _libc.fputs, _libc.rewind
_purge = _libc["__fpurge"]
_sigprocmask, _unshare = _libc.sigprocmask, _libc.unshare
_SET_MASK = 2  # SIG_SETMASK; a mask has 128 bytes
_NO_SIGNAL, _ALL_SIGNALS = (
    ctypes.create_string_buffer(byte * 128, 128) for byte in (b"\0", b"\xff")
)
_SHOWN = ctypes.c_ulong(_BIND | _RECURSIVE)
_PROC = (
    *(b"proc", b"/proc", b"proc"),
    ctypes.c_ulong(_READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC),
)
_NO_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
# The capabilities that the fork server keeps, to make namespaces.
_KEPT = (_SYS_ADMIN, _SYS_CHROOT, _SET_PCAP)

_STACK = ctypes.create_string_buffer(_STACK_BYTES)  # the stack of all inits, which sleep
_WRITERS_STACK = ctypes.create_string_buffer(_STACK_BYTES)
_INITS_TOP, _WRITERS_TOP = (
    ctypes.c_void_p(ctypes.addressof(stack) + _STACK_BYTES) for stack in (_STACK, _WRITERS_STACK)
)


class Broken(Exception):
    """The machine does not allow what the fork server needs."""


def namespaces_of_a_move(*, is_filtered: bool) -> int:
    """The kinds of namespaces that each move gets, as flags of clone(2).

    ``is_filtered`` says that a filter refuses queues and networks, so that they need no namespaces.
    """
    kinds = _NEW_MOUNTS | _NEW_PIDS
    return kinds if is_filtered else kinds | _NEW_IPC | _NEW_NET


def enter_new(namespaces: int) -> None:
    """Move this process into new namespaces. Only later children of this process are in a new pid
    namespace."""
    _check(_unshare(namespaces), "namespaces of its own")


def own_namespaces() -> list[int]:
    """Descriptors of this process's mount and pid namespaces, for `return_to`."""
    return [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("mnt", "pid")]


def return_to(namespaces: list[int]) -> None:
    for fd in namespaces:
        _check(_setns(fd, 0), "namespaces that it does not see")


class LastNumber:
    """The kernel's number of the last process in a pid namespace, from which the next number
    follows. On a kernel that does not let this be set, processes get other numbers."""

    def __init__(self) -> None:
        opened = _libc.fopen(b"/proc/sys/kernel/ns_last_pid", b"we")
        self._file = None if opened is None else ctypes.c_void_p(opened)

    def begin_anew(self) -> None:
        """Number this process's children from 2 again, so that the numbers do not tell how many
        forks there were."""
        if self._file:
            self._put(2)
            _fflush(self._file)

    def set_next(self, number: int) -> None:
        """Give the next process in the new pid namespace this number. The namespace's first process
        must exist.

        Only a process in that namespace can tell the kernel. So a helper process does it, which
        shares this process's memory and files and runs one C function.
        """
        if self._file:
            self._put(number)
            flags = _SAME_MEMORY | _SAME_FILES | _UNTIL_ITS_END | _SIGCHLD
            writer = _clone(_fflush, _WRITERS_TOP, flags, self._file)
            _check(writer, "a number")
            os.waitpid(writer, 0)

    def _put(self, number: int) -> None:
        _purge(self._file)  # drops a number that the kernel refused
        _rewind(self._file)
        _fputs(b"%d" % (number - 1), self._file)


def start_init() -> int:
    """Start the first process of a pid namespace, with which all others of the namespace end.
    Returns the number of the process.

    The first process sleeps, and no process of the namespace can wake it: it has blocked all
    signals, and a debugger would need privileges. So the first process may safely share the fork
    server's memory; a copy, as by fork, would take longer than many moves. The first process is not
    a thread, so limits that a bot sets on it do not affect the fork server.
    """
    _sigprocmask(_SET_MASK, _ALL_SIGNALS, None)
    init = _clone(_libc.pause, _INITS_TOP, _SAME_MEMORY | _SIGCHLD, None)
    _sigprocmask(_SET_MASK, _NO_SIGNAL, None)
    _check(init, "a first process")
    return int(init)


def become(user: int) -> None:
    """Change this process from root to the given user, and to the group of that number, outside of
    the namespace too.

    This process keeps the capabilities to make namespaces. No process can make a user namespace any
    more.
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
    end_with_parent(0)  # the kernel forgets this setting when the user changes


def go_in() -> None:
    """Become the first process of new namespaces, in which this process may mount.

    bubblewrap's namespaces belong to an outer user namespace. The present control group becomes the
    outermost that a bot sees, so that the bot cannot read its name.
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
            # Read-only, so that no move can leave a message in the device's times.
            flags = _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_EXEC
            _mount_there(None, path, None, flags)


def _drop_bound(*capabilities: int) -> None:
    """Drop capabilities from the bounding set, so that no program can get them any more."""
    for capability in capabilities:
        _check(_prctl(_DROP_BOUND, capability, 0, 0, 0), "no privileges")


class Furniture:
    """Makes each move's /tmp: with what bubblewrap shows in /tmp, and an empty folder ``scratch``,
    which may be /tmp itself. The new /tmp holds ``most_bytes`` at most."""

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
        """Mount a new /tmp, in which nothing of an earlier move is left."""
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
    """Mount a /proc that shows only the processes of this process's pid namespace.

    Other files of /proc have counts of the whole machine, in which a move could leave messages. A
    kernel before Linux 5.8 shows them nevertheless.
    """
    if _mount(*_PROC, b"subset=pid") < 0:
        _check(_mount(*_PROC, b""), "/proc anew")


def mount_memory(path: str, most_bytes: int, most_files: int) -> None:
    """Mount an empty file system in memory, with room for this many bytes and files."""
    options = f"size={most_bytes},nr_inodes={most_files},mode=0755"
    _mount_there("tmpfs", path, "tmpfs", _NO_SUID | _NO_DEVICES, options)


def shut(path: str) -> None:
    """Make the file system that is mounted at ``path`` read-only."""
    _mount_there(None, path, None, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def show_there(path: bytes, place: bytes) -> None:
    """Mount a file or folder over another one."""
    _mount_there(path, place, None, _BIND)


def hide(place: bytes) -> None:
    """Unmount what was mounted there last."""
    _check(_libc.umount2(place, _DETACH), "its files anew")


def drop_privileges() -> None:
    _check(_capset(*_NO_CAPABILITIES), "no privileges")


def limit(what: int, most: int) -> None:
    """Set a limit of `resource` for this process and its children. A lower limit stays."""
    allowed = at_most(what, most)
    resource.setrlimit(what, (allowed, allowed))


def at_most(what: int, most: int) -> int:
    """The given limit, or the hard limit of this process if that is lower."""
    _, hard = resource.getrlimit(what)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


class LessMemory:
    """A ``with`` block with a lower limit on memory, so that an import fails before the fork server
    itself runs out of memory."""

    def __init__(self, most: int) -> None:
        self.before = resource.getrlimit(resource.RLIMIT_DATA)
        self.most = at_most(resource.RLIMIT_DATA, most)

    def __enter__(self) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (self.most, self.before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, self.before)


def set_dumpable(yes: bool) -> None:
    """Let other processes of the same user inspect this process, or forbid it."""
    _check(_prctl(_SET_DUMPABLE, int(yes), 0, 0, 0), "its own memory to itself")


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent thread ends.

    ``parent`` is the number of the parent process at the fork. If that parent has ended already,
    this process ends at once.
    """
    _check(_prctl(_SET_PARENTS_DEATH, SIGKILL, 0, 0, 0), "an end with the fork server")
    if os.getppid() not in (parent, 0):  # 0: the parent is in another pid namespace
        os._exit(1)


def signal_others(number: int) -> None:
    """Send a signal to all other processes of this pid namespace and of those inside it, at one
    instant.

    Raises `Broken` if this process has no pid namespace of its own: then the signal would reach all
    processes of the user.
    """
    if os.getpid() != 1:
        raise Broken("a bot could not have a namespace of its own to be stopped in")
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass  # no other process exists


def has_exited(process: int, seconds: float, unless_gone: int) -> bool:
    """Wait ``seconds`` at most for a child to exit, and return whether it has. The wait also ends
    when the other end of the socket ``unless_gone`` is closed."""
    exited = os.pidfd_open(process)
    poll = select.poll()
    poll.register(exited, select.POLLIN)
    poll.register(unless_gone, 0)  # poll always reports a hang-up
    ready = [fd for fd, _ in poll.poll(seconds * 1000)]
    os.close(exited)
    return exited in ready


def restore_signals() -> None:
    """Restore the signals that Python ignores, since an executed program would ignore them too."""
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
