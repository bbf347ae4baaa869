"""A person who plays on a full screen. The screen's app gets the game's questions and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import PlayerLeft
from judge.cli.interactive.person import BOT, ME, Person, why_not
from judge.documents.game import Outcome
from judge.documents.rules import Fleet, Rules
from judge.game.events import Event, Shot, View
from judge.game.game import Game
from judge.screen.hosting import Hosting
from judge.screen.play import AnswerChecks, PlayApp
from judge.show.text import clean
from judge.wire.messages import FromPlayer

_T = TypeVar("_T")


def on_screen(
    game: Callable[[Person], _T],
    pool: Executor,
    names: Sequence[str],
    rules: Rules,
    *,
    seed: int,
    delay: int,
    colour: bool,
) -> _T:
    """Play a game with a person at a full screen, in a thread of the pool, and return the game's
    result. Each shot of the bot is shown for ``delay`` milliseconds."""
    names = [clean(name) for name in names]
    checks = AnswerChecks(
        partial(fleet_input.cell, rules=rules), why_not, partial(fleet_input.require_room, rules)
    )
    app = PlayApp(names, rules, checks, me=ME, seed=seed, colour=colour)
    person = _ScreenPlayer(app, names, delay=delay, colour=colour)
    with Hosting(app) as hosting:
        try:
            return hosting.result(pool.submit(game, person))
        finally:
            app.leave()


class _ScreenPlayer(Person):
    def __init__(self, app: PlayApp, names: Sequence[str], *, delay: int, colour: bool) -> None:
        super().__init__(names, colour=colour)
        self._app = app
        self._delay = delay

    def _shot(self, view: View, game: Game) -> FromPlayer:
        answer = self._app.aim(view, game, self._moves.begin, self._moves.last)
        if answer is None:
            raise PlayerLeft
        return answer

    def _fleet(self) -> Fleet:
        fleet = self._app.lay()
        if fleet is None:
            raise PlayerLeft
        return fleet

    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        title = " against ".join(self._names)
        if lines:
            is_own = isinstance(event, Shot) and event.seat == ME
            self._app.look(
                self._moves.picture(game, title, seat=ME), 0 if is_own else self._delay / 1000
            )
        elif isinstance(event, Outcome):
            won = {ME: "You have won.", BOT: f"{self._names[BOT]} has won."}
            said = won[event.winner] if event.winner is not None else "Nobody has won."
            foot = f"{said} These are both fleets; press a key."
            self._app.look(self._moves.picture(game, title), None, foot)
