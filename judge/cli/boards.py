"""How a test of shooting is told: as text with a progress bar, one JSON document, event by event,
or a line a board for a spreadsheet."""

from __future__ import annotations

import contextlib
import sys

import click

from judge.cli.progress import Progress
from judge.cli.settings import Report, Settings
from judge.cli.telling import note, print_json
from judge.contest import shooting_documents
from judge.contest.documents import fault_event, fault_message
from judge.contest.schedule import Pairing
from judge.contest.shooting import Effort, ShootingSummary
from judge.contest.shooting_documents import Trial
from judge.contest.tournament import Fault
from judge.game.record import GameRecord
from judge.show.shooting import CSV_HEADER, Commands, csv_row, report, standing

FEWEST_BOARDS = 2  # of a test that was broken off: one is no mean


class BoardsReporter:
    """Tells a test of shooting as it goes; the base tells nothing but the faults, at the end."""

    def __init__(
        self, settings: Settings, trial: Trial, summary: ShootingSummary, commands: Commands
    ) -> None:
        self.played = 0
        self.faults: list[Fault] = []
        self._settings = settings
        self._trial = trial
        self._summary = summary
        self._commands = commands
        self._progress = Progress(settings)

    def start(self) -> None:
        """Before the first board."""
        self._progress.start(self._trial.boards * len(self._summary.bots))

    def board(self, board: Pairing, record: GameRecord, effort: Effort | None) -> None:
        """After a bot has had a board, which the summary has counted."""
        self._advance()

    def fault(self, fault: Fault) -> None:
        """After a board that the judge could not let a bot play."""
        self.faults.append(fault)
        self._advance()

    def stop(self) -> None:
        """After the last board, or on the way out of a test that was broken off."""
        self._progress.stop()

    def interrupted(self) -> None:
        """After a test that was broken off; the base has told what there was to tell."""

    def end(self) -> None:
        """After a test that was not broken off."""
        for fault in self.faults:
            note(f"board {fault.pairing.id} could not be played: {fault_message(fault)}")

    def _advance(self) -> None:
        self.played += 1
        self._progress.advance(lambda: standing(self._summary))


class TextReporter(BoardsReporter):
    """The result in words, at the end."""

    def interrupted(self) -> None:
        if self.played >= FEWEST_BOARDS:
            self.stop()  # or the bar would be drawn over what follows
            with contextlib.suppress(OSError):  # whoever read it was stopped by the same signal
                self._tell(played=self.played)

    def end(self) -> None:
        self._tell()

    def _tell(self, played: int | None = None) -> None:
        colour = self._settings.color.on(sys.stdout)
        text = report(
            self._trial,
            self._summary,
            commands=self._commands,
            played=played,
            faults=self.faults,
            colour=colour,
        )
        click.echo(text, color=colour)


class JsonReporter(BoardsReporter):
    """One document, at the end."""

    def end(self) -> None:
        super().end()
        print_json(shooting_documents.document(self._trial, self._summary, self.faults))


class LinesReporter(BoardsReporter):
    """An event a line, as soon as it has happened."""

    def start(self) -> None:
        super().start()
        print_json(shooting_documents.start_event(self._trial))

    def board(self, board: Pairing, record: GameRecord, effort: Effort | None) -> None:
        super().board(board, record, effort)
        bot = self._summary.bots[board.seats[0]]
        print_json(shooting_documents.board_event(bot, board, record, effort))

    def fault(self, fault: Fault) -> None:
        super().fault(fault)
        print_json(fault_event(fault))

    def end(self) -> None:
        super().end()
        print_json(shooting_documents.end_event(self._trial, self._summary, self.faults))


class CsvReporter(BoardsReporter):
    """A line a board and bot, as soon as it has been played."""

    def start(self) -> None:
        super().start()
        click.echo(CSV_HEADER, nl=False)

    def board(self, board: Pairing, record: GameRecord, effort: Effort | None) -> None:
        super().board(board, record, effort)
        bot = self._summary.bots[board.seats[0]]
        click.echo(csv_row(board.round, bot.name, effort, record.outcome.termination), nl=False)


REPORTERS: dict[Report, type[BoardsReporter]] = {
    Report.TEXT: TextReporter,
    Report.JSON: JsonReporter,
    Report.JSONL: LinesReporter,
    Report.CSV: CsvReporter,
}
