"""The forecast of a long run (judge/cli/sinks.py and judge/waiting.py), by a fake clock."""

from __future__ import annotations

import select
import sys
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest

from judge import waiting
from judge.cli import sinks
from judge.cli.settings import Settings
from judge.cli.sinks import Started, StepDone, telling
from judge.documents.game import Limits
from judge.game.variants import BRAINJAR
from judge.waiting import until_done

SETTINGS = Settings(rules=BRAINJAR, limits=Limits(), bot_size_bytes=1)
STEP = StepDone(standing=lambda: "")
TWELVE = Started(steps=12, at_once=2)


class Clock:
    """A clock that only waiting moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def register(self, *_: int) -> None:
        pass

    def poll(self, milliseconds: float) -> list[tuple[int, int]]:
        self.now += milliseconds / 1000
        return []

    def wait(self, seconds: float) -> None:
        """Wait in vain for a game, as a command does."""
        until_done(Future(), seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the bar and of the waiting."""
    clock = Clock()
    for module in (waiting, sinks):
        monkeypatch.setattr(module, "time", clock)
    polled = SimpleNamespace(poll=lambda: clock, POLLIN=select.POLLIN)
    monkeypatch.setattr(waiting, "select", polled)
    return clock


def told(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert not printed.out
    return printed.err


def test_a_run_without_a_result_is_noted_before_its_first_result(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once, after 20 s, with the least time of the run. The forecast follows the first result."""
    with telling(SETTINGS) as take:
        take(TWELVE)
        clock.wait(19)
        assert not told(capsys)
        clock.wait(100)
        assert told(capsys) == ("judge: no result in 20 s, so this may take more than 2 minutes.\n")
        take(STEP)
        assert told(capsys) == "judge: this may take some 24 minutes in all.\n"
    assert clock.now == 119


@pytest.mark.parametrize(
    ("started", "seconds", "least"),
    [
        (Started(steps=4, at_once=2), 30, "a minute"),
        (Started(steps=1, at_once=4), 60, "a minute"),
        (Started(steps=10_000, at_once=2), 20, "1,666 minutes"),
    ],
)
def test_a_run_is_noted_when_it_takes_more_than_a_minute(
    clock: Clock, capsys: pytest.CaptureFixture[str], started: Started, seconds: int, least: str
) -> None:
    """Fewer results one after another are waited for longer."""
    with telling(SETTINGS) as take:
        take(started)
        clock.wait(seconds - 1)
        assert not told(capsys)
        clock.wait(1)
    assert told(capsys) == (
        f"judge: no result in {seconds} s, so this may take more than {least}.\n"
    )


@pytest.mark.parametrize(
    ("settings", "started"),
    [
        (replace(SETTINGS, quiet=True), TWELVE),
        (SETTINGS, replace(TWELVE, steps=None)),
        (SETTINGS, replace(TWELVE, steps=0)),
        (SETTINGS, replace(TWELVE, seconds=600)),
        (SETTINGS, replace(TWELVE, workers=lambda: 2)),
    ],
)
def test_a_run_of_unknown_length_is_not_noted(
    clock: Clock, capsys: pytest.CaptureFixture[str], settings: Settings, started: Started
) -> None:
    """A run with --quiet is not either."""
    with telling(settings) as take:
        take(started)
        clock.wait(1000)
    assert not told(capsys)


def test_the_end_of_a_run_cancels_its_note(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first result and an interrupt do so too."""
    with telling(SETTINGS) as take:
        take(TWELVE)
        take(STEP)
        clock.wait(100)
    with telling(SETTINGS) as take:
        take(TWELVE)
    clock.wait(100)
    assert not told(capsys)


def test_the_bar_shows_the_note_until_the_first_result(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands below the bar, not in a line of its own."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with telling(SETTINGS) as take:
        take(TWELVE)
        clock.wait(30)
    shown = told(capsys)
    assert "no result in 20 s, so this may take more than 2 minutes" in shown
    assert "0/12" in shown
    assert "judge:" not in shown
