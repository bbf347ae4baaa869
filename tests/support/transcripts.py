"""Transcripts of whole games: what each connection to a server sends and is sent, line by line.

``ann> …`` is a line that a client sends, ``ann< …`` one that it is sent. Other steps are words:
``connect ann``, ``close ann`` (the client closes), ``host …``. A board is written by runs, as
``[5.X58.]``, with ``o`` for the digit that marks a miss. ``#`` begins a comment, and the words
before the first step set up the server."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from changes import replace
from judge.documents.rules import Rules
from judge.game.variants import XBS

HERE = Path(__file__).parents[1] / "wire" / "transcripts"

BSP_GAMES = [
    "bsp_winner",
    "bsp_surrender",
    "bsp_surrender_in_turn",
    "bsp_disconnection",
    "bsp_timeout",
    "bsp_limit",
    "bsp_draw",
    "bsp_aborted",
    "bsp_queue",
]

XBS_GAMES = [
    "xbs_two",
    "xbs_three",
    "xbs_three_wrong",
    "xbs_dialect",
    "xbs_aborted",
    "xbs_lobby_aborted",
]


@dataclass(frozen=True)
class Step:
    who: str
    what: str  # ">", "<" or a word
    text: str


@dataclass(frozen=True)
class Transcript:
    setup: dict[str, str]
    steps: tuple[Step, ...]

    @property
    def xbs_rules(self) -> Rules:
        """The rules of a table; the set-up has those that differ."""
        fields = dict(pair.split("=") for pair in self.setup.get("rules", "").split())
        changes: dict = {name: int(text) for name, text in fields.items() if name != "fleet"}
        if "fleet" in fields:
            changes["fleet"] = tuple(map(int, fields["fleet"].split(",")))
        return replace(XBS, **changes)

    def sent_to(self) -> dict[str, bytes]:
        """All that each connection is sent, in one."""
        streams: dict[str, bytes] = defaultdict(bytes)
        for step in self.steps:
            if step.what == "<":
                streams[step.who] += step.text.encode() + b"\n"
        return streams

    def inputs(self, pieces: str) -> Iterator[Step]:
        """The steps that come from outside; lines of clients ``whole``, in ``bytes``, or ``joined``
        with those that the same client sends next. Their text ends with its line feed."""
        kept: list[Step] = []
        for step in [*self.steps, Step("", "end", "")]:
            if step.what == "<":
                continue
            if kept and (step.what != ">" or step.who != kept[0].who):
                yield from _in_pieces(kept, pieces)
                kept = []
            if step.what == ">":
                kept.append(step)
            elif step.what != "end":
                yield step


def _in_pieces(lines: list[Step], pieces: str) -> Iterator[Step]:
    texts = [step.text + "\n" for step in lines]
    if pieces == "joined":
        texts = ["".join(texts)]
    elif pieces == "bytes":
        texts = list("".join(texts))
    for text in texts:
        yield Step(lines[0].who, ">", text)


def read(name: str) -> Transcript:
    setup: dict[str, str] = {}
    steps = []
    for line in (HERE / f"{name}.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if found := re.match(r"([a-z0-9]+)([<>])(?: (.*))?$", line):
            steps.append(Step(found[1], found[2], _boards(found[3] or "")))
            continue
        word, _, rest = line.partition(" ")
        if word in ("connect", "close"):
            steps.append(Step(rest, word, ""))
        elif word == "host":
            steps.append(Step("", word, rest))
        else:
            assert not steps, line
            setup[word] = rest
    return Transcript(setup, tuple(steps))


def _boards(text: str) -> str:
    def whole(found: re.Match[str]) -> str:
        runs = re.findall(r"(\d*)([.A-WXo])", found[1])
        return "".join(char * int(count or 1) for count, char in runs).replace("o", "0")

    return re.sub(r"\[([^]]*)\]", whole, text)
