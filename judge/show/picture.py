"""The view of a game at one moment on a screen.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.documents.rules import Rules
from judge.show.board import Rulers, TitledBoard


@dataclass(frozen=True, slots=True)
class Picture:
    """All boards, a title above them, and below them what was ``said``, in lines that may be
    painted. ``moves`` are the lines of the moves until now, for a screen with room beside the
    boards. ``about`` are lines on the players. The ``rulers`` are the judge's own unless given."""

    title: str
    rules: Rules
    boards: tuple[TitledBoard, ...]
    said: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    rulers: Rulers | None = None
