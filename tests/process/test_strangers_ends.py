"""Bots that meddle with how their own end is seen: traced zombies, programs that no kernel
executes, and what they may keep from the user as whom they run."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import pytest

from bot_files import manifest, python_bot, write
from judge.process.bots.bot import find
from judge.process.run.listening import RunEnd
from launching import Launching

LEVELS = ("bwrap", "limits", "none")

# A child in a session of its own traces the bot, which exits: nobody can reap it while it is
# traced.
TRACED = """\
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
read, write = os.pipe()
if not os.fork():
    os.setsid()
    for fd in (0, 1, 2):
        os.close(fd)
    libc.ptrace(0x4206, ctypes.c_long(os.getppid()), 0, 0)  # PTRACE_SEIZE
    os.write(write, b"x")
    time.sleep(30)
    os._exit(0)
libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 2**64 - 1), 0, 0, 0)  # where Yama asks for leave
os.read(read, 1)
print("well")
"""

FIEMAP = """\
import fcntl, sys
for request in (0xC020660B, 0xC020662A, 0x80086601, 0x5000940B):
    try:
        fcntl.ioctl(open("/usr/bin/env", "rb"), request, bytes(64))
        print("asked", hex(request))
    except OSError as error:
        print(error.errno)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_is_traced_when_it_exits_is_reaped(
    level: str, launching: Launching, tmp_path: Path
) -> None:
    """A tracer of a bot that has exited is ended, and the bot's answer stands; the next move
    comes."""
    held = launching(python_bot(tmp_path, TRACED), level)
    for _ in range(2):
        run = held.run("{}")
        assert (run.ended, run.status, run.stdout) == (RunEnd.BY_ITSELF, 0, b"well\n")
        assert run.wall_ms < 9_000


# A child of the bot's parent (CLONE_PARENT) that exits, and that the bot does not reap.
ORPHAN = """\
import ctypes, os, platform
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
child = ctypes.CDLL(None).syscall(clone, 0x8000 | 17, 0, 0, 0, 0)
if not child:
    os._exit(0)
print(child > 0)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_child_that_a_bot_leaves_to_its_parent_holds_up_no_move(
    level: str, launching: Launching, tmp_path: Path
) -> None:
    """Under bwrap there is no such child: the kernel refuses it. Elsewhere it is the judge's, and
    the moves after it come as ever."""
    held = launching(python_bot(tmp_path, ORPHAN), level)
    start = time.monotonic()
    for _ in range(2):
        run = held.run("{}")
        assert (run.ended, run.status) == (RunEnd.BY_ITSELF, 0)
        assert run.stdout == (b"False\n" if level == "bwrap" else b"True\n")
    assert time.monotonic() - start < 20


def elf(interpreter: bytes) -> bytes:
    """A 64-bit program for this machine whose interpreter is a file of that name."""
    machine = {"x86_64": 62, "aarch64": 183}[os.uname().machine]
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01" + bytes(9),
        *(2, machine, 1, 0x400000, 64, 0, 0, 64, 56, 2, 0, 0, 0),
    )
    name = interpreter + b"\0"
    interp = struct.pack("<IIQQQQQQ", 3, 4, 176, 0, 0, len(name), len(name), 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 4096, 4096, 4096)
    return (header + interp + load + name).ljust(4096, b"\0")


@pytest.mark.parametrize("interpreter", [b"/usr/bin/ldd", b"/usr/bin", b"/etc/passwd", b"/nowhere"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_program_that_the_kernel_refuses_is_the_bots_loss(
    level: str, launching: Launching, tmp_path: Path, interpreter: bytes
) -> None:
    """It is never a game that does not count: the run says that it could not be started."""
    write(tmp_path / "prog", elf(interpreter), 0o755)
    run = launching(find(str(manifest(tmp_path, "./prog"))), level).run("{}")
    assert run.ended is RunEnd.NOT_STARTED or run.status != 0


def test_no_file_system_is_asked_what_it_remembers(launching: Launching, tmp_path: Path) -> None:
    """Requests for extents, flags and ranges of a file are unknown, as on a terminal."""
    held = launching(python_bot(tmp_path, FIEMAP), "bwrap")
    assert held.run("{}").stdout.split() == [b"25"] * 4
