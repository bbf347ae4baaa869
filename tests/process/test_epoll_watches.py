"""A crash where the kernel lets this user watch no file more is not held against the bot."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from bot_files import script
from commands import JUDGE, judge_in

EPOLL_CTL = {"x86_64": 233, "aarch64": 21}

# Has the kernel answer epoll_ctl with ENOSPC, as it does where a user's watches are all taken.
WITHOUT_WATCHES = """\
import ctypes, os, struct, sys
number, *command = sys.argv[1:]
steps = ((0x20, 0, 0, 0), (0x15, 0, 1, int(number)), (0x06, 0, 0, 0x0005001C), (0x06, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
header = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(program))
kernel = ctypes.CDLL(None, use_errno=True)
assert kernel.prctl(38, 1, 0, 0, 0) == 0
assert kernel.prctl(22, 2, ctypes.c_char_p(header), 0, 0) == 0
os.execv(command[0], command)
"""


@pytest.mark.parametrize("are_left", [True, False])
def test_a_crash_where_no_file_can_be_watched_is_no_loss(are_left: bool, tmp_path: Path) -> None:
    """The same bot loses by the same crash where there are watches left."""
    bot = script(tmp_path / "aborts.sh", "kill -ABRT $$")
    options = ("--games", "1", "--seed", "1", "--no-ledger", "--isolation", "none")
    command = tuple(JUDGE)
    if not are_left:
        number = EPOLL_CTL.get(platform.machine())
        if number is None:
            pytest.skip(f"the number of epoll_ctl on {platform.machine()} is not written here")
        command = (sys.executable, "-c", WITHOUT_WATCHES, str(number), *JUDGE)
    done = judge_in(tmp_path, "fight", bot, "random", *options, command=command)
    said = " ".join((done.stdout + done.stderr).split())
    assert ("random wins: aborts crashed" in said) == are_left, said
    assert ("could watch no file by epoll either" in said) == (not are_left), said
