"""The findings of ``judge doctor`` on this machine, as text and as a document, and on the workers of a
cluster, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import asdict

from judge.documents.machines import (
    Configuration,
    Doctor,
    Machine,
    Probed,
    Problem,
    Program,
    StandardOutput,
    Worker,
)
from judge.show.columns import ANY
from judge.show.text import WIDTH, Style, cells, clean, hanging, left, many, paint, painted, wrap


def document(
    machine: Machine,
    terminal: StandardOutput,
    configuration: Configuration,
    problems: tuple[Problem, ...],
) -> Doctor:
    """The ``doctor`` document of the findings."""
    return Doctor(
        **asdict(machine),
        terminal=terminal,
        configuration=configuration,
        problems=problems,
        can_play=not any(problem.fatal for problem in problems),
    )


def text(found: Doctor, *, colour: bool, width: int = WIDTH) -> str:
    """The findings as text, with the problems and the verdict last."""
    return "\n".join(_lines(found, colour, width))


def _lines(found: Doctor, colour: bool, width: int) -> Iterator[str]:
    def title(words: str) -> list[str]:
        return painted(clean(words), Style.BOLD, colour, width)

    yield from title(f"judge {found.judge}, Python {found.python}")
    yield from table(_facts(found), width)
    yield ""
    yield from title("Launching")
    yield from _checks(found.launching, width, colour)
    yield ""
    yield from title(f"Isolation: {found.isolation.level}")
    yield from _checks(found.isolation.limits, width, colour)
    if found.isolation.enforcement:
        yield from wrap(clean(f"By {'; '.join(found.isolation.enforcement)}."), "  ", width)
    if found.isolation.note:
        yield from wrap(clean(found.isolation.note.removeprefix("isolation: ")), "  ", width)
    if found.isolation.more:
        yield from wrap(clean(f"For more: {found.isolation.more}."), "  ", width)
    yield ""
    yield from title("Interpreters")
    yield from table([_program(program) for program in found.programs], width)
    yield ""
    yield from title(f"Configuration: {found.configuration.file or 'no file'}")
    settings = [
        (setting.option, setting.source, setting.value) for setting in found.configuration.settings
    ]
    yield from table(settings, width)
    yield ""
    for problem in found.problems:
        said = problem.what if problem.what.endswith("?") else f"{problem.what}."
        mend = f" To mend it: {problem.mend}." if problem.mend else ""
        yield from problem_lines(said + mend, width, fatal=problem.fatal, colour=colour)
    if found.can_play:
        yield paint("The judge can play here.", Style.GREEN, colour)
    else:
        yield paint("The judge cannot play here.", Style.RED, colour)


def _facts(found: Doctor) -> Iterator[Sequence[str]]:
    terminal, scratch = found.terminal, found.scratch
    yield "System", f"{found.system}, Linux {found.kernel}, {found.architecture}"
    yield "Python", found.python_path
    yield "Cores", str(found.cores)
    if scratch.path is not None and scratch.free_bytes is not None:
        yield "Scratch", f"{scratch.path}, {scratch.free_bytes / 2**30:.1f} GiB free"
    screen = f"a terminal, {terminal.columns} columns" if terminal.is_terminal else "no terminal"
    yield "Output", f"{screen}, {terminal.encoding}, {'colour' if terminal.colour else 'plain'}"
    yield "Schemas", f"{len(found.schemas)} found"
    able = sum(bot.problem is None for bot in found.bots)
    yield "Bots", f"{len(found.bots)} bundled, {able} can run here (judge bots lists them)"


def _program(program: Program) -> Sequence[str]:
    if program.path is None:
        return program.name, "none", program.mend or ""
    return program.name, program.version or "?", program.path


def _checks(checks: Iterable[Probed], width: int, colour: bool) -> Iterator[str]:
    for check in checks:
        mark = (
            paint("ok  ", Style.GREEN, colour) if check.works else paint("FAIL", Style.RED, colour)
        )
        yield from hanging(f"  {mark}  {left(clean(check.name), 16)}", clean(check.detail), width)


def problem_lines(text: str, width: int, *, fatal: bool, colour: bool) -> list[str]:
    """The lines of one problem. ``text`` has whole sentences."""
    head = paint("Problem: ", Style.RED if fatal else Style.ORANGE, colour)
    return hanging(head, clean(text), width)


def table(rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """The lines of rows in columns. The last column is wrapped to fit ``width``; it stands below
    the others if they leave no more than `NARROW` cells."""
    cleaned = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(cells, column)) + 2 for column in zip(*cleaned, strict=True)]
    for *heads, last in cleaned:
        start = "  " + "".join(left(cell, wide) for cell, wide in zip(heads, widths, strict=False))
        if width - cells(start) > NARROW:
            yield from hanging(start, last, width)
        else:
            yield from (start.rstrip(), *wrap(last, "      ", width))


NARROW = 16  # cells
_WORKER = ("worker", "host", "cores", "judge", "Python", "isolation", "a game")


def cluster_text(address: str, found: Sequence[Worker], *, colour: bool, width: int = WIDTH) -> str:
    """The table of the workers of a cluster, and the problems below it."""
    able = [worker for worker in found if worker.reason is None]
    said = f"{many(len(found), 'worker')} at {address}"
    lines = [paint(clean(said), Style.BOLD, colour)]
    head, *rows = table([_WORKER, *map(_worker_row, found)], ANY)  # a line for each worker
    lines += [head] if found else []
    for worker, row in zip(found, rows, strict=True):
        lines.append(row)
        if worker.machine is not None:
            lines += wrap(clean(_has(worker.machine)), "    ", width)
    lines.append("")
    for worker in found:
        said = f"{worker.name} {worker.reason}."
        if worker.reason is not None:
            lines += problem_lines(said, width, fatal=True, colour=colour)
        for what in worker.problems:
            said = f"{worker.name}: {what}."
            lines += problem_lines(said, width, fatal=False, colour=colour)
    verdict = paint("No worker can play games.", Style.RED, colour)
    if able:
        cores = many(sum(worker.cores for worker in able), "core")
        said = f"Games can be played on {many(len(able), 'worker')} with {cores}."
        verdict = paint(said, Style.GREEN, colour)
    return "\n".join([*lines, verdict])


def _worker_row(one: Worker) -> Sequence[str]:
    game = "-" if one.game_ms is None else f"{one.game_ms:,.0f} ms"
    machine = one.machine
    if machine is None:
        return one.name, "-", "-", "-", "-", "-", game
    return (
        one.name,
        one.host or "-",
        str(one.cores),
        machine.judge,
        machine.python,
        machine.isolation.level,
        game,
    )


def _has(machine: Machine) -> str:
    names = [program.name for program in machine.programs if program.path is not None]
    return f"has {', '.join(names)}" if names else "has no interpreter"
