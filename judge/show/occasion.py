"""The words of spectators' pages: a server's evening, a fight, or a contest. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Occasion:
    """The live page's names for all that is played and its standings, and what ``comes`` before the
    first game."""

    name: str
    comes: str
    standings: str = "Standings"


EVENING = Occasion("evening", "The lobby is open")
FIGHT = Occasion("fight", "The first game is about to begin")
CONTEST = Occasion("contest", "The next games are about to begin", "Table of standings")
