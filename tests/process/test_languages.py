"""A bot may be in any language: the smallest one starts under the default limits, a greedy one
does not get what it wants."""

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
    """A program in it that replies, and one that touches 400 MB before it does."""

    name: str
    file: str
    needs: tuple[str, ...]
    replies: str
    greedy: str
    build: str = ""


LANGUAGES = [
    Language(
        "python",
        "bot.py",
        (),
        f"print({REPLY!r})",
        f"x = bytearray({GREED})\nx[::4096] = b'x' * len(x[::4096])\nprint({REPLY!r})",
    ),
    Language(
        "javascript",
        "bot.js",
        ("node",),
        f"console.log({REPLY!r})",
        f"Buffer.alloc({GREED}, 1); console.log({REPLY!r})",
    ),
    Language(
        "bash",
        "bot.sh",
        ("bash",),
        f"#!/usr/bin/env bash\necho {REPLY!r}",
        f"#!/usr/bin/env bash\nprintf -v x '%{GREED}s'\necho {REPLY!r}",
    ),
    Language(
        "perl",
        "bot.pl",
        ("perl",),
        f"print {REPLY!r}",
        f"my $x = 'x' x {GREED}; print {REPLY!r}",
    ),
    Language(
        "ruby",
        "bot.rb",
        ("ruby",),
        f"puts {REPLY!r}",
        f"x = 'x' * {GREED}; puts {REPLY!r}",
    ),
    Language(
        "c",
        "bot.c",
        ("cc",),
        f'#include <stdio.h>\nint main(void) {{ puts("{REPLY.replace(chr(34), chr(92) + chr(34))}"); }}',
        "#include <stdlib.h>\n#include <string.h>\n"
        f"int main(void) {{ char *x = malloc({GREED}u); if (!x) abort();"
        f' memset(x, 1, {GREED}u); return x[atoi("7")] - 1; }}',
        "cc -O0 -o bot bot.c",
    ),
    Language(
        "java",
        "Bot.java",
        ("java", "javac", "jar"),
        "class Bot { public static void main(String[] a) {"
        f' System.out.println("{REPLY.replace(chr(34), chr(92) + chr(34))}"); }} }}',
        f"class Bot {{ public static void main(String[] a) {{ byte[] x = new byte[{GREED}];"
        " java.util.Arrays.fill(x, (byte) 1); System.out.println(x[7]); } }",
        "javac Bot.java && jar cfe bot.jar Bot Bot.class",
    ),
]


def run(language: Language, source: str, folder: Path, stop: Stop, level: str = "limits") -> bytes:
    for program in language.needs:
        need(program)
    (folder / language.file).write_text(source + "\n")
    (folder / language.file).chmod(0o644)
    if language.build:
        subprocess.run(["sh", "-c", language.build], cwd=folder, check=True)
    built = [path for path in ("bot", "bot.jar") if (folder / path).exists()]
    bot = find(str(folder / (built or [language.file])[0]))
    limits = Limits(timeout_ms=60_000)
    with alone(bot, stop, seed=1, limits=limits, isolation=choose(level)[0]) as connection:
        connection.send(b'{"cmd":"init"}')
        return connection.receive(math.inf)


@pytest.mark.parametrize("level", ["limits", "bwrap"])
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_small_bot_starts_under_the_default_limits(
    language: Language, tmp_path: Path, stop: Stop, level: str
) -> None:
    """256 MiB are enough for the runtime of every language, started as the judge starts it; and
    inside bubblewrap, what that shows of the machine."""
    if level == "bwrap":
        need("bwrap")
    assert run(language, language.replies, tmp_path, stop, level).strip() == REPLY.encode()


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_bot_that_touches_400_mb_does_not_get_through(
    language: Language, tmp_path: Path, stop: Stop
) -> None:
    """A bot does not get more than it is allowed, in any language: it crashes, and for no other
    reason than the limit."""
    with pytest.raises(Crashed):
        run(language, language.greedy, tmp_path, stop)
    if language.name != "java":  # whose own flags, fit to the limit, are in force at any level
        run(language, language.greedy, tmp_path, stop, level="none")
