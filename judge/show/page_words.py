"""The words of the live page that differ between a server, a fight and a contest. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a live page: the ``name`` for the whole event, the line before the first game
    (``comes``), and the heading of the standings."""

    name: str
    comes: str
    standings: str = "Standings"


SERVER = PageWords("evening", "The lobby is open")
FIGHT = PageWords("fight", "The first game is about to begin")
CONTEST = PageWords("contest", "The next games are about to begin", "Table of standings")
