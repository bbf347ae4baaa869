"""A recorded game, step by step, for a terminal: pictures to page through, or all of it as text.

Pure; the record must be sound, which is `judge.game.record.replay`'s to say. A step is what one
answer did: a shot, a whole volley where one is due, a round where all shoot at once, or a forfeit.
Step 0 is the position before the first. Where one shot is due at a time, step and shot have one
number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from judge.contest.summary import forfeits
from judge.game.game import Game
from judge.game.outcome import FORFEITS
from judge.game.record import Aside, GameRecord
from judge.game.replay import replay
from judge.show.board import aside_text, position, shot_line
from judge.show.fight import headline, one_game
from judge.show.text import WIDTH, Style, clean, cut, fitted, paint, wrap

_SHOWN_SHOTS = 5  # of a volley, below a picture


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """How many shots there are after it, and what happened besides shots."""

    fired: int
    asides: tuple[Aside, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A game to look at, and what it did step by step."""

    record: GameRecord
    steps: tuple[ReplayStep, ...]

    @classmethod
    def of(cls, record: GameRecord) -> Replay:
        """Raises `RecordError` if the record breaks its rules."""
        return cls(record, tuple(_steps(record)))

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.record.seats]

    def at(self, step: int) -> Game:
        """The position after a step."""
        return next(islice(replay(self.record), step, None))

    def said(self, step: int, *, seat: int | None = None, colour: bool = False) -> list[str]:
        """What a step did, in lines: the shots as ``seat`` was told them, or as they were."""
        game = self.at(step)
        before = self.steps[step - 1].fired if step else 0
        shots = game.shots if seat is None else game.view(seat).shots
        lines = [
            shot_line(before + number, shot, self.names, game.rules, colour=colour)
            for number, shot in enumerate(shots[before:], 1)
        ]
        return lines + [self._aside(aside, colour) for aside in self.steps[step].asides]

    def _aside(self, aside: Aside, colour: bool) -> str:
        did = paint(aside_text(aside.what), Style.RED, colour and aside.what in FORFEITS)
        return f"      {cut(clean(self.names[aside.seat]), 40)} {did}"


def _steps(record: GameRecord) -> Iterator[ReplayStep]:
    """As `replay` goes: what is not a shot is a step of its own, but for forfeits of fleets."""
    asides = list(record.asides)
    placing = []
    while asides and asides[0].at == 0 and record.seats[asides[0].seat].fleet is None:
        placing.append(asides.pop(0))
    before = None
    for game in replay(record):
        fired = len(game.shots)
        if before is None:
            yield ReplayStep(fired, tuple(placing))
        else:
            due = bool(asides) and asides[0].at == before
            yield ReplayStep(fired, (asides.pop(0),) if due else ())
        before = fired


def title(replayed: Replay, step: int, seat: int | None) -> str:
    """Which game this is, how far it has come, and through whose eyes it is seen."""
    names = [cut(clean(name), 18) for name in replayed.names]
    eyes = "the truth" if seat is None else f"as {names[seat]} knows it"
    return f"{' against '.join(names)}, {step} of {replayed.last}, {eyes}"


def picture(
    replayed: Replay,
    step: int,
    *,
    seat: int | None = None,
    columns: int = WIDTH,
    colour: bool = False,
) -> list[str]:
    """Both boards after a step, with what it did; at the end, how the game ended.

    ``seat`` is the one to whose knowledge it is kept; None shows the truth.
    """
    game = replayed.at(step)
    boards = position(game, replayed.names, seat=seat, columns=columns, colour=colour)
    said = replayed.said(step, seat=seat, colour=colour)
    lines = [
        paint(cut(title(replayed, step, seat), columns), Style.BOLD, colour),
        "",
        *boards.split("\n"),
        "",
        *said[-_SHOWN_SHOTS:],
    ]
    if step == replayed.last:
        lines += ["", *wrap(headline(replayed.record), width=columns)]
        lines += _why(replayed.record, columns)
    return [fitted(line, columns) for line in lines]


def _why(record: GameRecord, columns: int) -> list[str]:
    """The sentence for the author of each bot that forfeited."""
    return [
        line
        for seat, forfeit in forfeits(record).items()
        if forfeit.detail
        for line in wrap(
            f"{clean(record.seats[seat].name)}, {forfeit.termination}: {clean(forfeit.detail)}",
            width=columns,
        )
    ]


def whole(
    replayed: Replay, *, seat: int | None = None, again: str | None = None, colour: bool = False
) -> str:
    """The whole game as text: the fleets, every step, the boards at the end, and the result."""
    record = replayed.record
    names = [clean(name) for name in replayed.names]
    lines = [
        paint(line, Style.BOLD, colour)
        for line in wrap(f"Game {clean(record.id)}: {' against '.join(names)}.")
    ]
    begin, end = replayed.at(0), replayed.at(replayed.last)
    lines += ["", position(begin, replayed.names, seat=seat, colour=colour), ""]
    for step in range(1, replayed.last + 1):
        lines += replayed.said(step, seat=seat, colour=colour)
    if replayed.last:
        lines += ["", position(end, replayed.names, seat=seat, colour=colour), ""]
    return "\n".join([*lines, one_game(record, again=again, colour=colour)])
