"""A bot may be in any language, and a greedy one does not get what it wants in any. That the default
limits are enough for each is shown by the bundled bots, in tests/check."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge.documents.game import Limits
from judge.errors import Crashed
from judge.process.bots.bot import find
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import choose
from needs import need
from players import alone

REPLY = '{"move":"00"}'
GREED = 400_000_000


@dataclass(frozen=True)
class Language:
    """A program in it that touches 400 MB before it replies."""

    name: str
    file: str
    needs: tuple[str, ...]
    greedy: str
    build: str = ""


LANGUAGES = [
    Language(
        "python",
        "bot.py",
        (),
        f"x = bytearray({GREED})\nx[::4096] = b'x' * len(x[::4096])\nprint({REPLY!r})",
    ),
    Language(
        "javascript",
        "bot.js",
        ("node",),
        f"Buffer.alloc({GREED}, 1); console.log({REPLY!r})",
    ),
    Language(
        "bash",
        "bot.sh",
        ("bash",),
        f"#!/usr/bin/env bash\nprintf -v x '%{GREED}s'\necho {REPLY!r}",
    ),
    Language("perl", "bot.pl", ("perl",), f"my $x = 'x' x {GREED}; print {REPLY!r}"),
    Language("ruby", "bot.rb", ("ruby",), f"x = 'x' * {GREED}; puts {REPLY!r}"),
    Language(
        "c",
        "bot.c",
        ("cc",),
        "#include <stdlib.h>\n#include <string.h>\n"
        f"int main(void) {{ char *x = malloc({GREED}u); if (!x) abort();"
        f' memset(x, 1, {GREED}u); return x[atoi("7")] - 1; }}',
        "cc -O0 -o bot bot.c",
    ),
    Language(
        "java",
        "Bot.java",
        ("java", "javac", "jar"),
        f"class Bot {{ public static void main(String[] a) {{ byte[] x = new byte[{GREED}];"
        " java.util.Arrays.fill(x, (byte) 1); System.out.println(x[7]); } }",
        "javac Bot.java && jar cfe bot.jar Bot Bot.class",
    ),
]


def run(language: Language, folder: Path, stop: Stop, level: str) -> bytes:
    for program in language.needs:
        need(program)
    (folder / language.file).write_text(language.greedy + "\n")
    (folder / language.file).chmod(0o644)
    if language.build:
        subprocess.run(["sh", "-c", language.build], cwd=folder, check=True)
    built = [path for path in ("bot", "bot.jar") if (folder / path).exists()]
    bot = find(str(folder / (built or [language.file])[0]))
    limits = Limits(timeout_ms=60_000)
    with alone(bot, stop, seed=1, limits=limits, isolation=choose(level)[0]) as connection:
        connection.send(b'{"cmd":"init"}')
        return connection.receive(math.inf)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_bot_that_touches_400_mb_does_not_get_through(
    language: Language, tmp_path: Path, stop: Stop
) -> None:
    """A bot does not get more than it is allowed, in any language: it crashes, and for no other
    reason than the limit."""
    with pytest.raises(Crashed):
        run(language, tmp_path, stop, "limits")
    if language.name != "java":  # whose own flags, fit to the limit, are in force at any level
        run(language, tmp_path, stop, "none")
