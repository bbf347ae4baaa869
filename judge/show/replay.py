"""A recorded game, step by step, for a terminal: pictures to page through, or the whole game as
text.

Pure. The steps are those of `judge.game.steps`: a shot or volley, a round in which all shoot at
once, or an incident such as a forfeit. Step 0 is the position before the first shot. Steps below 0
are those in which fleets are placed ship by ship: at step -2, two ships of each player are still to
be placed. A record has the ships in the order of their placing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from judge.contest.standings.summary import forfeits
from judge.documents.game import GameRecord
from judge.documents.rules import Placing
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.steps import Step, steps
from judge.show.board import Picture, Rulers, TitledBoard, placing, position, titled_boards
from judge.show.evidence import forfeit_lines
from judge.show.match import Standing, authors, table
from judge.show.moves import MOST_LINES, incident_line, move_lines
from judge.show.one_game import headline, one_game
from judge.show.text import WIDTH, Style, clean, cut, left, painted, wrap

_LONGEST_NAME = 18  # cells of a name


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded game and its steps. ``standing`` is the state of its match after the game, or
    None."""

    record: GameRecord
    steps: tuple[Step, ...]
    standing: Standing | None = None

    @classmethod
    def of(cls, record: GameRecord, standing: Standing | None = None) -> Replay:
        """The replay of a record. ``standing`` is given if the game is shown as part of its match.
        Raises `RecordError` if the record breaks its rules."""
        return cls(record, tuple(step for step, _ in steps(record)), standing)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    @property
    def first(self) -> int:
        """The number of the step before any ship is placed; 0 if fleets are not placed ship by
        ship, or if a seat has no fleet."""
        fleets, rules = [seat.fleet for seat in self.record.seats], self.record.rules
        if rules.placing is not Placing.SHIP_BY_SHIP or None in fleets:
            return 0
        return -len(rules.lengths)

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.record.seats]

    def at(self, step: int) -> Game:
        """The game after a step, which is not below 0."""
        return next(islice(replay(self.record), step, None))

    def said(self, step: int, *, seat: int | None = None) -> list[str]:
        """The lines on a step. With a ``seat``, shots have their announced results; with None their
        true results."""
        return self.said_of(self.at(step), step, seat=seat)

    def said_of(
        self,
        game: Game,
        step: int,
        *,
        seat: int | None = None,
        columns: int = WIDTH,
        colour: bool = False,
    ) -> list[str]:
        """The lines on a step, as `said` has them, from a ``game`` at that step or a later one."""
        begin, *after = (one.begin for one in self.steps[step : step + 2])
        shots = (game.shots if seat is None else game.announced_shots)[
            begin : after[0] if after else None
        ]
        lines = move_lines(
            step,
            shots,
            self.names,
            game.rules,
            rulers=Rulers.of_players(game.rules),
            columns=columns,
            colour=colour,
        )
        incidents = self.steps[step].incidents
        return lines + [
            incident_line(step or None, incident.seat, incident.what, self.names, colour=colour)
            for incident in incidents
        ]


def title(replayed: Replay, step: int, seat: int | None, *, is_truth: bool = True) -> str:
    """The title of a picture: the names, the step, and whether the picture shows the truth, the
    shots alone or what ``seat`` knows. In a match the game's number in the match comes first."""
    names = [cut(clean(name), _LONGEST_NAME) for name in replayed.names]
    eyes = "the truth" if is_truth else "the shots alone"
    if seat is not None:
        eyes = f"as {names[seat]} knows it"
    at = f"{step} of {replayed.last}"
    if step < 0:
        at = f"placing, {step - replayed.first} of {-replayed.first}"
    match = replayed.record.match
    game = "" if match is None else f"Game {match.game:,}: "
    return f"{game}{' against '.join(names)}, {at}, {eyes}"


def picture(
    replayed: Replay,
    step: int,
    *,
    seat: int | None = None,
    shows_ships: bool = True,
    columns: int = WIDTH,
    colour: bool = False,
) -> Picture:
    """All boards after a step, with lines on the step. At the last step, lines say how the game
    ended.

    With a ``seat`` the boards show what that seat knows, else the truth. Without a ``seat`` and
    without ``shows_ships``, the steps between step 0 and the last one show the shots alone.
    """
    record = replayed.record
    is_truth = shows_ships or step <= 0 or step == replayed.last
    moves: list[str] = []
    if step < 0:
        boards = _boards_in_placing(replayed, step, seat=seat)
        said = []
    else:
        game, move = replayed.at(step), replayed.steps[step].begin
        boards = titled_boards(
            game, replayed.names, seat=seat, move=move, shows_ships=is_truth or seat is not None
        )
        said = replayed.said_of(game, step, seat=seat, columns=columns, colour=colour)
        for number in range(max(0, step - MOST_LINES), step + 1):
            moves += replayed.said_of(game, number, seat=seat, colour=colour)
    if replayed.first < 0 and step <= 0:
        said += _said_in_placing(replayed, step, seat=seat)
    if step == replayed.last:
        said += ["", *wrap(headline(record), width=columns)]
        said += _why(record, columns, colour)
        said += _standing(replayed, colour)
    return Picture(
        title=cut(title(replayed, step, seat, is_truth=is_truth), columns),
        about=tuple(authors(record, columns)),
        rules=record.rules,
        rulers=Rulers.of_players(record.rules),
        boards=tuple(boards),
        said=tuple(said),
        moves=tuple(moves),
    )


def _standing(replayed: Replay, colour: bool) -> list[str]:
    """The lines on how the match stood after the game; empty if it is not known."""
    if replayed.standing is None:
        return []
    return ["", *table(replayed.names, replayed.standing, colour=colour)]


def _why(record: GameRecord, columns: int, colour: bool) -> list[str]:
    """The lines on each forfeit that has a detail: the fault, and what the bot printed."""
    return [
        line
        for seat, forfeit in forfeits(record).items()
        if forfeit.detail
        for line in forfeit_lines(clean(record.seats[seat].name), forfeit, colour, width=columns)
    ]


def whole(
    replayed: Replay,
    *,
    seat: int | None = None,
    again: str | None = None,
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The whole game as text: the boards before the first shot, every step, the boards at the end,
    and the result."""
    record = replayed.record
    names = [clean(name) for name in replayed.names]
    heading = f"Game {clean(record.display_name)}: {' against '.join(names)}."
    lines = painted(heading, Style.BOLD, colour, width)
    lines += authors(record, width)
    for step, game in enumerate(replay(record)):
        if step:
            lines += replayed.said_of(game, step, seat=seat, columns=width, colour=colour)
        if step in {0, replayed.last}:
            move = replayed.steps[step].begin
            boards = position(
                game,
                replayed.names,
                seat=seat,
                move=move,
                rulers=Rulers.of_players(record.rules),
                colour=colour,
            )
            lines += ["", boards, ""]
    lines.append(one_game(record, again=again, colour=colour, width=width, verbose=verbose))
    return "\n".join([*lines, *_standing(replayed, colour)])


# The placing


def _boards_in_placing(replayed: Replay, step: int, *, seat: int | None) -> list[TitledBoard]:
    """All boards at a step below 0, with only the fleet of ``seat``, or with all fleets if ``seat``
    is None."""
    count = step - replayed.first
    fleets = [
        (one.fleet or ())[:count] if seat in (None, number) else None
        for number, one in enumerate(replayed.record.seats)
    ]
    return placing(replayed.names, fleets)


def _said_in_placing(replayed: Replay, step: int, *, seat: int | None) -> Iterator[str]:
    """A line for each ship that ``seat`` placed in a step; with None, that any seat placed."""
    record, count = replayed.record, step - replayed.first
    if count <= 0:
        return
    width = min(_LONGEST_NAME, max(len(seat.name) for seat in record.seats))
    for number, one in enumerate(record.seats):
        if seat in (None, number) and one.fleet:
            ship = one.fleet[count - 1]
            where = Rulers.of_players(record.rules).cell(ship.cells[0])
            name = left(clean(one.name), width)
            yield f"ship {count}  {name}  {ship.length} at {where}, {ship.orientation}"
