"""How a contest is held: its format, with the numbers that go with it. A ledger keeps it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A format and its parameters.

    ``units`` are those that two bots play when they meet, of ``match`` games each; ``rounds`` those
    of a Swiss contest. ``table`` is how many play a game; with more than two, a round of balanced
    groups counts as two units, as a round of pairs does. ``bots`` take part, the highest seed
    first; where others may join, they are those that are there. ``bot`` is that of a gauntlet, and
    ``seed`` that of everything drawn."""

    format: str
    bots: tuple[str, ...]
    seed: int = 0
    units: int = 1
    rounds: int = 1
    match: int = 1
    lives: int = 0
    bot: str | None = None
    table: int = 2

    def summary(self) -> dict[str, Any]:
        """As events and standings have it: without what is drawn and who takes part."""
        document = self.to_json()
        return {key: document[key] for key in document if key not in ("bots", "draw")}

    def to_json(self) -> dict[str, Any]:
        """As a ledger has it."""
        return {
            "name": self.format,
            "units": self.units,
            "rounds": self.rounds,
            "match": self.match,
            "lives": self.lives,
            "bot": self.bot,
            "bots": list(self.bots),
            "draw": str(self.seed),
            **({} if self.table == 2 else {"table": self.table}),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Plan:
        """Raises ValueError if there is none in it."""
        try:
            return cls(
                format=str(document["name"]),
                bots=tuple(map(str, document["bots"])),
                seed=int(document["draw"]),
                units=int(document["units"]),
                rounds=int(document["rounds"]),
                match=int(document["match"]),
                lives=int(document["lives"]),
                bot=None if document["bot"] is None else str(document["bot"]),
                table=int(document.get("table", 2)),
            )
        except (LookupError, TypeError, ValueError):
            raise ValueError("it holds no format of a contest") from None
