"""Rules and fixtures of all tests: no skips where CI is set, Hypothesis without a stopwatch, a browser.
The modules that tests share stand in tests/support/; no test imports from a test."""

from __future__ import annotations

import gc
import math
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from judge.check import side_effects
from judge.play import run
from judge.process.bots.bot import Bot
from judge.process.run import listening, processes
from judge.process.run.listening import Stop
from judge.process.run.processors import Processors

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from browser import Browse, Windows
    from clusters import Start
    from launching import Launching

# More tests run at once than there are processors, so that any answer may be late by the machine's
# fault. The tests of that verdict bring it back, by a fixture.
_DENIED_SHARE, processes.DENIED_SHARE = processes.DENIED_SHARE, math.inf

# Each job's bots are bound to its processor, which the first judges of a machine take for as long as they
# live: of many workers side by side most would be bound to one, while another has nothing to do.
_OWNED = run.owned


@contextmanager
def _anywhere_if_alone(count: int) -> Iterator[Processors]:
    with _OWNED(count) as mine:
        yield mine if count > 1 else frozenset()


run.owned = _anywhere_if_alone

# What other programs keep in /tmp, /var/tmp and the user's home changes no check, and is not looked
# through. The tests of what a bot leaves there bring them back, by a fixture.
_PLACES = side_effects.places


def _places_of_its_own(bot: Bot) -> tuple[str, ...]:
    return tuple(place for place in _PLACES(bot) if place == str(bot.folder.resolve()))


side_effects.places = _places_of_its_own

CI = bool(os.environ.get("CI"))

# The fast tier (scripts/test --fast) starts no process and opens no socket.
STARTS = frozenset(
    {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "socket.connect", "subprocess.Popen"}
)


FAST = bool(os.environ.get("JUDGE_TEST_FAST"))
_under_test: list[pytest.Item] = []


def _forbid(event: str, _: object) -> None:
    if event in STARTS and _under_test:
        raise RuntimeError(f"{event} in the fast tier: mark this test with pytest.mark.whole")


if FAST:
    sys.addaudithook(_forbid)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcripts",
        action="store_true",
        help="write anew the transcripts, scenes and texts that tests hold the judge to",
    )


# Their tests wait long for other processes: the last to begin would have all other workers wait for them.
FIRST = ("test_cluster", "test_web")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that opens pages starts a browser."""
    for item in items:
        if "browse" in getattr(item, "fixturenames", ()):
            item.add_marker("whole")
    items.sort(key=lambda item: not item.path.name.startswith(FIRST))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """The thousands of tests that are found are no garbage, and nobody looks, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """In the fast tier a test that starts a process fails."""
    _under_test.append(item)
    try:
        return (yield)
    finally:
        _under_test.clear()


# Tests have a home and variables of their own: the user's judge.toml, language, colours and terminal,
# and what he has told Python, git, make, Java and their kind, change no test. The others say where
# programs are and lie, how an index is reached, and how the tests are to run.
# Workers compute side by side, so none takes every core, as in the commands.
# A test that is about isolation asks for its level; all others use limits.
_HOME = tempfile.TemporaryDirectory(prefix="judge-tests-home-")
_STAYS = re.compile(
    r"CI|PATH|LD_LIBRARY_PATH|TMPDIR|(JUDGE_TEST|PYTEST|HYPOTHESIS|COVERAGE|PIP|SSL_CERT)_.*"
    r"|.*_(?i:proxy)|(?!GIT_|JUDGE_|XDG_).*_(HOME|ROOT|DIR)"
)
for _name in list(os.environ):
    if not _STAYS.fullmatch(_name):
        del os.environ[_name]
os.environ.update(
    HOME=_HOME.name,
    XDG_CONFIG_HOME=_HOME.name,
    LANG="C.UTF-8",
    OPENBLAS_NUM_THREADS="1",
    JUDGE_ISOLATION="limits",
)

# A shell has what runs in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing may be timed in tests, and in CI the same commit gives the same examples.
settings.register_profile("judge", deadline=None, derandomize=CI, print_blob=CI)
settings.load_profile("judge")


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be late in this test, and the judge itself is not said to be."""
    monkeypatch.setattr(processes, "DENIED_SHARE", _DENIED_SHARE)
    monkeypatch.setattr(listening, "HELD_UP_SECONDS", math.inf)


@pytest.fixture
def shared_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check looks for what a bot leaves in the folders that all programs share."""
    monkeypatch.setattr(side_effects, "places", _PLACES)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The machine's own Chromium, started once for all tests of a module, and no longer: as long
    as Playwright is there its event loop runs, and no test can run one of its own."""
    from browser import launched

    yield from launched()


@pytest.fixture(scope="module")
def windows(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Windows:
    """Its windows, which all tests of a module share."""
    from browser import Windows

    return Windows(chromium, tmp_path_factory.mktemp("windows"))


@pytest.fixture
def browse(windows: Windows, tmp_path: Path) -> Iterator[Browse]:
    """Opens pages in them; at the end, none may have asked for anything or complained."""
    from browser import watching

    yield from watching(windows, tmp_path)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler of dask for all tests of a module whose workers end with them: to start
    one takes as long as a contest."""
    from clusters import scheduler, starting

    with starting() as start:
        with chdir(tmp_path_factory.mktemp("scheduler")):
            _, address = scheduler(start)
        yield address


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes of dask and the judge, which are dead at the end."""
    from clusters import starting

    with starting() as start:
        yield start


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder of the test's own, and none of the judge's variables."""
    from clean import surroundings

    surroundings(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def stop() -> Iterator[Stop]:
    """The stop that ends the runs of bots; it is closed at the end."""
    with closing(Stop()) as stop:
        yield stop


@pytest.fixture
def launching(stop: Stop) -> Iterator[Launching]:
    """Makes what launches a bot at some level; it is closed at the end."""
    from launching import launchers

    yield from launchers(stop)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """In CI, a test that would be skipped fails: there, every part must be there."""
    report = yield
    if CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: nothing may be skipped in CI, but {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Iterator[pytest.CollectReport]:
    """The same for a whole module that would be skipped while it is collected."""
    report = yield
    if CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid}: nothing may be skipped in CI, but {_reason(report)}"
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    longrepr = report.longrepr
    return str(longrepr[2] if isinstance(longrepr, tuple) else longrepr)
