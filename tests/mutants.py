"""Count the mutants of five rooms that the fast tests kill; ``tests/baselines.md`` says how.

    .venv/bin/python tests/mutants.py FOLDER [PROCESSES]

FOLDER keeps the coverage and each outcome, so the same command goes on after a break.
"""

from __future__ import annotations

import ast
import json
import os
import random
import resource
import shlex
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from itertools import accumulate, chain
from multiprocessing import Pool
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import coverage
import hypothesis  # noqa: F401  # imported once here, and not again for each mutant
import numpy  # noqa: F401, ICN001  # the same
import pytest
from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-untyped]
from cosmic_ray.mutating import mutate_code  # type: ignore[import-untyped]
from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-untyped]
from coverage.parser import PythonParser

ROOT = Path(__file__).resolve().parent.parent
ROOMS, EACH, SEED = ("game", "stats", "contest", "wire", "play"), 80, 30
SECONDS = 5.0  # processor time of the tests that a mutant is tried with, in its room and elsewhere
# As scripts/test --fast, and with CI Hypothesis draws the same examples each time.
ENVIRONMENT = {"CI": "1", "JUDGE_TEST_FAST": "1", "JUDGE_TEST_EXAMPLES": "0.1"}
FAST = [f"tests/{room}" for room in (*ROOMS, "logs", "show", "house/test_schemas.py")]
OPTIONS = shlex.split("-x -q -p no:cacheprovider -p no:xdist -m 'not whole'")
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis was imported before


class Mutant(NamedTuple):
    path: str
    line: int
    operator: str
    occurrence: int

    @property
    def room(self) -> str:
        return self.path.split("/")[1]

    def sources(self) -> tuple[str, str]:
        source = (ROOT / self.path).read_text()
        return source, mutate_code(source, get_operator(self.operator)(), self.occurrence)


class Chosen:
    """A plugin that runs these tests in this order."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])


class Measured:
    """A plugin that notes the processor time and the lines of each test."""

    def __init__(self, measure: coverage.Coverage) -> None:
        self.measure = measure
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.measure.switch_context(item.nodeid)
        started = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - started
            self.measure.switch_context("")


def forked(seconds: int, work: Callable[[], int]) -> int:
    """The exit status of a forked process that has this much processor time for its work."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.alarm(10 * seconds)  # ends a mutant that waits for ever
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        os._exit(work())
    finally:
        os._exit(70)


def run(tests: list[str], mutant: Mutant | None = None) -> int:
    """Run tests with the mutant in the place of its module. The file stays as it is."""
    get_code = SourceFileLoader.get_code

    def code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if mutant and loader.path == str(ROOT / mutant.path):
            return loader.source_to_code(mutant.sources()[1].encode(), loader.path)
        return get_code(loader, name)

    files = sorted({test.split("::")[0] for test in tests})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "get_code", code)
        return pytest.main([*OPTIONS, *files], [Chosen(tests)])


def measure(folder: Path) -> int:
    measure = coverage.Coverage(str(folder / "coverage"), branch=True, source=["judge"])
    plugin = Measured(measure)
    with measure.collect():
        status = pytest.main([*OPTIONS, *FAST], [plugin])
    measure.save()
    if not status:
        (folder / "seconds.json").write_text(json.dumps(plugin.seconds))
    return status


@cache
def seconds(folder: Path) -> dict[str, float]:
    return dict(json.loads((folder / "seconds.json").read_text()))


def quickest(folder: Path, tests: Iterable[str]) -> list[str]:
    """The quickest test and as many of the next as end in SECONDS."""
    known = seconds(folder)
    order = sorted(tests, key=lambda test: (known[test], test))
    ends = accumulate(known[test] for test in order)
    return [
        test for test, end in zip(order, ends, strict=True) if end < SECONDS or test == order[0]
    ]


def near(room: str, tests: Iterable[str]) -> set[str]:
    return {test for test in tests if test.startswith(f"tests/{room}/")}


def unmutated(folder: Path, room: str) -> int:
    return forked(3600, partial(run, quickest(folder, near(room, seconds(folder)))))


def drawn(room: str) -> list[Mutant]:
    """Places of the room with equal chances, and one mutant of each. A ``|`` stays, for most stand
    in types, which nothing evaluates."""
    places: dict[tuple[object, ...], list[Mutant]] = defaultdict(list)
    for file in sorted((ROOT / "judge" / room).rglob("*.py")):
        path, nodes = str(file.relative_to(ROOT)), list(ast_nodes(get_ast(file.read_text())))
        for name in sorted(operator_names()):
            operator = get_operator(name)
            if not operator.arguments() and "Operator_BitOr_" not in name:
                spans = chain.from_iterable(map(operator().mutation_positions, nodes))
                for number, span in enumerate(spans):
                    places[path, *span].append(Mutant(path, span[0][0], name, number))
    luck = random.Random(f"{SEED} {room}")
    return [luck.choice(places[place]) for place in luck.sample(sorted(places), EACH)]


def reached(folder: Path, mutant: Mutant) -> set[str]:
    """The tests that run the statement; if it runs at import, those that run any of its file, or
    those of its room if no test does."""
    data, source = coverage.CoverageData(str(folder / "coverage")), mutant.sources()[0]
    data.read()
    lines = data.contexts_by_lineno(str(ROOT / mutant.path))
    parser = PythonParser(text=source)
    parser.parse_source()
    found = set(lines.get(parser.first_line(mutant.line), ()))
    functions = [
        range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    if found == {""} or not any(mutant.line in function for function in functions):
        found = set(chain.from_iterable(lines.values()))
    return near(mutant.room, seconds(folder)) if found == {""} else found - {""}


def tried(folder: Path, mutant: Mutant) -> tuple[int, int]:
    """The exit status of the tests of its room or, if it survives them, of the other tests that
    run the mutant, and how many run it."""
    tests, status = reached(folder, mutant), 0
    for some in (near(mutant.room, tests), tests - near(mutant.room, tests)):
        if some and not status:
            status = forked(30 + 5 * int(SECONDS), partial(run, quickest(folder, some), mutant))
    return status, len(tests)


def main(folder: Path, processes: int = 1) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.update(ENVIRONMENT)
    os.chdir(ROOT)
    if not (folder / "seconds.json").exists() and forked(3600, partial(measure, folder)):
        raise SystemExit("The fast tests fail without a mutant.")
    with (
        (folder / "outcomes.jsonl").open("a+") as file,
        tempfile.TemporaryDirectory() as tempfile.tempdir,
        Pool(processes) as pool,
    ):
        file.seek(0)
        known = [json.loads(line) for line in file]
        if not known and any(pool.map(partial(unmutated, folder), ROOMS)):
            raise SystemExit("The fast tests fail without a mutant, the quickest first.")
        sample = list(chain(*zip(*map(drawn, ROOMS), strict=True)))
        for outcome in pool.imap(partial(tried, folder), sample[len(known) :]):
            file.write(json.dumps(outcome) + "\n")
            file.flush()
            known.append(outcome)
    pairs = list(zip(sample, known, strict=True))
    for room in ROOMS:
        statuses = [status for mutant, (status, _) in pairs if mutant.room == room]
        killed = sum(status != 0 for status in statuses)
        print(f"{room}: {killed} of {len(statuses)} killed")  # noqa: T201  # the result
    for mutant, (status, tests) in sorted(pairs):
        if not status:
            was, now = (text.split("\n")[mutant.line - 1].strip() for text in mutant.sources())
            now = "removed" if mutant.operator == "core/RemoveDecorator" else f"`{now}`"
            where = f"{mutant.path}:{mutant.line}" + " (no test runs it)" * (not tests)
            print(f"- {where} `{was}` → {now}")  # noqa: T201  # the result


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), *map(int, sys.argv[2:]))
