"""The kernel's keyrings, shut to a bot: a seccomp filter, as a program for the kernel's own BPF.

A session keyring is inherited from the judge, and no namespace covers it: what one move puts
there, the next could find, and so could the opponent.

The numbers are those of the kernel's system call tables (arch/*/entry/syscalls); the layout of
``struct seccomp_data`` and the values below are those of linux/seccomp.h, linux/audit.h and
linux/bpf_common.h.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterator, Mapping

# add_key, request_key and keyctl, for each kind of program that a kernel of that kind may run.
_X86_64, _I386, _AARCH64, _ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028
_CALLS: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "x86_64": {_X86_64: (248, 249, 250), _I386: (286, 287, 288)},
    "aarch64": {_AARCH64: (217, 218, 219), _ARM: (309, 310, 311)},
}
_X32 = 0x40000000  # set in the numbers of a third kind on x86-64, which shares its tables

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # the second with EPERM


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter for this (or another) kind of machine; None where its numbers are not known."""
    kinds = _CALLS.get(machine or platform.machine())
    if kinds is None:
        return None
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kinds))


def _steps(kinds: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[int, int, int, int]]:
    """Instructions: what to do, how many to skip if it is so and if not, and the operand."""
    yield _LOAD, 0, 0, _ARCHITECTURE
    for kind, calls in kinds.items():
        refused = [(_EQUAL, call) for call in calls]
        if kind == _X86_64:
            refused.append((_AT_LEAST, _X32))
        yield _EQUAL, 0, len(refused) + 3, kind  # or on to the next kind
        yield _LOAD, 0, 0, _NUMBER
        for left, (test, number) in zip(range(len(refused), 0, -1), refused, strict=True):
            yield test, left, 0, number
        yield _RETURN, 0, 0, _ALLOW
        yield _RETURN, 0, 0, _REFUSE
    yield _RETURN, 0, 0, _REFUSE
