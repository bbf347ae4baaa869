"""The calls that a bot may not ask of the kernel: a seccomp filter, as a program for the kernel's BPF.

Refused is what could reach beyond a move and has no namespace of the move's own:

- the session keyring, which is inherited from the judge;
- System V's shared memory, semaphores and queues, and POSIX's queues;
- sockets of all families but Unix's. A move could leave connections and counts of a network to
  the next; and some families, as that between a virtual machine and its host, have no namespace;
- to send descriptors over a Unix socket: one that is lost on its way keeps its name after its
  process has ended, until the kernel finds it. The calls for it also send plain messages, so a bot
  that connects to the judge has them, and networks of its own besides, in which such a name is;
- to watch files by inotify (a user has 128 instances in all namespaces together), by fanotify or by
  ``F_NOTIFY``; and to handle page faults, by which one process stops another in the kernel;
- leases and delegations, by which whoever opens a file has to wait, and hints that a file keeps;
- a child of one's parent (``CLONE_PARENT``), which nobody may reap;
- the cookies of a socket and of its network, which the kernel counts for all games together;
- a descriptor of the process at the other end of a socket, which is the judge, by either of the
  socket's options for it, and to take a descriptor out of another process by such a one;
- io_setup, whose contexts are one stock for the machine, the kernel's log, its counters of
  performance, and programs for it (``bpf``);
- to ask which pages of a file are in memory: ``mincore``, ``cachestat``, and reads that do not wait
  or leave nothing in memory;
- to ask a file system, by ``ioctl``, what it remembers of a file;
- memory that the kernel itself cannot reach;
- to choose its processors (``sched_setaffinity``), which its job owns; to share a core with none but
  its own (``PR_SCHED_CORE``), by which the processor beside its own, another game's, stands still
  while it runs; and to have a file or a socket send it a signal (``F_SETSIG``): with SIGCONT for
  that, a program would go on that is stopped.

Answered with success, and not done, is what a program may well ask for and be none the worse off
without: to have pages of a file read ahead or dropped from memory (``fadvise``, ``readahead``, two
kinds of ``madvise``), and locks. A lock on a file of the system's would be seen in all games. So
locks hold nobody back, in a move that has nobody but itself. The same holds for priorities: a program
that lowers its own would wait for a processor by its own doing, which is for the machine alone. And
for sessions (``setsid``): the kernel gives each session a share of the processors.

``clone3`` is answered as by a kernel that does not have it, for its flags lie in memory, where a
filter cannot look: libraries then use ``clone``.

To give each move namespaces for queues and networks instead takes longer than many a move. The
kernel looks up once which calls are always allowed, so only those named here cost a little more.

The numbers are those of the kernel's system call tables (arch/*/entry/syscalls); the layout of
``struct seccomp_data`` and the values below are those of linux/seccomp.h, linux/audit.h,
linux/bpf_common.h, linux/socket.h, linux/fcntl.h, linux/fs.h, linux/sched.h, linux/prctl.h,
asm-generic/socket.h and asm-generic/mman-common.h.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

# The kinds of program that a machine runs, as the kernel numbers them.
_X86_64, _I386, _AARCH64, _ARM = _KINDS = (0xC000003E, 0x40000003, 0xC00000B7, 0x40000028)
_RUN_BY = {"x86_64": (_X86_64, _I386), "aarch64": (_AARCH64, _ARM)}

_Numbers = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]
"""The numbers of one system call or several, by kind of program."""

# Those that are refused, by name; a kind of program may not have one. By io_uring all that can be
# done, too; socketcall and ipc are many of these in one.
_REFUSED: Mapping[str, tuple[int | None, int | None, int | None, int | None]] = {
    "add_key": (248, 286, 217, 309),
    "request_key": (249, 287, 218, 310),
    "keyctl": (250, 288, 219, 311),
    "shmget": (29, 395, 194, 307),
    "semget": (64, 393, 190, 299),
    "msgget": (68, 399, 186, 303),
    "mq_open": (240, 277, 180, 274),
    "inotify_init": (253, 291, None, 316),
    "inotify_init1": (294, 332, 26, 360),
    "io_uring_setup": (425, 425, 425, 425),
    "fanotify_init": (300, 338, 262, 367),
    "fanotify_mark": (301, 339, 263, 368),
    "userfaultfd": (323, 374, 282, 388),
    "mincore": (27, 218, 232, 219),
    "memfd_secret": (447, 447, 447, 447),
    "cachestat": (451, 451, 451, 451),
    "process_madvise": (440, 440, 440, 440),
    "io_setup": (206, 245, 0, 243),
    "syslog": (103, 103, 116, 103),
    "bpf": (321, 357, 280, 386),
    "perf_event_open": (298, 336, 241, 364),
    "sched_setaffinity": (203, 241, 122, 241),
    "socketcall": (None, 102, None, 102),
    "ipc": (None, 117, None, 117),
    "pidfd_getfd": (438, 438, 438, 438),
}
_X32 = 0x40000000  # set in the numbers of a third kind on x86-64, which shares its tables

_AF_UNIX = 1
# F_SETSIG, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_GETDELEG and
# F_SETDELEG.
_REFUSED_OF_FCNTL = (10, 1024, 1025, 1026, 1036, 1038, 1039, 1040)
# F_SETLK and F_SETLKW, the same for long files in programs of 32 bits, and for open files.
_IGNORED_OF_FCNTL = (6, 7, 13, 14, 37, 38)
_IGNORED_OF_MADVISE = (20, 21)  # MADV_COLD, MADV_PAGEOUT
_TYPES_OF_IOCTL = (0x5400, 0x8900)  # of terminals and descriptors, and of sockets
_PROBING_READS = 0x08 | 0x80  # RWF_NOWAIT, RWF_DONTCACHE
_CLONE_PARENT = 0x8000
_SCHED_CORE = 62
_REFUSED_OF_GETSOCKOPT = (57, 71, 77)  # SO_COOKIE, SO_NETNS_COOKIE, SO_PEERPIDFD
_REFUSED_OF_SETSOCKOPT = (76,)  # SO_PASSPIDFD

_LOAD, _EQUAL, _AT_LEAST, _HAS_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _IGNORE = 0x7FFF0000, 0x00050000  # the second with success
_REFUSE, _UNSUPPORTED = 0x00050001, 0x0005005F  # with EPERM and EOPNOTSUPP
_NO_SUCH_REQUEST, _NO_SUCH_CALL = 0x00050019, 0x00050026  # with ENOTTY and ENOSYS


class _Step(NamedTuple):
    """An instruction: what to do, how many to skip if it is so and if not, and the operand."""

    code: int
    if_so: int
    if_not: int
    operand: int


def filter_program(machine: str | None = None, *, sends_messages: bool = False) -> bytes | None:
    """The filter for this (or another) kind of machine; None where its numbers are not known.

    A bot that ``sends_messages`` may send them, and so descriptors, over Unix sockets.
    """
    kinds = _RUN_BY.get(machine or platform.machine())
    if kinds is None:
        return None
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kinds, sends_messages))


def _steps(kinds: Sequence[int], sends_messages: bool) -> Iterator[_Step]:
    yield _Step(_LOAD, 0, 0, _ARCHITECTURE)
    for kind in kinds:
        inner = [_Step(_LOAD, 0, 0, _NUMBER), *_of_a_kind(kind, sends_messages)]
        yield _Step(_EQUAL, 0, len(inner), kind)  # or on to the next kind
        yield from inner
    yield _Step(_RETURN, 0, 0, _REFUSE)


def _of_a_kind(kind: int, sends_messages: bool) -> Iterator[_Step]:
    """The answer to each number; those that programs use often come first."""
    place = _KINDS.index(kind)
    for calls, ending in _RULES:
        yield from _if_any(_EQUAL, calls[place], ending)
    refused = [] if sends_messages else [*_MESSAGES[place]]
    refused += [one for numbers in _REFUSED.values() if (one := numbers[place]) is not None]
    yield from _if_any(_EQUAL, refused, [_Step(_RETURN, 0, 0, _REFUSE)])
    if kind == _X86_64:
        yield from _if_any(_AT_LEAST, [_X32], [_Step(_RETURN, 0, 0, _REFUSE)])
    yield _Step(_RETURN, 0, 0, _ALLOW)


def _if_any(test: int, operands: Sequence[int], ending: Sequence[_Step]) -> Iterator[_Step]:
    """The ending, if one of the tests is passed."""
    for left, operand in zip(range(len(operands) - 1, -1, -1), operands, strict=True):
        yield _Step(test, left, 0 if left else len(ending), operand)
    yield from ending


def _of_argument(
    place: int, test: int, answers: Mapping[int, Sequence[int]], otherwise: int
) -> list[_Step]:
    """The answer to a call by one argument, as the first answer that has a value for it.

    Such an argument is an int: what is above its 32 bits, which stand first on little-endian
    machines as all of these are, the kernel does not look at.
    """
    return [
        _Step(_LOAD, 0, 0, 16 + 8 * place),
        *(
            step
            for answer, operands in answers.items()
            for step in _if_any(test, operands, [_Step(_RETURN, 0, 0, answer)])
        ),
        _Step(_RETURN, 0, 0, otherwise),
    ]


_MESSAGES: _Numbers = ((46, 307), (370, 345), (211, 269), (296, 374))  # sendmsg, sendmmsg

_RULES: tuple[tuple[_Numbers, Sequence[_Step]], ...] = (
    # ioctl, by its type, the second byte of a request.
    (
        ((16,), (54,), (29,), (54,)),
        [
            _Step(_LOAD, 0, 0, 16 + 8 * 1),
            _Step(_AND, 0, 0, 0xFF00),
            *_if_any(_EQUAL, _TYPES_OF_IOCTL, [_Step(_RETURN, 0, 0, _ALLOW)]),
            _Step(_RETURN, 0, 0, _NO_SUCH_REQUEST),
        ],
    ),
    # fcntl
    (
        ((72,), (55, 221), (25,), (55, 221)),
        _of_argument(1, _EQUAL, {_REFUSE: _REFUSED_OF_FCNTL, _IGNORE: _IGNORED_OF_FCNTL}, _ALLOW),
    ),
    # madvise
    (
        ((28,), (219,), (233,), (220,)),
        _of_argument(2, _EQUAL, {_IGNORE: _IGNORED_OF_MADVISE}, _ALLOW),
    ),
    # preadv2 and pwritev2, which have flags
    (
        ((327, 328), (378, 379), (286, 287), (392, 393)),
        _of_argument(5, _HAS_BIT, {_UNSUPPORTED: (_PROBING_READS,)}, _ALLOW),
    ),
    # clone
    (
        ((56,), (120,), (220,), (120,)),
        _of_argument(0, _HAS_BIT, {_REFUSE: (_CLONE_PARENT,)}, _ALLOW),
    ),
    # prctl
    (
        ((157,), (172,), (167,), (172,)),
        _of_argument(0, _EQUAL, {_REFUSE: (_SCHED_CORE,)}, _ALLOW),
    ),
    # clone3
    (((435,), (435,), (435,), (435,)), [_Step(_RETURN, 0, 0, _NO_SUCH_CALL)]),
    # socket and socketpair
    (
        ((41, 53), (359, 360), (198, 199), (281, 288)),
        _of_argument(0, _EQUAL, {_ALLOW: (_AF_UNIX,)}, _REFUSE),
    ),
    # getsockopt
    (
        ((55,), (365,), (209,), (295,)),
        _of_argument(2, _EQUAL, {_REFUSE: _REFUSED_OF_GETSOCKOPT}, _ALLOW),
    ),
    # setsockopt
    (
        ((54,), (366,), (208,), (294,)),
        _of_argument(2, _EQUAL, {_REFUSE: _REFUSED_OF_SETSOCKOPT}, _ALLOW),
    ),
    # fadvise, readahead, flock; setpriority, sched_setparam, sched_setscheduler, sched_setattr and
    # ioprio_set; setsid; and in programs of 32 bits longer forms of fadvise and nice.
    (
        (
            (221, 187, 73, 141, 142, 144, 314, 251, 112),
            (250, 272, 225, 143, 97, 154, 156, 351, 289, 34, 66),
            (223, 213, 32, 140, 118, 119, 274, 30, 157),
            (270, 225, 143, 97, 154, 156, 380, 314, 34, 66),
        ),
        [_Step(_RETURN, 0, 0, _IGNORE)],
    ),
)
