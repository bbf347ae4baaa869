"""The field of a contest: the bots in its folder, as its ledger has them."""

from __future__ import annotations

from collections.abc import Iterable

from judge.contest.ledger.ledger import Ledger
from judge.contest.no_ledger import NoLedger
from judge.contest.setup import Setup
from judge.contest.standings.standings import RankedBy, Standings, standings
from judge.process.bots.bot import LeftOut


class Field:
    """The bots that play, with the files that they have now, and those that are ``left_out``, which
    are in the folder as well. ``digests`` are of their files, None of a bot that is left out.
    ``left_out`` says of these bots why they are."""

    def __init__(
        self, ledger: Ledger | NoLedger, setup: Setup, left_out: Iterable[LeftOut]
    ) -> None:
        self._ledger = ledger
        # The name of a bot that was left out is known only from its file.
        others = {
            name: one.reason
            for one in left_out
            for name in (
                [one.bot] if one.bot else [one.name, one.name.rpartition(".")[0] or one.name]
            )
        }
        playing = {bot.name: bot.digest for bot in setup.bots}
        self.digests = {**dict.fromkeys(others), **playing}
        self.left_out = {name: why for name, why in others.items() if name not in playing}

    def standings(self, by: RankedBy = "points") -> Standings:
        """The table of the bots in the folder."""
        return standings(self._ledger.tally, playing=self.digests, by=by)

    def in_a_row(self, name: str) -> int:
        """How many games a bot has forfeited in a row by time-out or crash, up to its last."""
        return self._ledger.tally.streak(name, self.digests[name])

    def gone(self) -> list[str]:
        """The bots that have played and are not in the folder any more. Those that an order takes
        out of the contest are not among them."""
        tally = self._ledger.tally
        known = self.digests.keys() | tally.orders.out_of_table
        return [name for name in tally.table.bots if name not in known]
