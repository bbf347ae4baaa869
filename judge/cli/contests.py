"""How a contest is told: as a table with a progress bar, as one JSON document, or event by event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.cli.progress import Progress
from judge.cli.settings import Report, Settings
from judge.cli.telling import note, print_json, print_table, standings_of
from judge.contest.documents import VERSION, fault_event, fault_message, under
from judge.contest.ledger import Rated
from judge.contest.tally import Tally
from judge.contest.tournament import Fault
from judge.play.referee import Conditions
from judge.process.bot import Bot, LeftOut
from judge.show.standings import leaders


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What is about to be played; of ``games`` in all, ``missing`` have not been played yet."""

    bots: Sequence[Bot]
    left_out: Sequence[LeftOut]
    rounds: int
    gauntlet: str | None
    seed: int
    games: int
    missing: int
    conditions: Conditions

    def start_event(self) -> dict[str, Any]:
        """The first line of ``--jsonl``."""
        return {
            "version": VERSION,
            "event": "start",
            "bots": [{"name": bot.name, "digest": bot.digest} for bot in self.bots],
            "left_out": [{"name": one.name, "reason": one.reason} for one in self.left_out],
            "rounds": self.rounds,
            "gauntlet": self.gauntlet,
            "seed": self.seed,
            "games": self.games,
            "missing": self.missing,
            **under(self.conditions),
        }


class ContestReporter:
    """Tells a contest as it goes: to stdout the table at its end."""

    def __init__(self, settings: Settings, contest: Contest) -> None:
        self.contest = contest
        self.games = 0
        self.faults: list[Fault] = []
        self._settings = settings
        self._progress = Progress(settings)

    def start(self) -> None:
        """Before the first game."""
        if self.contest.missing:
            self._progress.start(self.contest.missing)

    def game(self, rated: Rated, tally: Tally) -> None:
        """After a game, which is in the ledger."""
        self.games += 1
        self._advance(tally)

    def known(self, tally: Tally) -> None:
        """After a game that another judge on this ledger was quicker to add."""
        self._advance(tally)

    def fault(self, fault: Fault, tally: Tally) -> None:
        """After a game that the judge could not play."""
        self.faults.append(fault)
        self._advance(tally)

    def stop(self) -> None:
        """After the last game, or on the way out of a contest that was broken off."""
        self._progress.stop()

    def end(self, tally: Tally) -> None:
        """After a contest that was not broken off."""
        self._result(tally)
        for fault in self.faults:
            note(f"game {fault.pairing.id} could not be played: {fault_message(fault)}")
        if self.faults:
            note("that is the judge's fault, and nobody's loss; the same command tries again")

    def _result(self, tally: Tally) -> None:
        print_table(tally, self._settings.color)

    def _advance(self, tally: Tally) -> None:
        self._progress.advance(lambda: leaders(tally))


class JsonReporter(ContestReporter):
    """The table as a document."""

    def _result(self, tally: Tally) -> None:
        print_json(standings_of(tally).to_json())


class LinesReporter(ContestReporter):
    """An event a line, as soon as it has happened."""

    def start(self) -> None:
        super().start()
        print_json(self.contest.start_event())

    def game(self, rated: Rated, tally: Tally) -> None:
        super().game(rated, tally)
        print_json(
            {
                "version": VERSION,
                "event": "game",
                "record": rated.record.to_json(),
                "points_before": list(rated.before),
                "points_after": list(rated.after),
            }
        )

    def fault(self, fault: Fault, tally: Tally) -> None:
        super().fault(fault, tally)
        print_json(fault_event(fault))

    def _result(self, tally: Tally) -> None:
        document = standings_of(tally).to_json()
        print_json({"version": VERSION, "event": "end", "standings": document})


REPORTERS: dict[Report, type[ContestReporter]] = {
    Report.TEXT: ContestReporter,
    Report.JSON: JsonReporter,
    Report.JSONL: LinesReporter,
}
