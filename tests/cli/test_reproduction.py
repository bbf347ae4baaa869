"""The command that plays a game again carries all that shaped the game, wherever it came from."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clean import clean_environment
from commands import ROOT, judge_in
from contest_folder import journal as games_in
from strategies import examples

PLAYS = str(ROOT / "tests" / "hostile" / "plays.sh")

# What may shape a game, as it is typed; a variable and a judge.toml can say each of them, too.
SHAPING = {
    "rules": ["brainjar", "rules.json"],
    "timeout": ["30s", "45s"],
    "memory": ["300M", "1G"],
    "output_limit": ["32K"],
    "dialect": ["engine", "readme"],
    "isolation": ["none", "limits"],
    "first": ["a", "b", "random"],
}
RULES = {
    "name": "small",
    "columns": 8,
    "rows": 8,
    "fleet": [5, 4, 3, 2],
    "turn": "single",
    "repeat": "illegal",
    "placing": "all",
    "bad_move": "forfeits",
}


judge = partial(judge_in, environment=clean_environment())


def shape(record: dict[str, Any]) -> str:
    """All of a record but what a clock or a ledger put into it."""
    put_in = ("id", "number", "started", "finished")
    kept = {name: record[name] for name in record if name not in put_in}
    kept["shots"] = [shot[:5] for shot in record["shots"]]
    kept["seats"] = [{**seat, "ms": None} for seat in record["seats"]]
    return json.dumps(kept, sort_keys=True)


@st.composite
def settings(draw: st.DrawFn) -> dict[str, tuple[str, str]]:
    """A value for some of these options, and by which way it is said."""
    chosen = draw(st.sets(st.sampled_from(sorted(SHAPING)), min_size=2))
    return {
        name: (
            draw(st.sampled_from(SHAPING[name])),
            draw(st.sampled_from(["typed", "variable", "file"])),
        )
        for name in sorted(chosen)
    }


@examples(4)
@given(said=settings())
def test_the_printed_command_plays_the_very_same_game(
    said: dict[str, tuple[str, str]], tmp_path_factory: Any
) -> None:
    """Whether flags, variables or judge.toml shaped a game, the command printed after it plays it
    again with neither variables nor judge.toml."""
    there = tmp_path_factory.mktemp("there")
    (there / "rules.json").write_text(json.dumps(RULES))
    typed, variables, lines = [], {}, []
    for name, (value, way) in said.items():
        flag = f"--{name.replace('_', '-')}"
        if way == "typed":
            typed += [flag, value]
        elif way == "variable":
            variables[f"JUDGE_{name.upper()}"] = value
        else:
            lines.append(f"{name.replace('_', '-')} = {json.dumps(value)}")
    config = there / "judge.toml"
    config.write_text("\n".join(lines))
    variables["JUDGE_CONFIG"] = "judge.toml"
    played = judge(there, "fight", PLAYS, f"twin={PLAYS}", *typed, "--quiet", **variables)
    assert played.returncode == 0, played.stderr
    (kept,) = games_in(there / "ledger.games.jsonl")
    command = re.search(r"^  judge (.*)$", played.stdout, re.MULTILINE)
    assert command, played.stdout

    config.unlink()
    again = judge(there, *shlex.split(command[1]), "--json", "--no-ledger")
    assert again.returncode == 0, again.stderr
    assert shape(json.loads(again.stdout)["records"][0]) == shape(kept)


def test_a_game_that_was_not_to_be_kept_is_not_kept_again(tmp_path: Path) -> None:
    """`--no-ledger` is carried too, so that a game played again is in no ledger."""
    (tmp_path / "judge.toml").write_text("[fight]\nno-ledger = true\n")
    config = ["--config", "judge.toml"]
    played = judge(tmp_path, *config, "fight", PLAYS, PLAYS, "--quiet", JUDGE_TIMEOUT="40s")
    command = re.search(r"^  judge (.*)$", played.stdout, re.MULTILINE)
    assert command, played.stdout
    assert {"--no-ledger", "--timeout", "40s"} <= {*shlex.split(command[1])}
