"""The words of spectators' pages: a server's evening, a fight, or a contest. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageWords:
    """The live page's names for all that is played and its standings, and what ``comes`` before the
    first game."""

    name: str
    comes: str
    standings: str = "Standings"


SERVER = PageWords("evening", "The lobby is open")
FIGHT = PageWords("fight", "The first game is about to begin")
CONTEST = PageWords("contest", "The next games are about to begin", "Table of standings")
