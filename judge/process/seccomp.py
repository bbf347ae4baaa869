"""What a bot may not ask of the kernel: a seccomp filter, as a program for the kernel's own BPF.

Refused is what could reach beyond a move and has no namespace of the move's own:

- the session keyring, which is inherited from the judge;
- System V's shared memory, semaphores and queues, and POSIX's queues;
- sockets of all families but Unix's. Of a network, a move could leave connections and counts to
  the next; and some families, as that between a virtual machine and its host, have no namespace;
- to send descriptors over a Unix socket: one that is lost on its way keeps its name after its
  process has ended, until the kernel finds it;
- to watch files by inotify, of which a user has 128, in all namespaces together.

To give each move namespaces for queues and networks instead takes longer than many a move.

The numbers are those of the kernel's system call tables (arch/*/entry/syscalls); the layout of
``struct seccomp_data`` and the values below are those of linux/seccomp.h, linux/audit.h,
linux/bpf_common.h and linux/socket.h.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class _Calls(NamedTuple):
    """Numbers of system calls, for one kind of program."""

    refused: tuple[int, ...]
    sockets: tuple[int, ...]  # socket and socketpair


# add_key, request_key and keyctl; shmget, semget, msgget and mq_open; sendmsg and sendmmsg;
# inotify_init and inotify_init1; io_uring_setup, by which all that can be done, too; and in programs
# of 32 bits, socketcall and ipc, which are many of these in one.
_X86_64, _I386, _AARCH64, _ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028
_CALLS: Mapping[str, Mapping[int, _Calls]] = {
    "x86_64": {
        _X86_64: _Calls((248, 249, 250, 29, 64, 68, 240, 46, 307, 253, 294, 425), (41, 53)),
        _I386: _Calls(
            (286, 287, 288, 395, 393, 399, 277, 370, 345, 291, 332, 425, 102, 117), (359, 360)
        ),
    },
    "aarch64": {
        _AARCH64: _Calls((217, 218, 219, 194, 190, 186, 180, 211, 269, 26, 425), (198, 199)),
        _ARM: _Calls(
            (309, 310, 311, 307, 299, 303, 274, 296, 374, 316, 360, 425, 102, 117), (281, 288)
        ),
    },
}
_X32 = 0x40000000  # set in the numbers of a third kind on x86-64, which shares its tables
_AF_UNIX = 1

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # the second with EPERM


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter for this (or another) kind of machine; None where its numbers are not known."""
    kinds = _CALLS.get(machine or platform.machine())
    if kinds is None:
        return None
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kinds))


def _steps(kinds: Mapping[int, _Calls]) -> Iterator[tuple[int, int, int, int]]:
    """Instructions: what to do, how many to skip if it is so and if not, and the operand."""
    yield _LOAD, 0, 0, _ARCHITECTURE
    for kind, calls in kinds.items():
        tests = [(_EQUAL, number, _TO_REFUSE) for number in calls.refused]
        if kind == _X86_64:
            tests.append((_AT_LEAST, _X32, _TO_REFUSE))
        tests += [(_EQUAL, number, _TO_SOCKET) for number in calls.sockets]
        yield _EQUAL, 0, 1 + len(tests) + len(_ENDING), kind  # or on to the next kind
        yield _LOAD, 0, 0, _NUMBER
        for left, (test, number, target) in zip(range(len(tests) - 1, -1, -1), tests, strict=True):
            yield test, left + target, 0, number
        yield from _ENDING
    yield _RETURN, 0, 0, _REFUSE


# What the tests of a kind lead to. The family of a socket is an int: what is above its 32 bits,
# which stand first on little-endian machines as all of these are, the kernel does not look at.
_ENDING = (
    (_RETURN, 0, 0, _ALLOW),
    (_LOAD, 0, 0, _FIRST_ARGUMENT),
    (_EQUAL, 0, 1, _AF_UNIX),
    (_RETURN, 0, 0, _ALLOW),
    (_RETURN, 0, 0, _REFUSE),
)
_TO_SOCKET, _TO_REFUSE = 1, 4
