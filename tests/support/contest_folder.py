"""A contest of shell bots in the current folder."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from commands import ROOT, Done, judge
from judge.cli.setup import Embedding

PLAYS = (ROOT / "tests" / "hostile" / "plays.sh").read_text()
PLACES = PLAYS.partition("hit=")[0]  # and then prints nothing
LEDGER = Path("bots.ledger.json")
JOURNAL = Path("bots.ledger.games.jsonl")


def rank(*arguments: str, embedding: Embedding | None = None) -> Done:
    return judge("rank", "bots", "--isolation", "none", *arguments, embedding=embedding)


def add_bots(**programs: str) -> None:
    """Make the folder of bots, with these."""
    Path("bots").mkdir()
    for name, program in programs.items():
        make(name, program)


def make(name: str, program: str = "#!/bin/sh\n") -> Path:
    path = Path("bots", f"{name}.sh")
    path.write_text(program)
    path.chmod(0o755)
    return path


def journal(path: Path = JOURNAL) -> list[dict[str, Any]]:
    """The games in a journal, in order."""
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [entry["record"] for entry in entries if entry["kind"] == "game"]


def couples(games: list[dict[str, Any]]) -> Counter[str]:
    return Counter(" ".join(seat["name"] for seat in game["seats"]) for game in games)


def without_times(value: Any) -> Any:
    """A game without what a clock put into it, and without what a run took."""
    clocks = {"started", "finished", "ms", "wall_ms", "cpu_ms", "peak_kib"}
    if isinstance(value, dict):
        value = {
            key: [shot[:5] for shot in inner] if key == "shots" else inner
            for key, inner in value.items()
        }
        return {key: without_times(inner) for key, inner in value.items() if key not in clocks}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value
