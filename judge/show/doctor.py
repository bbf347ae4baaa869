"""What ``judge doctor`` found out, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from judge.process.sandbox.doctor import Machine, Problem, Program
from judge.process.sandbox.probes import Probed
from judge.quoting import json_text
from judge.show.text import WIDTH, Style, cells, clean, left, paint, wrap


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option, the value that holds, and where it came from; ``default`` for its own."""

    option: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration file in force, if any, and every option as it stands."""

    file: str | None
    settings: tuple[OptionValue, ...]


@dataclass(frozen=True, slots=True)
class Terminal:
    """What stdout is."""

    is_terminal: bool
    colour: bool
    columns: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Findings:
    machine: Machine
    terminal: Terminal
    configuration: Configuration
    problems: tuple[Problem, ...]

    @property
    def can_play(self) -> bool:
        return not any(problem.fatal for problem in self.problems)


def document(findings: Findings) -> str:
    """The ``doctor`` document."""
    whole = {
        "version": 1,
        "kind": "doctor",
        "can_play": findings.can_play,
        "problems": [asdict(problem) for problem in findings.problems],
        **asdict(findings.machine),
        "terminal": asdict(findings.terminal),
        "configuration": asdict(findings.configuration),
    }
    return json_text(json.dumps(whole, indent=2, ensure_ascii=False))


def text(findings: Findings, *, colour: bool, width: int = WIDTH) -> str:
    """Some sixty lines; what has to be done comes last."""
    return "\n".join(_lines(findings, colour, width))


def _lines(findings: Findings, colour: bool, width: int) -> Iterator[str]:
    def title(words: str) -> Iterator[str]:
        for line in wrap(clean(words), width=width):
            yield paint(line, Style.BOLD, colour)

    machine = findings.machine
    yield from title(f"judge {machine.judge}, Python {machine.python}")
    yield from table(_facts(findings), width)
    yield ""
    yield from title("Launching")
    yield from _checks(machine.launching, width, colour)
    yield ""
    yield from title(f"Isolation: {machine.isolation.level}")
    yield from _checks(machine.isolation.limits, width, colour)
    if machine.isolation.enforcement:
        yield from wrap(clean(f"By {'; '.join(machine.isolation.enforcement)}."), "  ", width)
    if machine.isolation.note:
        yield from wrap(clean(machine.isolation.note.removeprefix("isolation: ")), "  ", width)
    if machine.isolation.more:
        yield from wrap(clean(f"For more: {machine.isolation.more}."), "  ", width)
    yield ""
    yield from title("Interpreters")
    yield from table([_program(program) for program in machine.programs], width)
    yield ""
    yield from title(f"Configuration: {findings.configuration.file or 'no file'}")
    settings = [(one.option, one.source, one.value) for one in findings.configuration.settings]
    yield from table(settings, width)
    yield ""
    for problem in findings.problems:
        said = problem.what if problem.what.endswith("?") else f"{problem.what}."
        mend = f" To mend it: {problem.mend}." if problem.mend else ""
        yield from problem_lines(said + mend, width, fatal=problem.fatal, colour=colour)
    if findings.can_play:
        yield paint("The judge can play here.", Style.GREEN, colour)
    else:
        yield paint("The judge cannot play here.", Style.RED, colour)


def _facts(findings: Findings) -> Iterator[Sequence[str]]:
    machine, terminal, scratch = findings.machine, findings.terminal, findings.machine.scratch
    yield "System", f"{machine.system}, Linux {machine.kernel}, {machine.architecture}"
    yield "Python", machine.python_path
    yield "Cores", str(machine.cores)
    if scratch.path is not None and scratch.free_bytes is not None:
        yield "Scratch", f"{scratch.path}, {scratch.free_bytes / 2**30:.1f} GiB free"
    screen = f"a terminal, {terminal.columns} columns" if terminal.is_terminal else "no terminal"
    yield "Output", f"{screen}, {terminal.encoding}, {'colour' if terminal.colour else 'plain'}"
    yield "Schemas", f"{len(machine.schemas)} found"
    able = sum(bot.problem is None for bot in machine.bots)
    yield "Bots", f"{len(machine.bots)} bundled, {able} can run here (judge bots lists them)"


def _program(program: Program) -> Sequence[str]:
    if program.path is None:
        return program.name, "none", program.mend or ""
    return program.name, program.version or "?", program.path


def _checks(checks: Iterable[Probed], width: int, colour: bool) -> Iterator[str]:
    for check in checks:
        mark = (
            paint("ok  ", Style.GREEN, colour) if check.works else paint("FAIL", Style.RED, colour)
        )
        first, *more = wrap(clean(check.detail), " " * 24, width)
        yield f"  {mark}  {left(clean(check.name), 16)}{first.lstrip()}"
        yield from more


def problem_lines(text: str, width: int, *, fatal: bool, colour: bool) -> Iterator[str]:
    """The lines of one problem, which is told in whole sentences."""
    first, *more = wrap(clean(text), " " * 9, width)
    yield paint("Problem: ", Style.RED if fatal else Style.ORANGE, colour) + first.lstrip()
    yield from more


def table(rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """Rows of cells in columns, the last of them wrapped to the width."""
    cleaned = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(cells, column)) + 2 for column in zip(*cleaned, strict=True)]
    for *heads, last in cleaned:
        start = "  " + "".join(left(cell, wide) for cell, wide in zip(heads, widths, strict=False))
        first, *more = wrap(last, " " * cells(start), width) or [""]
        yield (start + first.lstrip()).rstrip()
        yield from more
