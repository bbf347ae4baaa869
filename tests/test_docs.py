"""The README tells the truth: its commands run, and print what it says they print."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge import schemas
from judge.cli import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOT_RUN_HERE = {"scripts/test"}  # it runs this very test; tests/test_scripts.py looks at it


@dataclass(frozen=True)
class Example:
    command: str
    output: list[str]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def examples(block: str) -> list[Example]:
    found: list[Example] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Example(line.removeprefix("$ "), []))
        else:
            found[-1].output.append(line)
    return [example for example in found if example.command not in NOT_RUN_HERE]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command as in a checkout, with the judge and the bots of this one; and what a printf
    before it would pipe into it."""
    piped, _, command = command.rpartition(" | ")
    program, *arguments = shlex.split(command)
    assert program in {"judge", "scripts/judge", "mkdir", "cp"}, f"what is {program}?"
    if program.endswith("judge"):
        arguments = ["-m", "judge", *arguments]
        program = sys.executable
    return subprocess.run(
        [program, *arguments],
        input=shlex.split(piped)[1].replace("\\n", "\n") if piped else "",
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )


def without_times(lines: list[str]) -> list[str]:
    """Lines without what differs from machine to machine: times, paths, spacing, and what the
    isolation lets a bot keep."""
    differs = r" +ran |  99 of 100|  worst|ms a move|ok +remembers nothing"
    kept = [line for line in lines if not re.match(differs, line)]
    return [
        " ".join(re.sub(r"\d+(\.\d)? m?s\b|\d+\.\d|\b\d{4,}\b", "#", line).split()) for line in kept
    ]


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0])
def test_the_commands_of_the_readme_print_what_it_says(block: str, tmp_path: Path) -> None:
    """Every command in the README runs; what stands below it is what it prints."""
    (bot,) = blocks("python")
    if "bad-output" in block:
        bot = bot.replace('"move":', '"mov":')
    if "FAIL" in block:
        bot = bot.replace('set(request["hit"] + request["missed"])', 'set(request["hit"])')
    (tmp_path / "bot.py").write_text(bot)
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    for example in examples(block):
        done = run(example.command, tmp_path)
        assert done.returncode == (3 if "FAIL" in block else 0), done.stderr
        wanted = without_times(example.output)
        assert without_times(done.stdout.splitlines())[: len(wanted)] == wanted


def test_every_command_has_its_place_in_the_readme() -> None:
    """No command without a line about it."""
    assert [name for name in COMMANDS if f"judge {name}" not in README] == []


def test_every_document_of_the_readme_is_valid() -> None:
    """A rules file shown is a rules file."""
    (rules,) = blocks("json")
    assert schemas.problem("rules", json.loads(rules)) is None


def test_every_schema_is_named() -> None:
    """Whoever looks for the format of a document finds its schema's name."""
    assert [name for name in schemas.names() if f"`{name}`" not in README] == []


def test_every_link_leads_somewhere() -> None:
    """Links within the tree point to what is there."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """What CI runs is what the README tells a user to run."""
    assert "$ scripts/test\n" in README
    assert re.search(r"^(exec )?scripts/test$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
