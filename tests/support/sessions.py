"""Console sessions: commands after ``$ ``, going on after ``> ``, and what each printed below it.

A command that ends with ``<TAB>`` is not run: the shell is offered words for its last one. A line of
stderr has ``! `` before it; an exit status that is not 0 is the last line, as ``[2]``.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from commands import ROOT, Done, judge

WIDTH = 110  # of a JSON document laid out

# What differs from run to run in a document. The last number of a shot is how long it took.
CLOCKS = {"started", "finished", "ms", "median", "p99", "max", "wall_ms", "cpu_ms"}
MACHINE = {"enforcement", "host", "digest", "worker_ms"}

_DIFFERS = [
    (re.compile(r"\b\d+(\.\d+)? (µs|ms|s|seconds?)\b"), "# s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?"), "DATE"),
    (re.compile(r"sha256:[0-9a-f]+|\b(?=[a-f]*\d)[0-9a-f]{12}\b"), "sha256:#"),
    (re.compile(r", \d+\.\d MiB at its peak"), ""),  # which a short run may be too quick for
    # What the tests themselves set by variables.
    (re.compile(r"^((?:  |Do it again: )judge .*?) --timeout 20s\b"), r"\1"),
    (re.compile(r"^((?:  |Do it again: )judge .*?) --isolation (limits|none)\b"), r"\1"),
]
_TIME = re.compile(r" +\d+\.\d\b")


@dataclass
class Example:
    command: str
    output: list[str] = field(default_factory=list)


def examples(text: str) -> list[Example]:
    """The commands of a session in order; what stands before the first is not part of it."""
    found: list[Example] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Example(line.removeprefix("$ ")))
        elif found and re.match(r">( |$)", line) and not found[-1].output:
            found[-1].command += f"\n{line[2:]}"
        elif found:
            found[-1].output.append(line)
    return found


_SIMPLE = r"""(?:[^|;&<>$`*()\\'"\n]|'[^']*'|"[^"$`\\]*")+"""
_PART = r"""(?:[^|;&`()\\'"\n]|'[^']*'|"[^"`\\]*"|\([^()]*\))+"""  # of a pipe
_SUPPORT = re.compile(r"python3 \$TESTS/support/(\w+\.py) ([\w. ]+)")


def run(command: str, folder: Path) -> Done:
    """The result of a command that the shell runs in the current folder, which is ``folder``. The
    judge runs in this process, which is quicker, if it is all of the command or stands in a
    pipe, and so does a program that tests share."""
    if command.endswith("<TAB>"):
        return _completed(command.removesuffix("<TAB>"))
    if support := _SUPPORT.fullmatch(command):
        program = str(ROOT / "tests" / "support" / support[1])
        with patch.object(sys, "argv", [program, *support[2].split()]):
            runpy.run_path(program, run_name="__main__")
        return Done(0, "", "")
    if re.fullmatch(rf"{_PART}(\|{_PART})*", command):
        parts = re.findall(_PART, command)
        ours = [place for place, part in enumerate(parts) if _is_judge(part)]
        if len(ours) == 1 and re.fullmatch(_SIMPLE, parts[ours[0]]):
            return _in_pipe(parts, ours[0], folder)
    return _by_shell(command, folder)


def _completed(typed: str) -> Done:
    """The words that a shell is offered in the place of the last one, each behind its kind."""
    typing = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    with patch.dict(os.environ, {**typing, "_JUDGE_COMPLETE": "bash_complete"}):
        return judge()


def _is_judge(command: str) -> bool:
    return bool(re.match(r" *(?:\w+=\S+ +)*(?:scripts/)?judge\b", command))


def _in_pipe(parts: list[str], place: int, folder: Path) -> Done:
    before, after = "|".join(parts[:place]), "|".join(parts[place + 1 :])
    given = _by_shell(before, folder) if before else Done(0, "", "")
    words = shlex.split(parts[place], comments=True)
    variables = dict(word.split("=") for word in takewhile(lambda word: "=" in word, words))
    with patch.dict(os.environ, variables):
        done = judge(*words[len(variables) + 1 :], typed=given.stdout)
    last = _by_shell(after, folder, done.stdout) if after else done._replace(stderr="")
    return Done(last.status, last.stdout, f"{given.stderr}{done.stderr}{last.stderr}")


def _by_shell(command: str, folder: Path, typed: str = "") -> Done:
    done = subprocess.run(
        ["sh", "-c", command],
        input=typed,
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{_programs(folder)}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'support'}",
            "TESTS": str(ROOT / "tests"),
        },
        timeout=300,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _programs(folder: Path) -> Path:
    """A folder beside this one with the judge of this checkout, and the Python that runs it."""
    programs = folder.with_name(f"{folder.name}-programs")
    if not programs.exists():
        programs.mkdir()
        for name, words in (("judge", " -m judge"), ("python3", "")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{words} "$@"\n')
            program.chmod(0o755)
    return programs


def printed(done: Done, folder: Path) -> list[str]:
    """The output of a command, as a session has it: without what differs from run to run."""
    lines = normal(done.stdout, folder)
    lines += [f"! {line}".rstrip() for line in normal(done.stderr, folder)]
    return [*lines, f"[{done.status}]"] if done.status else lines


def typed(command: str) -> list[str]:
    first, *more = command.split("\n")
    return [f"$ {first}", *(f"> {line}".rstrip() for line in more)]


def normal(text: str, folder: Path) -> list[str]:
    """The lines of a text without times, dates, paths and digests; a document is laid out."""
    lines: list[str] = []
    has_times = False  # as the table has, from the line that says so to its end
    for path, name in ((folder, "FOLDER"), (sys.executable, "PYTHON"), (ROOT, "CHECKOUT")):
        text = text.replace(str(path), name)
    for printed_line in text.splitlines():
        if found := document(printed_line):
            lines += laid_out(without_clocks(found))
            continue
        line = _same(printed_line)
        has_times = bool(line) and (has_times or bool(re.search(r"\bms\b", line)))
        lines.append(_TIME.sub("  #", line) if has_times else line)
    return lines


def document(line: str) -> dict[str, Any] | None:
    """The document that a line is, if it is one."""
    try:
        found = json.loads(line) if line.startswith('{"') else None
    except ValueError:  # the first line of what was broken into several
        return None
    return found


def _same(line: str) -> str:
    for pattern, instead in _DIFFERS:
        line = pattern.sub(instead, line)
    return line.rstrip()


def without_clocks(value: Any) -> Any:
    """A document with ``#`` for all that a clock or the machine put into it."""
    if isinstance(value, str):
        return re.sub(r"sha256:[0-9a-f]+", "sha256:#", value)
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return [without_clocks(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, inner in value.items():
        is_told = inner is not None and not isinstance(inner, dict)
        if key == "peak_kib" or (key in CLOCKS | MACHINE and is_told):  # a peak may be missed
            found[key] = "#"
        elif key == "shots" and isinstance(inner, list):
            found[key] = [[*shot[:5], "#"] for shot in inner]
        else:
            found[key] = without_clocks(inner)
    return found


def laid_out(value: Any, before: str = "", after: str = "", indent: int = 0) -> list[str]:
    """A document in lines to be read: what fits stands in one, and short items fill theirs."""
    whole = " " * indent + before + json.dumps(value, ensure_ascii=False) + after
    if len(whole) <= WIDTH or not isinstance(value, dict | list):
        return [whole]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    items = (
        [(f"{json.dumps(key)}: ", inner) for key, inner in value.items()]
        if isinstance(value, dict)
        else [("", inner) for inner in value]
    )
    lines: list[str] = []
    is_full = True
    for number, (name, inner) in enumerate(items, 1):
        laid = laid_out(inner, name, "," if number < len(items) else "", indent + 2)
        if is_full or len(laid) > 1 or len(lines[-1]) + len(laid[0].strip()) >= WIDTH:
            lines += laid
        else:
            lines[-1] += " " + laid[0].strip()
        is_full = len(laid) > 1
    return [" " * indent + before + opening, *lines, " " * indent + closing + after]
