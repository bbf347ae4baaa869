"""Tells why a bot's turn is illegal, as far as a client knows the game."""

from __future__ import annotations

from judge.documents.rules import Repeat
from judge.game.events import View
from judge.wire.messages import Fired, FromPlayer, Skipped


def flaw(view: View, said: FromPlayer) -> str:
    """Why an answer to a question for a shot is illegal; empty if the answer is legal."""
    rules = view.rules
    match said:
        case Skipped() if rules.may_skip:
            return ""
        case Skipped():
            return "skipped its turn, which the rules do not allow"
        case Fired(targets) if len(targets) != 1:
            return f"fired {len(targets)} shots, and a turn is one"
        case Fired(((seat, cell),)):
            if not rules.on_grid(cell):
                return "shot off the board"
            if seat == view.seat or not 0 <= seat < view.players:
                return "shot at no opponent"
            was_shot_at = any(shot.target == seat and shot.cell == cell for shot in view.shots)
            if rules.repeat is Repeat.ILLEGAL and was_shot_at:
                return "shot at a cell that was shot at before"
            return ""
    return "gave no shot where one was asked for"
