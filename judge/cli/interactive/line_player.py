"""A person who plays by typing lines: for a dumb terminal, or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import Dialogue
from judge.cli.interactive.person import BOT, ME, Person, why_not
from judge.documents.game import Outcome
from judge.documents.rules import Fleet, Rules
from judge.game.events import Event, Target, View
from judge.game.game import Game
from judge.show.board import position
from judge.show.text import wrap
from judge.wire.messages import Fired, FromPlayer, Resigned, Skipped

HELP = """\
skip          let this turn pass, where the rules allow it
resign        give the game up
help          say this
quit          leave; so does the end of input. The game is not kept"""


class LinePlayer(Person):
    """Asks a person for lines on stdout, and prints each move."""

    def __init__(
        self, names: Sequence[str], rules: Rules, *, wire: str, seed: int, colour: bool
    ) -> None:
        super().__init__(names, colour=colour)
        self._rules = rules
        self._seed = seed
        self._colour = colour
        words = ("help", "resign", "skip", "quit", fleet_input.RANDOM)
        self._person = Dialogue(words, rules, wire, colour=colour)

    def _fleet(self) -> Fleet:
        self._person.say(*wrap(fleet_input.in_brief(self._rules)))
        return self._person.fleet(self._seed)

    def _shot(self, view: View, game: Game) -> FromPlayer:
        self._show(game, seat=ME)
        what = "shot" if view.due == 1 else f"{view.due} shots"
        help_ = f"{fleet_input.help_of_shots(self._rules)}\n{HELP}"
        while True:
            line = self._person.ask(f"{self._names[ME]}, your {what}> ", help_)
            if line == "resign":
                return Resigned()
            if line == "skip" and self._rules.may_skip:
                return Skipped()
            try:
                cells = fleet_input.volley(line, view.due, self._rules)
            except ValueError as error:
                self._person.wrong(str(error))
                continue
            problems = (why_not(view, cell, cells[:place]) for place, cell in enumerate(cells))
            if problem := next(filter(None, problems), None):
                self._person.wrong(problem)
            else:
                return Fired(tuple(Target(BOT, cell) for cell in cells))

    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        if lines:
            self._person.say(*lines)
        elif isinstance(event, Outcome):
            self._show(game, seat=None)

    def _show(self, game: Game, seat: int | None) -> None:
        boards = position(
            game,
            self._names,
            seat=seat,
            move=self._moves.begin,
            explained=False,
            colour=self._colour,
        )
        self._person.say("", boards, "")
