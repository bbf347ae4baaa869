"""A checkout of the judge whose rows are measured by its own scripts/bench, in processes of its
own.

Trees may be far apart: nothing of the other is imported, and what it can do is asked of its
scripts/bench. One that knows ``--on-request`` keeps a process for a row and measures a round for
each line it is sent; an older one is run once for each round.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

ON_REQUEST = "--on-request"
NO_ROW = re.compile(r"there is no row '.*'; there are (.+)")
PATIENCE = 10  # seconds that an interrupted process has for ending

# Printed by a tree's own interpreter, as a script of the tree would find things: without the
# working folder on its path (-P).
ABOUT = """\
import json, sys
from importlib.metadata import distributions
from importlib.util import find_spec
judge = find_spec("judge")
print(json.dumps({
    "base": sys._base_executable,
    "version": sys.version,
    "judge": judge and judge.origin,
    "packages": {each.metadata["Name"].lower(): each.version for each in distributions()},
}))
"""


class TreeError(Exception):
    """A folder cannot be compared with; the sentence says why, and what would mend it."""


class RowError(Exception):
    """A tree's bench gave no figures for a row; the text ends with what it wrote on stderr."""


class Figure(NamedTuple):
    """One figure of one round, and the bound that its own tree sets."""

    figure: float
    bound: float


Figures = Mapping[str, Figure]  # of one round of a row, by their unit: "" for a ratio
Measure = Callable[[], Figures]


class About(NamedTuple):
    """What a tree's interpreter says of itself."""

    base: str
    version: str
    judge: str | None
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tree:
    """A checkout that is ready to be measured; ``environment`` is that of its processes."""

    root: Path
    rows: tuple[str, ...]
    on_request: bool
    about: About
    environment: Mapping[str, str]


def open_tree(root: Path, python: str | None = None) -> Tree:
    """A tree made ready by its own scripts, with a virtual environment made from ``python`` if it
    has none; TreeError where that cannot be, or where it has one of another Python."""
    script = root / "scripts" / "bench"
    if not root.is_dir():
        raise TreeError(f"there is no folder {root}; --against takes a checkout of the judge")
    if not (script.is_file() and (root / "judge" / "__init__.py").is_file()):
        raise TreeError(f"{root} is no checkout of the judge: it lacks scripts/bench or judge/")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON"}
    if about(root) is None and python is not None:
        print(f"bench: {root} has no .venv yet; its scripts/bench makes one …", file=sys.stderr)
        environment["PYTHON"] = python
    helped = subprocess.run(
        [script, "--help"],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if helped.returncode:
        raise TreeError(f"{script} --help failed; what it said stands above")
    found = about(root)
    if found is None:
        raise TreeError(f"{root}/.venv/bin/python does not run, although scripts/bench did")
    if python is not None and not Path(found.base).samefile(python):
        raise TreeError(
            f"{root}/.venv is made from {found.base}, this tree's from {python}; to make it from "
            f"the same one, run: PYTHON={python} {script} --help"
        )
    if found.judge is None or not Path(found.judge).resolve().is_relative_to(root.resolve()):
        raise TreeError(
            f"the Python of {root} imports the judge from {found.judge}; is PYTHONPATH set?"
        )
    return Tree(root, rows(script, environment), ON_REQUEST in helped.stdout, found, environment)


def about(root: Path) -> About | None:
    """What the tree's interpreter says of itself, or None where it has none that runs."""
    python = root / ".venv" / "bin" / "python"
    try:
        done = subprocess.run(
            [python, "-P", "-c", ABOUT], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return About(**json.loads(done.stdout))


def rows(script: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of a tree's rows, as its bench tells them to whoever asks for one that is none."""
    asked = subprocess.run(
        [script, "--rows", "?"],
        cwd=script.parents[1],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    told = NO_ROW.search(asked.stderr)
    if not told:
        print(asked.stderr, end="", file=sys.stderr)
        raise TreeError(f"{script} does not say which rows it has; what it said stands above")
    return tuple(told[1].split(", "))


def differences(one: About, other: About) -> list[str]:
    """Packages that both trees have, in different versions."""
    return [
        f"{name} {one.packages[name]} and {other.packages[name]}"
        for name in sorted(one.packages.keys() & other.packages.keys())
        if one.packages[name] != other.packages[name] and not name.startswith("battleships")
    ]


@contextmanager
def measuring(tree: Tree, row: str, on_request: bool) -> Iterator[Measure]:
    """Yields what measures one round of a row; RowError from it where there are no figures."""
    if not on_request:
        yield lambda: _run_once(tree, row)
        return
    with _started(tree, ["--rows", row, ON_REQUEST], subprocess.PIPE) as (process, told):
        yield lambda: _request(process, told, tree, row)


def _run_once(tree: Tree, row: str) -> Figures:
    arguments = ["--rows", row, "--repeat", "1", "--json"]
    with _started(tree, arguments, subprocess.DEVNULL) as (process, told):
        assert process.stdout
        return _figures(process.stdout.read(), tree, row, told)


def _request(process: subprocess.Popen[str], told: IO[str], tree: Tree, row: str) -> Figures:
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write("\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    return _figures(answer, tree, row, told)


def _figures(document: str, tree: Tree, row: str, told: IO[str]) -> Figures:
    """The figures of a round, from what bench prints with --json."""
    try:
        results: list[dict[str, Any]] = json.loads(document)
        return {
            result["unit"]: Figure(float(result["figure"]), float(result["bound"]))
            for result in results
            if result["row"] == row
        }
    except (ValueError, LookupError, TypeError):
        told.seek(0)
        said = told.read().strip() or f"It printed {document!r}."
        raise RowError(f"{tree.root} gave no figures for {row}:\n{said}") from None


@contextmanager
def _started(
    tree: Tree, arguments: list[str], stdin: int
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A run of a tree's bench, and the file that it writes its stderr to. It runs in the tree's
    own folder: ``python -c`` imports from the folder that it is started in. It has a session of its
    own, so that Ctrl-C reaches only us; at our end it is waited for, or interrupted like that."""
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [tree.root / "scripts" / "bench", *arguments],
            cwd=tree.root,
            env=tree.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
            start_new_session=True,
        )
        try:
            yield process, told
            if process.stdin:
                process.stdin.close()
            process.wait()
        except BaseException:
            _interrupt(process)
            raise
        finally:
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):  # a line that nobody reads any more
                    if pipe:
                        pipe.close()


def _interrupt(process: subprocess.Popen[str]) -> None:
    """Ends it as Ctrl-C would, with all that it has started; by force where that is not enough."""
    try:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
