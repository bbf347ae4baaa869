"""The view of a game at one moment on a screen. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from judge.documents.rules import Rules
from judge.show.board import Rulers, TitledBoard


@dataclass(frozen=True, slots=True)
class Picture:
    """All boards of a game, with a title above and the lines ``said`` below, which may have
    colours. ``moves`` are the lines of the last moves, for a screen with room beside the boards.
    ``about`` are lines on the players. ``rulers`` are by default those of `Rulers.of`."""

    title: str
    rules: Rules
    boards: tuple[TitledBoard, ...]
    said: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    rulers: Rulers | None = None
