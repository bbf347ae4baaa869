"""The filter of system calls for bots: a seccomp filter, as a program for the kernel's BPF.

The filter refuses calls whose effects could reach beyond a move, and for which a move has no
namespace of its own:

- calls on the session keyring, which a bot inherits from the judge;
- System V's shared memory, semaphores and queues, and POSIX's queues;
- sockets of all families but Unix's. A move could leave connections and counts of a network to the
  next move, and some families, such as that between a virtual machine and its host, have no
  namespace;
- sending descriptors over a Unix socket: a socket that is lost in flight keeps its name after its
  process has ended, until the kernel collects it. The same calls send plain messages. So a bot that
  connects to the judge may call them, and has a network namespace of its own for such names;
- watching files by inotify (a user has 128 instances in all namespaces together), by fanotify or by
  ``F_NOTIFY``; and handling page faults, by which a process stops another one in the kernel;
- leases and delegations, which make others wait who open a file, and hints that a file keeps;
- making a child of one's own parent (``CLONE_PARENT``), which no process may reap;
- the cookies of a socket and of its network, which the kernel counts for all games together;
- getting a pidfd of the process at the other end of a socket (the judge) by either of the socket's
  options, and taking a descriptor out of another process by a pidfd (``pidfd_getfd``);
- io_setup, whose contexts are limited for the whole machine, the kernel's log, its performance
  counters, and programs for the kernel (``bpf``);
- asking which pages of a file are in memory: ``mincore``, ``cachestat``, and reads that do not wait
  or leave nothing in memory;
- asking a file system by ``ioctl`` what it knows of a file;
- memory that the kernel itself cannot reach (``memfd_secret``);
- choosing its processors (``sched_setaffinity``), which belong to its job; reserving a core
  (``PR_SCHED_CORE``), which stops another game's processor of the same core; and having a file or a
  socket send it a signal (``F_SETSIG``): with SIGCONT, a stopped program would go on.

Some calls have no effect and return success, since a program does well without them: advice on the
pages of a file (``fadvise``, ``readahead``, two kinds of ``madvise``); file locks, since other
games would see a lock on a file of the system; priorities, since a program that lowers its own
would seem to be denied a processor by the machine; and sessions (``setsid``), since the kernel
gives each session a share of the processors.

``clone3`` fails as on a kernel without it, because its flags lie in memory, which a filter cannot
read. Libraries then use ``clone``.

Namespaces for queues and networks would take longer than many moves. The kernel remembers which
calls are always allowed, so only the calls named here cost a little more.

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
"""The numbers of one or more system calls, for each kind of program in the order of `_KINDS`."""

# The numbers of refused calls by name, None if a kind of program lacks the call. io_uring could do
# the work of other calls, and socketcall and ipc each stand for many calls.
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
_X32 = 0x40000000  # set in the numbers of a third kind of program on x86-64

_AF_UNIX = 1
# F_SETSIG, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_GETDELEG and
# F_SETDELEG.
_REFUSED_OF_FCNTL = (10, 1024, 1025, 1026, 1036, 1038, 1039, 1040)
# F_SETLK and F_SETLKW, and the same for long files in 32-bit programs and for open files.
_IGNORED_OF_FCNTL = (6, 7, 13, 14, 37, 38)
_IGNORED_OF_MADVISE = (20, 21)  # MADV_COLD, MADV_PAGEOUT
_TYPES_OF_IOCTL = (0x5400, 0x8900)  # types for terminals and descriptors, and for sockets
_PROBING_READS = 0x08 | 0x80  # RWF_NOWAIT, RWF_DONTCACHE
_CLONE_PARENT = 0x8000
_SCHED_CORE = 62
_REFUSED_OF_GETSOCKOPT = (57, 71, 77)  # SO_COOKIE, SO_NETNS_COOKIE, SO_PEERPIDFD
_REFUSED_OF_SETSOCKOPT = (76,)  # SO_PASSPIDFD

_LOAD, _EQUAL, _AT_LEAST, _HAS_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _IGNORE = 0x7FFF0000, 0x00050000  # ignore: return success without an effect
_REFUSE, _UNSUPPORTED = 0x00050001, 0x0005005F  # errors EPERM and EOPNOTSUPP
_NO_SUCH_REQUEST, _NO_SUCH_CALL = 0x00050019, 0x00050026  # errors ENOTTY and ENOSYS


class _Step(NamedTuple):
    """An instruction of BPF: its code, how many instructions to skip if its test holds and if not,
    and its operand."""

    code: int
    if_so: int
    if_not: int
    operand: int


def filter_program(machine: str | None = None, *, sends_messages: bool = False) -> bytes | None:
    """The filter for this or another kind of machine, as bytes, or None if the numbers of its
    system calls are not known.

    With ``sends_messages``, a bot may send messages, and so descriptors, over Unix sockets.
    """
    kinds = _RUN_BY.get(machine or platform.machine())
    if kinds is None:
        return None
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kinds, sends_messages))


def _steps(kinds: Sequence[int], sends_messages: bool) -> Iterator[_Step]:
    yield _Step(_LOAD, 0, 0, _ARCHITECTURE)
    for kind in kinds:
        inner = [_Step(_LOAD, 0, 0, _NUMBER), *_of_a_kind(kind, sends_messages)]
        yield _Step(_EQUAL, 0, len(inner), kind)  # otherwise on to the next kind
        yield from inner
    yield _Step(_RETURN, 0, 0, _REFUSE)


def _of_a_kind(kind: int, sends_messages: bool) -> Iterator[_Step]:
    """Yield the steps for one kind of program. Calls that programs use often come first."""
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
    """Yield the steps that run ``ending`` if the test holds for one of the operands."""
    for left, operand in zip(range(len(operands) - 1, -1, -1), operands, strict=True):
        yield _Step(test, left, 0 if left else len(ending), operand)
    yield from ending


def _of_argument(
    place: int, test: int, answers: Mapping[int, Sequence[int]], otherwise: int
) -> list[_Step]:
    """The steps that answer a call by one of its arguments: the first answer with a fitting
    operand, or else ``otherwise``.

    An argument that decides is an int. The int's 32 bits come first, since all these machines are
    little-endian, and the kernel ignores the other 32.
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
    # ioctl, by the type of a request, which is its second byte.
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
    # preadv2 and pwritev2, by their flags
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
    # fadvise, readahead, flock; setpriority, sched_setparam, sched_setscheduler, sched_setattr,
    # ioprio_set; setsid; and in 32-bit programs a longer form of fadvise, and nice.
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
