"""The findings of ``judge doctor --cluster`` on the workers of a cluster, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judge.documents.machines import Worker, WorkerMachine
from judge.show.doctor import problem_lines, table
from judge.show.text import WIDTH, Style, clean, many, paint, wrap

HEAD = ("worker", "host", "cores", "judge", "Python", "isolation", "a game")


def text(address: str, found: Sequence[Worker], *, colour: bool, width: int = WIDTH) -> str:
    """The table of the workers of a cluster, and the problems below it."""
    return "\n".join(_lines(address, found, colour, width))


def _lines(address: str, found: Sequence[Worker], colour: bool, width: int) -> Iterator[str]:
    able = [worker for worker in found if worker.reason is None]
    cores = many(sum(worker.cores for worker in able), "core")
    said = f"{many(len(found), 'worker')} at {address}"
    yield paint(clean(said), Style.BOLD, colour)
    if found:
        head, *rows = table([HEAD, *map(_row, found)], width)
        yield head
        for worker, row in zip(found, rows, strict=True):
            yield row
            if worker.machine is not None:
                yield from wrap(clean(_has(worker.machine)), "    ", width)
    yield ""
    for worker in found:
        if worker.reason is not None:
            yield from problem_lines(
                f"{worker.name} {worker.reason}.", width, fatal=True, colour=colour
            )
        for what in worker.problems:
            yield from problem_lines(f"{worker.name}: {what}.", width, fatal=False, colour=colour)
    if able:
        said = f"Games can be played on {many(len(able), 'worker')} with {cores}."
        yield paint(said, Style.GREEN, colour)
    else:
        yield paint("No worker can play games.", Style.RED, colour)


def _row(one: Worker) -> Sequence[str]:
    game = "-" if one.game_ms is None else f"{one.game_ms:,.0f} ms"
    machine = one.machine
    if machine is None:
        return one.name, "-", "-", "-", "-", "-", game
    return (
        one.name,
        machine.host,
        str(one.cores),
        machine.judge,
        machine.python,
        machine.isolation,
        game,
    )


def _has(machine: WorkerMachine) -> str:
    names = [program.name for program in machine.programs]
    return f"has {', '.join(names)}" if names else "has no interpreter"
