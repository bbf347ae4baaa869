"""Python programs in which a fork might show: each must look the same in both ways of launching."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent


@dataclass(frozen=True)
class Odd:
    """A program, and what lies beside it in its folder."""

    source: str | bytes
    beside: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Its file, in that folder, with its neighbours."""
        for name, text in self.beside.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        path = folder / "bot.py"
        source = self.source
        path.write_bytes(dedent(source).encode() if isinstance(source, str) else source)
        return path


CODES = {
    "None": "None",
    "3": "3",
    "True": "True",
    "256": "256",
    "-1": "-1",
    "a big number": "2**40 + 5",
    "a huge number": "2**70",
    "a text": "'no moves left'",
    "bytes": "b'no'",
    "a float": "1.0",
    "an empty text": "''",
    "what cannot be told": "type('X', (), {'__str__': lambda self: 1 / 0})()",
}


def written() -> Iterator[tuple[str, Odd]]:
    """The programs of odd.txt: ``=== name`` begins one and ``--- path`` a file beside it."""
    text = re.sub(r"(?m)^==== .*\n", "", Path(__file__).with_suffix(".txt").read_text())
    for part in re.split(r"(?m)^=== ", text)[1:]:
        program, *beside = re.split(r"(?m)^--- ", part)
        name, _, source = program.partition("\n")
        files = dict(file.split("\n", 1) for file in beside)
        yield name, Odd(source, files)


ODD: dict[str, Odd] = {
    **dict(written()),
    **{
        f"exits with {name}": Odd(f"import sys\nprint('said')\nsys.exit({code})\n")
        for name, code in CODES.items()
    },
    "has a null byte": Odd(b"print(1)\0\n"),
    "is not UTF-8": Odd(b"print('caf\xe9')\n"),
    "is Latin-1": Odd(b"# coding: latin-1\nprint(ascii('caf\xe9'))\n"),
    "has an unknown coding": Odd(b"# coding: klingon\nprint(1)\n"),
    "begins with a byte order mark": Odd(b"\xef\xbb\xbfprint(ascii('\xc3\xa9'))\n"),
    "has Windows line ends": Odd(b"if 1:\r\n    print('a')\r\n"),
    "is nested too deep": Odd("x = " + "(" * 300 + ")" * 300 + "\n"),
    "is not text": Odd(bytes(range(256))),
}
