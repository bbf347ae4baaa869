"""Plays a small bot in each of many languages, to see which runtimes do with a level of isolation
and a memory limit. Run it by `scripts/runtimes`.

A bot is made and built in a temporary folder, from `judge new` or `scripts/small_bots` (whose bots
shoot from the first cell on, which is where their ships lie), and plays a game against itself: so the table says that it plays when neither seat has forfeited. Nothing is
installed; a language that is not there is named with what brings it. A move may take 10 s, because
memory is what is tried here. Exit status 1 says that a runtime that is there does not play.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from judge.documents.game import Termination
from judge.process.bots.scaffolds import SCAFFOLDS, TEMPLATES, make
from measuring import JUDGE, SMALL_BOTS, table_head, table_row

TIMEOUT = "10s"
MOST_SECONDS = 300  # of a build, or of a game


class Runtime(NamedTuple):
    """A language with a bot: a template's name, or a file of `SMALL_BOTS` and what starts it."""

    language: str
    brought_by: str  # what to install where it is not there
    bot: str
    command: str = ""
    build: str = ""
    version: str = ""  # the command that says it; else the first program's --version


RUNTIMES = [
    Runtime(**one)
    for one in tomllib.loads((SMALL_BOTS / "runtimes.toml").read_text(encoding="utf-8"))["runtime"]
]


class NotPlayed(Exception):
    """Why a runtime is not tried here, or why the judge does not play its bot."""


def prepare(runtime: Runtime, folder: Path) -> None:
    """Make and build its bot in a folder that is not there yet; raises `NotPlayed`."""
    programs = [words[0] for words in (build(runtime), command(runtime)) if words]
    for program in programs:
        if not program.startswith("./") and not shutil.which(program):
            raise NotPlayed(f"there is no {program} on PATH ({runtime.brought_by})")
    if runtime.bot not in SCAFFOLDS:
        folder.mkdir()
        shutil.copy(SMALL_BOTS / runtime.bot, folder)
    elif unbuilt := make(runtime.bot, folder).unbuilt:
        raise NotPlayed(unbuilt)
    if runtime.build and (done := run(build(runtime), folder)).returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        error = next((line for line in said if "rror" in line), said[-1])
        raise NotPlayed(f"{programs[0]} failed: {error}")
    if runtime.command:
        manifest = {"command": command(runtime)}
        (folder / "bot.json").write_text(json.dumps(manifest), encoding="utf-8")


def build(runtime: Runtime) -> list[str]:
    """The words of the command that builds its bot, if it is built."""
    scaffold = SCAFFOLDS.get(runtime.bot)
    return shlex.split(runtime.build or (scaffold.build if scaffold else ""))


def command(runtime: Runtime) -> list[str]:
    """The words of the command that starts its bot."""
    if runtime.command:
        return shlex.split(runtime.command)
    manifest = json.loads((TEMPLATES / runtime.bot / "bot.json").read_text(encoding="utf-8"))
    return list(manifest["command"])


def version(runtime: Runtime) -> str:
    """As its program says it; empty where that says nothing that looks like a version."""
    usual = [(build(runtime) or command(runtime))[0], "--version"]
    done = run(shlex.split(runtime.version) or usual)
    said = done.stdout + done.stderr
    found = re.search(r"\d+(\.\d+)+", said) or re.search(r"\d+", said)
    return found[0] if found else ""


def run(words: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=MOST_SECONDS,
        check=False,
    )


def asked_of_the_judge(words: Sequence[str]) -> dict[str, Any]:
    """The JSON that a command of the judge prints; raises `NotPlayed` if it prints none."""
    done = run([JUDGE, *words, "--json"])
    if not done.stdout:
        raise NotPlayed(done.stderr.strip())
    return dict(json.loads(done.stdout))


def row(runtime: Runtime, held: Sequence[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether nothing is amiss, and the cells of the table."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # for a bot that is nobody's
        folder = Path(place, "bot")
        try:
            prepare(runtime, folder)
        except NotPlayed as why:
            return True, (runtime.language, "", f"not tried: {why}", "", "")
        fight = ("fight", str(folder), f"other={folder}", "--no-ledger", "--seed", "1", *held)
        check = ("check", str(folder), "--only", "makes the first move of a game", *held)
        try:
            fought, checked = map(asked_of_the_judge, (fight, check))
        except NotPlayed as why:
            return False, (runtime.language, version(runtime), f"no: {why}", "", "")
    record = fought["records"][0]
    outcome = record["outcome"]
    times = [seat["ms"] for seat in record["seats"]] + [shot[-1] for shot in record["shots"]]
    plays = outcome["winner"] is not None and outcome["termination"] == Termination.FLEET_DESTROYED
    peak = checked["peak_kib"]
    return plays, (
        runtime.language,
        version(runtime),
        "yes" if plays else f"no: {outcome['detail'].partition('; ')[0]}",
        f"{statistics.median(times):.0f}",
        f"{peak / 1024:.0f}" if peak else "",
    )


@click.command(help=__doc__)
@click.argument("languages", metavar="[LANGUAGE]…", nargs=-1)
@click.option(
    "--isolation",
    default="bwrap",
    show_default=True,
    type=click.Choice(["bwrap", "limits", "none"]),
)
@click.option("--memory", default="256M", show_default=True, help="For each move.")
def main(languages: Sequence[str], isolation: str, memory: str) -> None:
    # As for a bot, for which the judge's own Python comes first.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    held = ("--isolation", isolation, "--memory", memory, "--timeout", TIMEOUT)
    table_head("language", "version", "plays", "ms a move", "peak MiB")
    status = 0
    for runtime in RUNTIMES:
        name = runtime.language.casefold()
        if not languages or any(word.casefold() in name for word in languages):
            is_well, cells = row(runtime, held)
            status |= not is_well
            table_row(*cells)
    sys.exit(status)


if __name__ == "__main__":
    main(prog_name="scripts/runtimes")
