"""How many bits a bot can leave to its next move, or its next game, by which of the system's files
are in memory: an experiment for the guide on isolation, to be run by hand, and no test.

One move reads a file of the system's for each bit that is set, and the next looks at all of them: a
page that has to come from the disk is a major fault, which the kernel counts for each process. A
file that is in memory already, by whomever, counts against it: to run it again, name other files.
Run: python tests/support/leftover.py [BITS [FIRST_FILE]]
"""

from __future__ import annotations

import math
import secrets
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from judge.documents.game import Limits
from judge.process.bots.bot import find
from judge.process.run.launch import Launcher, Start
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import choose

BOT = """\
import mmap, os, resource, sys
what, first, count, message = sys.argv[1].split()
first, count, message = int(first), int(count), int(message, 16)
paths = []
for top in ("/usr/share", "/usr/lib"):
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 8192:
                paths.append(path)
        if len(paths) >= first + count:
            break
seen = 0
for number, path in enumerate(paths[first : first + count]):
    with open(path, "rb") as file:
        if what == "leave":
            if message >> number & 1:
                file.read(4096)
            continue
        with mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ) as page:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
            page[0]
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before
    seen |= (not faults) << number
print(hex(seen), len(paths) >= first + count)
"""


def told(launcher: Launcher, argument: str) -> int:
    done = launcher.run(argument)
    if done.status or not done.stdout:
        sys.exit(f"leftover: {done.ended.value}: {done.stderr.decode()}")
    seen, enough = done.stdout.decode().split()
    if enough != "True":
        sys.exit("leftover: this system has too few files")
    return int(seen, 16)


def main(bits: int = 256, first: int = 0) -> None:
    isolation, _ = choose("bwrap")
    with tempfile.TemporaryDirectory() as folder, closing(Stop()) as stop:
        Path(folder, "bot.py").write_text(BOT)
        Path(folder, "bot.json").write_text('{"command": ["python3", "bot.py"]}')
        bot = find(folder)
        held = isolation.launcher(Start(bot, {"PATH": bot.path}, Limits(timeout_ms=60_000)), stop)
        with closing(held) as launcher:
            for turn, kind in enumerate(("from move to move", "from game to game")):
                message = secrets.randbits(bits)
                launcher.begin_game()
                told(launcher, f"leave {first + turn * bits} {bits} {message:x}")
                if turn:
                    launcher.end_game()
                    launcher.begin_game()
                seen = told(launcher, f"find {first + turn * bits} {bits} 0")
                wrong = (seen ^ message).bit_count()
                print(  # noqa: T201 - it is a program
                    f"{kind}: {bits - wrong} of {bits} bits right, {capacity(bits, wrong):.0f} bits"
                )


def capacity(bits: int, wrong: int) -> float:
    """The worth of ``bits`` bits if ``wrong`` of them are wrong, and nobody knows which."""
    share = wrong / bits
    if share in (0, 1):
        return bits
    return bits * (1 + share * math.log2(share) + (1 - share) * math.log2(1 - share))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
