"""The table of checks: a row for each claim about a bot, with the questions that are put to it.

Pure: nothing is run here. What is asked depends on the rules and the seed alone. The claims are
those of the guide on bots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import permutations
from math import perm
from random import Random

from judge.check.conformance import LOCALES, Verdict, fleets_obeyed, not_its_own, obeyed
from judge.contest.seeds import SEED_LIMIT
from judge.documents.rules import BadMove, Rules
from judge.game import positions
from judge.game.positions import Position
from judge.play.asking import Question
from judge.process.run.connection import LANG
from judge.wire.interface import Wire

SEATS = (0, 1)
MOST_ORDERS = 24  # of sinking: all those of four ships
MOST_PLAYERS = 9  # in one game

Questions = Callable[[Rules, Random], Iterable[Question | None]]


@dataclass(frozen=True, slots=True)
class Check:
    """A claim, and the questions that could refute it; a position that the rules do not bring is
    left out.

    Where the rules draw the fleet, all questions are about one fleet, or each that ``redraws``
    about a fleet of its own. In a check that is ``elsewhere`` a copy of the bot is asked, in
    another folder. A check of a ``dialect`` asks in that one.
    """

    claim: str
    questions: Questions
    verdict: Verdict = obeyed
    elsewhere: bool = False
    redraws: bool = False
    dialect: str = ""

    def asked(self, rules: Rules, seed: int) -> tuple[Question, ...]:
        luck = Random(f"{seed}:{self.claim}")
        questions = self.questions(rules if self.redraws else rules.drawn(luck), luck)
        return tuple(
            replace(question, dialect=self.dialect) if self.dialect else question
            for question in questions
            if question
        )


def question(
    position: Position | None, rng: Random, *, lang: str = LANG, refused: bool = False
) -> Question | None:
    """The question of a position, if there is one, with a seed of its own."""
    if position is None:
        return None
    return Question(position, rng.randrange(SEED_LIMIT), lang=lang, is_refused=refused)


def _fleets(rules: Rules, rng: Random) -> Iterable[Question | None]:
    for seed in (0, SEED_LIMIT - 1, *(rng.randrange(SEED_LIMIT) for _ in range(6))):
        if position := positions.placing(rules.drawn(rng)):
            yield Question(position, seed)


def _openings(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [question(positions.opening(rules, rng, seat), rng) for seat in SEATS]


def _answers(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [question(positions.answering(rules, rng, seat), rng) for seat in SEATS * 2]


def _middles(rules: Rules, rng: Random) -> Iterable[Question | None]:
    parts = [number / 12 for number in range(1, 12)]
    return [
        question(positions.middle(rules, rng, number % 2, part), rng)
        for number, part in enumerate(parts)
    ]


def _either_seat(rules: Rules, rng: Random) -> Iterable[Question | None]:
    """The same shots once by either player: only the numbers of the players differ."""
    for part in (0.2, 0.6):
        luck = rng.randrange(SEED_LIMIT)
        for seat in SEATS:
            yield question(positions.middle(rules, Random(luck), seat, part), rng)


def _other_dialect(rules: Rules, rng: Random) -> Iterable[Question | None]:
    """All that differs in it, sinking shots and the sizes of ships, to the end."""
    reached = [
        positions.opening(rules, rng, 0),
        positions.answering(rules, rng, 1),
        positions.lucky(rules, rng, 1),
    ]
    yield from (question(position, rng) for position in reached)
    for kind in (_middles, _last_cells, _sunk):
        yield from kind(rules, rng)


def _crossed(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [
        question(positions.crossed(rules, rng, seat, left), rng)
        for seat in SEATS
        for left in (2, 6)
    ]


def _wounded(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [
        question(positions.wounded(rules, rng, seat, length), rng)
        for length in sorted(set(rules.lengths))
        if length > 1
        for seat in SEATS
    ]


def _sunk(rules: Rules, rng: Random) -> Iterable[Question | None]:
    """Of each order all ships but the last, with which the game is over; from both seats. Of more
    orders than can be asked about, some that are drawn."""
    lengths, count = sorted(rules.lengths), max(1, len(rules.lengths) - 1)
    if perm(len(lengths), count) <= MOST_ORDERS:
        orders = dict.fromkeys(permutations(lengths, count))
    else:
        orders = dict.fromkeys(tuple(rng.sample(lengths, count)) for _ in range(MOST_ORDERS))
    return [
        question(positions.sunk_in_order(rules, rng, seat, order), rng)
        for order in orders
        for seat in SEATS
    ]


def _touching(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [
        question(positions.touching(rules, rng, sunk % 2, sunk), rng)
        for sunk in range(len(rules.lengths))
    ]


def _extremes(rules: Rules, rng: Random) -> Iterable[Question | None]:
    kinds = (positions.lucky, positions.unlucky)
    return [question(kind(rules, rng, seat), rng) for kind in kinds for seat in SEATS]


def _repeated(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [
        question(positions.repeated(rules, rng, seat, part), rng)
        for part in (0.1, 0.4)
        for seat in SEATS
    ]


def _skipped(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [question(positions.skipped(rules, rng, seat), rng) for seat in SEATS]


def _crowded(rules: Rules, rng: Random) -> Iterable[Question | None]:
    for players in range(rules.players[0] + 1, min(rules.players[1], MOST_PLAYERS) + 1):
        for turns in (0, 1, 8):
            seat = rng.randrange(players)
            yield question(positions.crowded(rules, rng, seat, players, turns), rng)


def _refused(rules: Rules, rng: Random) -> Iterable[Question | None]:
    if rules.bad_move is BadMove.ASK_AGAIN:
        yield question(positions.placing(rules), rng, refused=True)
        for seat in SEATS:
            yield question(positions.middle(rules, rng, seat, 0.5), rng, refused=True)


def _last_cells(rules: Rules, rng: Random) -> Iterable[Question | None]:
    return [
        question(positions.last_cell(rules, rng, number % 2, cell), rng)
        for number, cell in enumerate(positions.corners_and_centre(rules))
    ]


def _locales(rules: Rules, rng: Random) -> Iterable[Question | None]:
    for lang in LOCALES:
        yield question(positions.placing(rules), rng, lang=lang)
        yield question(positions.middle(rules, rng, 0, 0.5), rng, lang=lang)


def _anywhere(rules: Rules, rng: Random) -> Iterable[Question | None]:
    yield question(positions.placing(rules), rng)
    yield question(positions.middle(rules, rng, 1, 0.5), rng)


FIRST = (
    Check("places a legal fleet", _fleets, fleets_obeyed, redraws=True),
    Check("makes the first move of a game", _openings),
)
"""If nothing of these can be read, nothing else is worth asking."""

_POSITIONS = (
    Check("answers an opponent who moved first", _answers),
    Check("shoots at fresh cells, all through a game", _middles),
    Check("plays as player 0 and as player 1", _either_seat),
    Check("tells its own shots from the opponent's", _crossed),
    Check("follows a wounded ship, however it lies", _wounded),
    Check("goes on when ships are sunk, in any order", _sunk),
    Check("copes with ships that touch", _touching),
    Check("copes with nothing but hits, or but misses", _extremes),
    Check("finds the last cell of the longest game", _last_cells),
    Check("copes with cells that are shot at again", _repeated),
    Check("copes with turns that are skipped", _skipped),
    Check("copes with several opponents", _crowded),
    Check("answers again when it is refused", _refused),
)
_PLACES = (
    Check("works in any locale", _locales),
    Check("works wherever its files lie", _anywhere, elsewhere=True),
)


def checks_of(wire: type[Wire], spoken: str) -> tuple[Check, ...]:
    """The checks of a bot that says it speaks this dialect of a wire, but for the first ones."""
    others = (
        Check(f"understands the dialect {name}", _other_dialect, not_its_own, dialect=name)
        for name in wire.dialects
        if name != spoken
    )
    return (*_POSITIONS, *others, *_PLACES)


CLAIMS = tuple(check.claim for check in (*_POSITIONS, *_PLACES))
"""Those of every wire."""
