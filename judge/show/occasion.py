"""The words of spectators' pages: a server's evening, a fight, or a contest. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Occasion:
    """The live page's names for all that is played, its games and its standings, and whether there
    is a lobby to show."""

    name: str
    games: str = "Games"
    standings: str = "Standings"
    has_lobby: bool = False


EVENING = Occasion("evening", has_lobby=True)
FIGHT = Occasion("fight")
CONTEST = Occasion("contest", games="Pairings", standings="Table of standings")
