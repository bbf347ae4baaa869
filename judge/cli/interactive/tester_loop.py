"""The loop of `judge tester`: asks for the move of the seat whose turn it is, and shows its effect
on both boards."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from judge import quoting
from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import Dialogue, PlayerLeft
from judge.cli.ledgers.ledger_option import save_record
from judge.cli.output import width
from judge.contest.seeds import derive, spelled
from judge.documents.rules import Fleet, Placing, Ship, Turn
from judge.errors import BotError, UsageError
from judge.game.events import Event, Shot, Target
from judge.game.steps import volleys
from judge.game.variants import name_of
from judge.play.session import Answer, AnsweredOtherwise, Session
from judge.show.board import is_lettered, position
from judge.show.evidence import ran_lines, run_lines
from judge.show.moves import move_lines
from judge.show.one_game import headline
from judge.show.text import Style, clean, cut, painted
from judge.wire import WIRES
from judge.wire.messages import AskShip, Fired, FromPlayer, Placed, PlacedShip, Skipped

COMMANDS = ("help", "undo", "save", "skip", "quit")

HELP = """\
skip          let this turn pass, where the rules allow it
(Enter)       where a bot is up: run it
undo          take the last move back, again and again
save FILE     keep the game, for judge replay
help          say this
quit          leave; so does the end of input"""


def _words(answer: Answer) -> str:
    """Say in words what a program has answered."""
    if isinstance(answer.said, BotError):
        return f"failed ({answer.said})"
    exchanges = answer.evidence.exchanges if answer.evidence else ()
    return f"said {cut(clean(exchanges[-1].received.strip()), 60)}" if exchanges else "said nothing"


class Tester:
    """Runs the loop of `judge tester`. ``chosen`` has the fleet of each seat, or None if the seat
    is asked for one."""

    def __init__(
        self,
        session: Session,
        bots: set[int],
        chosen: Sequence[Fleet | None],
        wire: str,
        seed: int,
        *,
        game_id: str,
        colour: bool,
        verbose: bool,
    ) -> None:
        self._verbose = verbose
        self._session = session
        self._bots = bots
        self._chosen = list(chosen)
        # Ships that are chosen or typed and not yet asked for.
        self._ships: list[list[Ship]] = [[], []]
        self._begin = 0  # the number of shots before the last move
        self._seed = seed
        self._game_id = game_id
        self._colour = colour
        self._names = [clean(player.entry.name) for player in session.players]
        self._person = Dialogue(COMMANDS, session.game.rules, wire, colour=colour)
        self._explained = False  # whether the marks on the boards were explained

    def run(self) -> None:
        """Run the loop until the end of input, or until the person types ``quit``."""
        rules = clean(name_of(self._session.game.rules))
        self._person.tell(
            f"Rules {rules}, seed {spelled(self._seed)}. help says what can be typed."
        )
        with contextlib.suppress(PlayerLeft):
            if self._session.game.rules.placing is not Placing.JUDGE:
                self._place_all()
            self._show_position()
            while True:
                if self._session.game.is_placing and not self._session.game.outcome:
                    self._place_all()  # a seat whose forfeit was taken back
                    self._show_position()
                self._move()
        self._session.leave()

    # Fleets

    def _place_all(self) -> None:
        game = self._session.game
        while game.is_placing and not game.outcome:
            seat, question = self._session.question
            if seat in self._bots and self._chosen[seat] is None and not self._ships[seat]:
                self._run_bot()
            elif isinstance(question, AskShip):
                self._ships[seat] = self._ships[seat] or list(self._fleet(seat))
                ship = fleet_input.taken(self._ships[seat], question.length)
                self._session.take(Answer(seat, PlacedShip(ship)))
            else:
                self._session.take(Answer(seat, Placed(self._fleet(seat))))

    def _fleet(self, seat: int) -> Fleet:
        """Return the fleet that was chosen for a seat, or else ask for one."""
        fleet, self._chosen[seat] = self._chosen[seat], None
        drawn = derive(self._seed, "fleet", seat)
        return fleet or self._person.fleet(drawn, whose=f"{self._names[seat]}, ")

    # Moves

    def _move(self) -> None:
        game = self._session.game
        as_a_bot = '; {"move":"34"}, as a bot would say it, does too'
        by_digits = "" if is_lettered(game.rules) else as_a_bot
        help_ = f"{fleet_input.help_of_shots(game.rules, by_digits)}\n{HELP}"
        if game.outcome:
            line = self._person.ask("the game is over> ", help_)
        else:
            seat = game.to_move[0]
            due = game.shots_due(seat)
            line = self._person.ask(f"{self._names[seat]}{f', {due} shots' * (due > 1)}> ", help_)
        word, _, rest = line.partition(" ")
        if word == "undo" and not rest:
            self._undo()
        elif word == "save":
            self._save(rest.strip())
        elif game.outcome:
            self._person.wrong("the game is over; undo takes the last move back, quit leaves")
        elif line:
            self._by_hand(seat, line)
        elif seat in self._bots:
            self._tell(self._run_bot())
        else:
            written = "a letter and a number" if is_lettered(game.rules) else "two digits"
            self._person.wrong(f"a shot is {written}, the column and the row; help says what else")

    def _by_hand(self, seat: int, line: str) -> None:
        wire = self._session.players[seat].entry.wire
        if seat in self._bots and wire and WIRES[wire].keeps_state:
            self._person.wrong(
                f"{self._names[seat]} speaks {wire}, whose players keep account of their own moves, "
                "so it makes them itself: Enter runs it"
            )
            return
        try:
            self._tell(self._session.take(Answer(seat, self._typed(seat, line))))
        except ValueError as error:
            self._person.wrong(str(error))
        except BotError as error:
            self._person.wrong(f"{error.termination}: {error}")

    def _typed(self, seat: int, line: str) -> FromPlayer:
        """Return the answer that a line means. Raises ValueError or `BotError` if it means none."""
        game = self._session.game
        if line == "skip":
            return Skipped()
        if line.startswith("{"):
            return self._session.understood(line)
        cells = fleet_input.volley(line, game.shots_due(seat), game.rules)
        return Fired(tuple(Target(1 - seat, cell) for cell in cells))

    def _run_bot(self) -> tuple[Event, ...]:
        """Let the bot that is to move answer. Show the run, and return the answer's events."""
        seat, _ = self._session.question
        answer, events = self._session.step()
        if answer.evidence:
            last = answer.evidence.exchanges[-1:]  # earlier ones have been shown
            shown = replace(answer.evidence, exchanges=last)
            ran = ran_lines(shown.argv, {}, width(), quoting.line(shown.argv))
            self._person.say(*ran, *run_lines(shown, width=width(), verbose=self._verbose))
        if isinstance(answer.said, BotError):
            said = f"{self._names[seat]}, {answer.said.termination}: {clean(str(answer.said))}"
            self._person.say(*painted(said, Style.RED, self._colour, width()))
        return events

    def _undo(self) -> None:
        try:
            undone = self._session.undo()
        except AnsweredOtherwise as error:
            name = self._names[error.now.seat]
            self._person.wrong(
                f"no move is taken back: {name} was started anew and told the same, and it "
                f"{_words(error.now)} where it {_words(error.before)} before"
            )
            return
        if undone is None:
            self._person.wrong("there is no move to take back")
            return
        self._person.tell(f"{self._names[undone.seat]}'s last move is taken back.")
        game = self._session.game
        fleets = [game.fleet(seat) for seat in (0, 1)]
        *_, last = (0, *(volley.begin for volley in volleys(game.rules, fleets, game.shots)))
        self._begin = last
        if not self._session.game.is_placing:
            self._show_position()

    def _save(self, name: str) -> None:
        if not name:
            self._person.wrong("say where to: save FILE")
            return
        over = self._session.game.outcome is not None
        try:
            written = save_record(
                Path(name).expanduser(), lambda: self._session.record(self._game_id)
            )
        except UsageError as error:
            self._person.wrong(str(error))
            return
        how = "" if over else ", unfinished"
        self._person.tell(f"kept in {written}{how}. judge replay {written} shows it.")

    # What is seen

    def _tell(self, events: Sequence[Event]) -> None:
        """Show the effect of an answer, the boards after it, and what comes next."""
        game = self._session.game
        shots = [event for event in events if isinstance(event, Shot)]
        self._begin = len(game.shots) - len(shots)
        self._person.say(
            *move_lines(self._moves, shots, self._names, game.rules, colour=self._colour)
        )
        if not events and game.rules.turn is Turn.BOTH:
            self._person.tell("noted; the other seat moves in the same round")
        self._show_position()

    @property
    def _moves(self) -> int:
        """The number of the last move."""
        game = self._session.game
        if game.rules.turn is Turn.BOTH:
            return game.rounds
        return sum(
            not isinstance(answer.said, Placed | PlacedShip) for answer in self._session.answers
        )

    def _show_position(self) -> None:
        game = self._session.game
        boards = position(
            game,
            self._names,
            move=self._begin,
            columns=width(),
            explained=not self._explained,
            colour=self._colour,
        )
        self._person.say("", boards, "")
        self._explained = True
        for seat, name in enumerate(self._names):
            sunk = [str(shot.sunk) for shot in game.shots if shot.seat == seat and shot.sunk]
            self._person.say(f"{name} has destroyed: {' '.join(sunk) or 'nothing'}")
        if game.outcome:
            record = self._session.record(self._game_id)
            self._person.say("", *painted(headline(record), Style.BOLD, self._colour, width()))
            return
        seat = game.to_move[0]
        what = "gets; Enter runs it" if seat in self._bots else "would get, if it were a bot"
        self._person.say("")
        self._person.tell(f"{self._names[seat]} is up. This is what it {what}:")
        self._person.say(self._session.prompt_text())
