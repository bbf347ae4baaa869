"""--game-log: every game of a command as a log of another system; `written_logs` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from judge.contest.schedule import Pairing, without
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.contest.contest_run import ContestRun
    from judge.contest.ledger.ledger import Ledger
    from judge.contest.no_ledger import NoLedger


@dataclass(frozen=True, slots=True)
class LogRequest:
    """A file or a folder, and a format as typed; None takes the first format that fits the
    rules. ``games`` are those of a match that its log has, all unless given."""

    path: str | None
    format: str | None
    games: str | None = None

    def opened(
        self, bots: Sequence[Bot], rules: Rules, *, games: int | None, seats: int
    ) -> GameLogs:
        """Open the log of this number of ``games`` of these bots, None for those of a contest; a
        game has ``seats`` seats.

        Raises `UsageError` if they cannot be logged.
        """
        if self.path is not None:
            # Imported here, so a run without a log loads no format.
            from judge.cli.ledgers.written_logs import opened

            return opened(
                self.path, self.format, bots, rules, games=games, seats=seats, which=self.games
            )
        source = click.get_current_context().get_parameter_source
        for name in ("format", "games"):
            if source(f"game_log_{name}") is ParameterSource.COMMANDLINE:
                raise UsageError(f"--game-log-{name} needs --game-log")
        return GameLogs()


class GameLogs:
    """The logs of a command's games. This class itself writes no log."""

    def begin(self, run: ContestRun, ledger: Ledger | NoLedger) -> None:
        """Begin the log of a contest, or go on with it."""

    def following(
        self, schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool] = lambda _: False
    ) -> Iterator[Pairing]:
        """The games of a schedule but for those that are played."""
        return without(schedule, is_played)

    def keep(self, record: GameRecord) -> None:
        """Log a game; raises `JudgeFault` if it cannot be."""
