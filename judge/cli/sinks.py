"""The events of a run, and the sinks that turn them into text, JSON, JSONL, CSV or progress.

A command makes the events, whatever the sink. An event holds its costly texts as functions, which
only the sinks that print them call.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from judge.cli.output import note, print_json
from judge.cli.settings import OutputFormat, Settings
from judge.contest.standings.fight_documents import fault_event
from judge.contest.window import Fault
from judge.waiting import call_later, cancel_call

if TYPE_CHECKING:
    from judge.cli.contests.progress import Running
    from judge.documents.codec import Part

FORECAST_SECONDS = 10.0  # seconds of a run after which its whole time is foretold
SILENT_SECONDS = 20.0  # seconds of a run without a step after which its least time is foretold
LONG_MINUTES = 1.0  # a run that takes longer gets a note


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Work begins. The work has ``steps`` at most, or takes ``seconds``; if both are 0, no progress
    is shown. ``steps`` is None if nobody knows how many there are. ``at_once`` steps are under way
    at a time, or an unknown number if that is 0. ``workers`` returns the number of a cluster's
    workers. ``line`` returns the event's line of JSONL, and ``header`` is the first line of
    CSV."""

    steps: int | None = 0
    seconds: float = 0
    at_once: int = 0
    workers: Callable[[], int] | None = None
    line: Callable[[], Part] | None = None
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDone:
    """A step of the work, such as a game, is done. ``standing`` says how the work stands. ``line``
    and each of ``more`` return a line of JSONL, and ``row`` is a line of CSV.

    The event of a game that was played has a ``line``. The progress bar advances by ``steps``.
    """

    standing: Callable[[], str]
    line: Callable[[], Part] | None = None
    more: Sequence[Callable[[], Part]] = ()
    row: str = ""
    steps: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A game could not be played, as ``fault`` says. ``standing`` says how the work stands."""

    fault: Fault
    standing: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOver:
    """A round of a contest is over, and others follow. ``text`` has the table after the round."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The work is done. ``text`` returns the result in words, coloured if its argument is true.
    ``notes`` go to stderr. ``notes_of_text`` go there too, unless the output is text, which
    contains them already."""

    text: Callable[[bool], str]
    document: Callable[[], Part]
    line: Callable[[], Part] | None = None
    notes: Sequence[str] = ()
    notes_of_text: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenOff:
    """The user stopped the work. ``text`` returns the result so far."""

    text: Callable[[bool], str]


Event = Started | StepDone | Failed | RoundOver | Ended | BrokenOff


def tell(events: Generator[Event, None, None], settings: Settings) -> None:
    """Give each event to the sink that the user asked for. Exit with status 1 at the end if a game
    could not be played."""
    failed = False
    with contextlib.closing(events), telling(settings) as take:
        for event in events:
            failed = failed or isinstance(event, Failed)
            take(event)
    if failed:
        click.get_current_context().exit(1)


@contextlib.contextmanager
def telling(settings: Settings) -> Iterator[Callable[[Event], None]]:
    """Yield a function that gives an event to the progress bar and to the sink asked for."""
    sink, colour = _SINKS[settings.report], settings.color.on(sys.stdout)

    def take(event: Event) -> None:
        bar.take(event)
        sink(event, colour)
        if isinstance(event, Ended):
            of_text = () if settings.report is OutputFormat.TEXT else event.notes_of_text
            for text in (*event.notes, *of_text):
                note(text)

    with contextlib.closing(_Bar(settings)) as bar:
        yield take


class _Bar:
    """The progress on stderr, unless the user wants quiet: on a terminal a bar, which disappears
    before the result is printed, and elsewhere a note if the run may take long."""

    def __init__(self, settings: Settings) -> None:
        self._quiet = settings.quiet
        self._shown = sys.stderr.isatty() and not settings.quiet
        self._colour = settings.color.on(sys.stderr)
        self._running: Running | None = None
        self._began = time.monotonic()
        self._steps = self._done = 0  # 0 steps: nothing is foretold
        self._rounds = 1.0  # steps one after another

    def take(self, event: Event) -> None:
        cancel_call(self._foretell_least)
        self._foretell(event)
        match event:
            case Started(steps=steps, seconds=seconds, workers=workers) if (
                steps != 0 or seconds
            ) and self._shown:
                from judge.cli.contests.progress import Running

                self._running = Running(steps, seconds, workers, colour=self._colour)
            case StepDone(standing=standing, steps=steps, line=line) if self._running:
                self._running.games(steps, standing(), is_played=line is not None)
            case Failed(fault=fault, standing=standing) if self._running:
                steps = 1 + len(fault.pairing.rest)
                self._running.games(steps, standing(), is_played=False)
            case RoundOver(text=text) if self._running:
                self._running.say(text)
            case RoundOver(text=text) if not self._quiet:
                click.echo(text, err=True)
            case Ended() | BrokenOff():
                self.close()

    def _foretell(self, event: Event) -> None:
        """Note once how long the run may take, if that is long. On a terminal the bar shows it."""
        match event:
            case Started(steps=int(steps), seconds=0) if not self._quiet:
                self._began, self._steps, self._done = time.monotonic(), steps, 0
                if steps and event.at_once and event.workers is None:
                    self._rounds = max(1.0, steps / event.at_once)
                    silent = max(SILENT_SECONDS, LONG_MINUTES * 60 / self._rounds)
                    call_later(silent, self._foretell_least)
            case StepDone(steps=steps) if self._steps:
                self._done += steps
                passed = time.monotonic() - self._began
                if passed < FORECAST_SECONDS or not self._done:
                    return
                minutes = passed / self._done * self._steps / 60
                self._steps = 0
                if minutes > LONG_MINUTES and not self._running:
                    about = "more than a minute" if minutes < 1.5 else f"some {minutes:.0f} minutes"
                    note(f"this may take {about} in all")

    def _foretell_least(self) -> None:
        """Tell how long the run takes at least if later steps take as long as the first, which goes
        on: below the bar until the step is done, or in a note."""
        passed = time.monotonic() - self._began
        minutes = int(passed * self._rounds / 60)
        about = "a minute" if minutes < 2 else f"{minutes:,} minutes"
        text = f"no result in {passed:.0f} s, so this may take more than {about}"
        if self._running:
            self._running.games(0, text, is_played=False)
        else:
            note(text)

    def close(self) -> None:
        cancel_call(self._foretell_least)
        if self._running:
            self._running.stop()


def _text(event: Event, colour: bool) -> None:
    """Print the result in words, at the end."""
    match event:
        case Ended(text=text):
            click.echo(text(colour), color=colour)
        case BrokenOff(text=text):
            with contextlib.suppress(OSError):  # the reader was stopped by the same signal
                click.echo(text(colour), color=colour)


def _json(event: Event, _: bool) -> None:
    """Print one document, at the end."""
    if isinstance(event, Ended):
        print_json(event.document())


def _lines(event: Event, _: bool) -> None:
    """Print the lines of JSON that an event has, as soon as it has happened."""
    match event:
        case Failed(fault=fault):
            print_json(fault_event(fault))
        case Started(line=line) | StepDone(line=line) | Ended(line=line) if line:
            print_json(line())
    if isinstance(event, StepDone):
        for more in event.more:
            print_json(more())


def _csv(event: Event, _: bool) -> None:
    """Print the header, and the row of each step as soon as the step is done."""
    match event:
        case Started(header=text) | StepDone(row=text):
            click.echo(text, nl=False)


_SINKS: dict[OutputFormat, Callable[[Event, bool], None]] = {
    OutputFormat.TEXT: _text,
    OutputFormat.JSON: _json,
    OutputFormat.JSONL: _lines,
    OutputFormat.CSV: _csv,
}
