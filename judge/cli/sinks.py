"""What a command that plays tells while it runs, as a stream of events, and the sinks that turn the
stream into text, JSON, JSONL, CSV or a progress bar.

A command yields the events and knows no sink. What an event costs to word is a function in it,
called by the sinks that need it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import click

from judge.cli.output import note, print_json
from judge.cli.progress import Progress
from judge.cli.settings import Color, OutputFormat, Settings
from judge.contest.documents import fault_event
from judge.contest.tournament import Fault
from judge.errors import Interrupted

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Work begins. ``steps`` are to come at most; 0 shows no progress. ``header`` is that of
    CSV."""

    steps: int
    line: Callable[[], Document]
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A game has been played; ``standing`` says how it stands, ``row`` is a line of CSV.

    Without a ``line`` there is nothing to tell but that one game more is done.
    """

    standing: Callable[[], str]
    line: Callable[[], Document] | None = None
    row: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A game could not be played, by the judge's own fault."""

    fault: Fault
    standing: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """All is done. ``text`` gets whether it is to be coloured. ``notes`` go to stderr; without
    ``text_has_notes`` those of text do too."""

    text: Callable[[bool], str]
    document: Callable[[], Document]
    line: Callable[[], Document]
    notes: Sequence[str] = ()
    text_has_notes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenOff:
    """The user stopped the work; ``text`` says what there is by then."""

    text: Callable[[bool], str]


Event = Started | Step | Failed | Ended | BrokenOff


class Sink(Protocol):
    def take(self, event: Event) -> None: ...


def tell(events: Generator[Event, None, None], settings: Settings) -> None:
    """Give every event to the sinks that the user asked for; exit with status 1 if a game could not
    be played."""
    failed = False
    with contextlib.closing(events), contextlib.closing(_Bar(settings)) as bar:
        sinks = (bar, _SINKS[settings.report](settings.color))
        event = next(events, None)
        while event is not None:
            failed = failed or isinstance(event, Failed)
            try:
                for sink in sinks:
                    sink.take(event)
            except Interrupted as error:  # the command knows what to say of it
                event = events.throw(error)
            else:
                event = next(events, None)
    if failed:
        click.get_current_context().exit(1)


class _Bar:
    """A progress bar on stderr, gone before anything else is written at the end."""

    def __init__(self, settings: Settings) -> None:
        self._progress = Progress(settings)

    def take(self, event: Event) -> None:
        match event:
            case Started(steps=steps) if steps:
                self._progress.start(steps)
            case Step(standing=standing) | Failed(standing=standing):
                self._progress.advance(standing)
            case Ended() | BrokenOff():
                self.close()

    def close(self) -> None:
        self._progress.stop()


class _Text:
    """The result in words, at the end."""

    def __init__(self, color: Color) -> None:
        self._colour = color.on(sys.stdout)

    def take(self, event: Event) -> None:
        match event:
            case Ended():
                self._say(event.text)
                if not event.text_has_notes:
                    _say_notes(event)
            case BrokenOff(text=text):
                with contextlib.suppress(OSError):  # whoever read it was stopped by the same signal
                    self._say(text)

    def _say(self, text: Callable[[bool], str]) -> None:
        click.echo(text(self._colour), color=self._colour)


class _Json:
    """One document, at the end."""

    def __init__(self, _: Color) -> None: ...

    def take(self, event: Event) -> None:
        if isinstance(event, Ended):
            print_json(event.document())
            _say_notes(event)


class _Lines:
    """An event a line, as soon as it has happened."""

    def __init__(self, _: Color) -> None: ...

    def take(self, event: Event) -> None:
        match event:
            case Started(line=line):
                print_json(line())
            case Step(line=line) if line:
                print_json(line())
            case Failed(fault=fault):
                print_json(fault_event(fault))
            case Ended(line=line):
                print_json(line())
                _say_notes(event)


class _Csv:
    """A row a game, as soon as it has been played."""

    def __init__(self, _: Color) -> None: ...

    def take(self, event: Event) -> None:
        match event:
            case Started(header=text) | Step(row=text):
                click.echo(text, nl=False)
            case Ended():
                _say_notes(event)


def _say_notes(event: Ended) -> None:
    for text in event.notes:
        note(text)


_SINKS: dict[OutputFormat, Callable[[Color], Sink]] = {
    OutputFormat.TEXT: _Text,
    OutputFormat.JSON: _Json,
    OutputFormat.JSONL: _Lines,
    OutputFormat.CSV: _Csv,
}
