"""How a fight is told: as text with a progress bar, as one JSON document, or event by event."""

from __future__ import annotations

import sys
from typing import Any

import click

from judge.cli.progress import Progress
from judge.cli.settings import Report, Settings
from judge.cli.telling import note, print_json
from judge.contest import documents
from judge.contest.rating import Sprt
from judge.contest.summary import FightSummary
from judge.contest.tournament import Fault
from judge.game.record import GameRecord
from judge.play.referee import Conditions
from judge.show.fight import many_games, one_game, points_line, score


class Reporter:
    """Tells a fight as it goes; the base tells nothing but the faults, at the end."""

    def __init__(
        self, settings: Settings, summary: FightSummary, sprt: Sprt | None, seed: int, again: str
    ) -> None:
        self.faults: list[Fault] = []
        self._settings = settings
        self._summary = summary
        self._sprt = sprt
        self._seed = seed
        self._again = again
        self._progress = Progress(settings)

    def start(self, games: int, conditions: Conditions, *, watched: bool) -> None:
        """Before the first game of ``games`` at most; watched, they take the bar's place."""
        if games > 1 and not watched:
            self._progress.start(games)

    def game(self, record: GameRecord) -> None:
        """After a game, which the summary has counted."""
        self._advance()

    def fault(self, fault: Fault) -> None:
        """After a game that the judge could not play."""
        self.faults.append(fault)
        self._advance()

    def stop(self) -> None:
        """After the last game, or on the way out of a fight that was broken off."""
        self._progress.stop()

    def end(self) -> None:
        """After a fight that was not broken off."""
        for fault in self.faults:
            note(f"game {fault.pairing.id} could not be played: {documents.fault_message(fault)}")

    def _advance(self) -> None:
        self._progress.advance(lambda: score(self._summary))


class TextReporter(Reporter):
    """The result in words, at the end."""

    _only: GameRecord | None = None

    def game(self, record: GameRecord) -> None:
        super().game(record)
        self._only = record if self._summary.games == 1 else None

    def end(self) -> None:
        colour = self._settings.color.on(sys.stdout)
        points = points_line(self._summary, str(self._settings.ledger))
        if self._only and not self.faults:
            text = one_game(
                self._only, seed=self._seed, again=self._again, points=points, colour=colour
            )
        else:
            text = many_games(
                self._summary,
                seed=self._seed,
                again=self._again,
                points=points,
                sprt=self._sprt,
                faults=self.faults,
                colour=colour,
            )
        click.echo(text, color=colour)


class JsonReporter(Reporter):
    """One document, at the end."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._records: list[GameRecord] = []

    def game(self, record: GameRecord) -> None:
        super().game(record)
        self._records.append(record)

    def end(self) -> None:
        super().end()
        print_json(
            documents.fight(
                self._summary,
                self._records,
                seed=self._seed,
                faults=self.faults,
                sprt=self._sprt,
            )
        )


class LinesReporter(Reporter):
    """An event a line, as soon as it has happened."""

    def start(self, games: int, conditions: Conditions, *, watched: bool) -> None:
        super().start(games, conditions, watched=watched)
        print_json(
            documents.start_event(
                self._summary.names, games=games, seed=self._seed, conditions=conditions
            )
        )

    def game(self, record: GameRecord) -> None:
        super().game(record)
        print_json(documents.game_event(self._summary, record))

    def fault(self, fault: Fault) -> None:
        super().fault(fault)
        print_json(documents.fault_event(fault))

    def end(self) -> None:
        super().end()
        print_json(
            documents.end_event(self._summary, seed=self._seed, faults=self.faults, sprt=self._sprt)
        )


def reporter(
    settings: Settings, summary: FightSummary, sprt: Sprt | None, seed: int, again: str
) -> Reporter:
    """The reporter for the form that was asked for."""
    forms: dict[Report, type[Reporter]] = {
        Report.TEXT: TextReporter,
        Report.JSON: JsonReporter,
        Report.JSONL: LinesReporter,
    }
    return forms[settings.report](settings, summary, sprt, seed, again)
