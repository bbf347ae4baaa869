"""The table of checks: each row has a claim about a bot and the questions that could refute it.

A bot whose wire (protocol) keeps state plays whole games, against opponents that are scripted for
the claim. Any other bot is asked about positions, and plays games only for `LIVING`. Pure: nothing
is run here. The questions depend only on the rules, the bot's wire, dialect and name, and the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import perm
from random import Random
from typing import NamedTuple

from judge.check import conformance, opponents
from judge.check.conformance import LOCALES, Finding, Verdict, obeyed
from judge.check.opponents import Shoot, at_random
from judge.contest.seeds import SEED_LIMIT
from judge.documents.rules import BadMove, Rules
from judge.game import positions
from judge.game.positions import Position
from judge.game.variants import BRAINJAR
from judge.play.asking import Question
from judge.process.run.environment import LANG
from judge.wire.interface import Transport, Wire

SEATS = (0, 1)
MOST_ORDERS = 24  # orders in which ships are sunk; four ships have 24
MOST_PLAYERS = 9  # players in one game


class Subject(NamedTuple):
    """The wire and name of a bot, and the rules. The bot's questions are made from these."""

    wire: type[Wire]
    name: str
    rules: Rules


@dataclass(frozen=True, slots=True)
class GameSetting:
    """A game of a bot for a check: the bot's seat, and how its opponents shoot. Seat 0 moves first.
    The run's rules hold unless ``rules`` are given. ``games`` above 1 make it a match."""

    seat: int
    shoot: Shoot
    seed: int
    name: str = "opponent"
    lang: str = LANG
    rules: Rules | None = None
    games: int = 1


Put = Question | GameSetting
Questions = Iterable[Question | None]
Games = Iterator[GameSetting]
Puts = Callable[[Subject, Random], Iterable[Put | None]]
Recipe = Callable[[Rules, Random, int], Position | None]


@dataclass(frozen=True, slots=True)
class Check:
    """A claim about a bot, and the questions or games that could refute it.

    ``puts`` makes the questions or games; None stands for a position that the rules rule out. If
    the rules draw ship lengths, all questions have the same lengths, unless the check ``redraws``.
    A check with ``elsewhere`` asks a copy of the bot in another folder. If ``dialect`` is empty,
    questions are asked in the bot's own dialect.
    """

    claim: str
    puts: Puts
    verdict: Verdict = obeyed
    elsewhere: bool = False
    redraws: bool = False
    dialect: str = ""

    def asked(self, bot: Subject, seed: int) -> tuple[Put, ...]:
        """The questions and games that the bot's wire can express, drawn by ``seed``."""
        luck = Random(f"{seed}:{self.claim}")
        bot = bot if self.redraws else bot._replace(rules=bot.rules.drawn(luck))
        return tuple(
            replace(one, dialect=self.dialect)
            if self.dialect and isinstance(one, Question)
            else one
            for one in self.puts(bot, luck)
            if one and _is_sayable(one, bot.wire)
        )


def _is_sayable(put: Put, wire: type[Wire]) -> bool:
    if isinstance(put, GameSetting) or put.position is None:
        return True
    game = put.position.game
    return not wire.unsupported(game.rules, game.players)


# Questions about positions


def question(
    position: Position | None, rng: Random, *, lang: str = LANG, refused: bool = False
) -> Question | None:
    """A question about a position, with a BOT_SEED drawn from ``rng``; None without a position."""
    if position is None:
        return None
    return Question(position, rng.randrange(SEED_LIMIT), lang=lang, is_refused=refused)


def _fleets(bot: Subject, rng: Random) -> Questions:
    for seed in (0, SEED_LIMIT - 1, *(rng.randrange(SEED_LIMIT) for _ in range(6))):
        if position := positions.placing(bot.rules.drawn(rng)):
            yield Question(position, seed)


def _from_seats(*recipes: Recipe, seats: Sequence[int] = SEATS) -> Puts:
    """Return a function that makes a question for each recipe of a position and each seat."""
    return lambda bot, rng: [
        question(recipe(bot.rules, rng, seat), rng) for recipe in recipes for seat in seats
    ]


def _middles(bot: Subject, rng: Random) -> Questions:
    # Each of the first moves has a question: a bot meets each event there for the first time.
    reached = [positions.begun(bot.rules, rng, shots % 2, shots) for shots in (1, 2, 3)]
    reached += [
        positions.middle(bot.rules, rng, number % 2, number / 12) for number in range(4, 12)
    ]
    return [question(position, rng) for position in reached]


def _either_seat(bot: Subject, rng: Random) -> Questions:
    """Questions about pairs of games that differ only in the seat of the bot, 0 or 1."""
    for part in (0.2, 0.6):
        luck = rng.randrange(SEED_LIMIT)
        for seat in SEATS:
            yield question(positions.middle(bot.rules, Random(luck), seat, part), rng)


def _other_dialect(bot: Subject, rng: Random) -> Questions:
    """Questions about positions that dialects may word differently: first moves, nothing but hits,
    mid-game, the last cell and sunk ships."""
    reached = [
        positions.opening(bot.rules, rng, 0),
        positions.answering(bot.rules, rng, 1),
        positions.lucky(bot.rules, rng, 1),
    ]
    yield from (question(position, rng) for position in reached)
    for kind in (_middles, _last_cells, _sunk):
        yield from kind(bot, rng)


def _crossed(bot: Subject, rng: Random) -> Questions:
    return [
        question(positions.crossed(bot.rules, rng, seat, left), rng)
        for seat in SEATS
        for left in (2, 6)
    ]


def _wounded(bot: Subject, rng: Random) -> Questions:
    return [
        question(positions.wounded(bot.rules, rng, seat, length), rng)
        for length in sorted(set(bot.rules.lengths))
        if length > 1
        for seat in SEATS
    ]


def _sunk(bot: Subject, rng: Random) -> Questions:
    """Questions about positions in which the asked seat has sunk all of the opponent's ships but
    one. Each order of the sunk lengths is asked about once from each seat. If there are more than
    `MOST_ORDERS` orders, at most that many drawn orders are asked about."""
    lengths, count = sorted(bot.rules.lengths), max(1, len(bot.rules.lengths) - 1)
    if perm(len(lengths), count) <= MOST_ORDERS:
        orders = dict.fromkeys(permutations(lengths, count))
    else:
        orders = dict.fromkeys(tuple(rng.sample(lengths, count)) for _ in range(MOST_ORDERS))
    return [
        question(positions.sunk_in_order(bot.rules, rng, seat, order), rng)
        for order in orders
        for seat in SEATS
    ]


def _touching(bot: Subject, rng: Random) -> Questions:
    return [
        question(positions.touching(bot.rules, rng, sunk % 2, sunk), rng)
        for sunk in range(len(bot.rules.lengths))
    ]


def _repeated(bot: Subject, rng: Random) -> Questions:
    return [
        question(positions.repeated(bot.rules, rng, seat, part), rng)
        for part in (0.1, 0.4)
        for seat in SEATS
    ]


def _crowded(bot: Subject, rng: Random) -> Questions:
    for players in range(bot.rules.players[0] + 1, min(bot.rules.players[1], MOST_PLAYERS) + 1):
        for turns in (0, 1, 8):
            seat = rng.randrange(players)
            yield question(positions.crowded(bot.rules, rng, seat, players, turns), rng)


def _refused(bot: Subject, rng: Random) -> Questions:
    if bot.rules.bad_move is BadMove.ASK_AGAIN:
        yield question(positions.placing(bot.rules), rng, refused=True)
        for seat in SEATS:
            yield question(positions.middle(bot.rules, rng, seat, 0.5), rng, refused=True)


def _last_cells(bot: Subject, rng: Random) -> Questions:
    return [
        question(positions.last_cell(bot.rules, rng, number % 2, cell), rng)
        for number, cell in enumerate(positions.corners_and_centre(bot.rules))
    ]


def _locales(bot: Subject, rng: Random) -> Questions:
    for lang in LOCALES:
        yield question(positions.placing(bot.rules), rng, lang=lang)
        yield question(positions.middle(bot.rules, rng, 0, 0.5), rng, lang=lang)


def _anywhere(bot: Subject, rng: Random) -> Questions:
    yield question(positions.placing(bot.rules), rng)
    yield question(positions.middle(bot.rules, rng, 1, 0.5), rng)


# Games


def _seed(luck: Random) -> int:
    return luck.randrange(SEED_LIMIT)


def _against(
    *shoots: Shoot,
    seats: Sequence[int] = SEATS,
    wire: Callable[[type[Wire]], bool] = lambda _: True,
    games: int = 1,
) -> Puts:
    """Return a function that makes a game for each way to shoot and each seat, or none if ``wire``
    refuses the bot's wire."""
    return lambda bot, luck: (
        GameSetting(seat, shoot, _seed(luck), games=games)
        for shoot in (shoots if wire(bot.wire) else ())
        for seat in seats
    )


def _plays_matches(wire: type[Wire]) -> bool:
    return wire.plays_matches


def _games_of_fleets(_: Subject, luck: Random) -> Games:
    for number, seed in enumerate((0, SEED_LIMIT - 1, *(_seed(luck) for _ in range(6)))):
        yield GameSetting(number % 2, opponents.leaves, seed)


def _names(bot: Subject, luck: Random) -> Games:
    for name in bot.wire.names_to_try(bot.name):
        if bot.wire.unsayable(name):
            continue  # the wire cannot carry this name
        for seat in (0, 1):
            yield GameSetting(seat, at_random, _seed(luck), name)


def _games_of_locales(_: Subject, luck: Random) -> Games:
    return (GameSetting(0, at_random, _seed(luck), lang=lang) for lang in LOCALES)


def _sizes(bot: Subject, luck: Random) -> Games:
    for rules in bot.wire.rules_to_try():
        yield GameSetting(rules.columns % 2, at_random, _seed(luck), rules=rules)


LIVING = "plays whole games in one process"


# The tables

_FIRST = (
    Check("places a legal fleet", _fleets, conformance.fleets_obeyed, redraws=True),
    Check("makes the first move of a game", _from_seats(positions.opening)),
)

_POSITIONS = (
    Check(
        "replies to an opponent who moved first", _from_seats(positions.answering, seats=SEATS * 2)
    ),
    Check("shoots at fresh cells, all through a game", _middles),
    Check("plays from seat 0 and from seat 1", _either_seat),
    Check("tells its own shots from the opponent's", _crossed),
    Check("follows a wounded ship, however it lies", _wounded),
    Check("goes on when ships are sunk, in any order", _sunk),
    Check("copes with ships that touch", _touching),
    Check(
        "copes with nothing but hits, or but misses",
        _from_seats(positions.lucky, positions.unlucky),
    ),
    Check("finds the last cell of the longest game", _last_cells),
    Check("copes with cells that are shot at again", _repeated),
    Check("copes with turns that are skipped", _from_seats(positions.skipped)),
    Check("copes with several opponents", _crowded),
    Check("replies again when it is refused", _refused),
)
_PLACES = (
    Check("works in any locale", _locales),
    Check("works wherever its files lie", _anywhere, elsewhere=True),
)


def _game_check(
    claim: str, puts: Puts, verdict: Verdict = obeyed, *, elsewhere: bool = False
) -> Check:
    """A check by games. If the rules draw ship lengths, each game draws its own."""
    return Check(claim, puts, verdict, elsewhere, redraws=True)


_FIRST_GAMES = (_game_check("places a legal fleet", _games_of_fleets, conformance.fleets_obeyed),)
_SINKING = (opponents.sinking(opponents.shortest_first), opponents.sinking(opponents.longest_first))
_GAMES = (
    _game_check("plays to the end from either seat", _against(at_random, seats=SEATS * 3)),
    _game_check(
        "fires as many shots as are due", _against(*_SINKING, wire=lambda wire: wire.shots_vary)
    ),
    _game_check(
        "copes with nothing but hits, or but misses", _against(opponents.hits, opponents.misses)
    ),
    _game_check("copes with any name of the opponent", _names),
    _game_check("plays on boards of every size", _sizes),
    _game_check(
        "plays several games in one process", _against(at_random, wire=_plays_matches, games=4)
    ),
    _game_check(
        "copes with cells that are shot at again", _against(opponents.twice, wire=_plays_matches)
    ),
    _game_check(
        "leaves a match that ends in mid-game",
        _against(opponents.breaks_off, wire=_plays_matches),
        conformance.left,
    ),
    _game_check("works in any locale", _games_of_locales),
    _game_check("works wherever its files lie", _against(at_random), elsewhere=True),
)
_LIVING = _game_check(LIVING, _against(at_random))


class Checks(NamedTuple):
    """The checks of a bot, in order. ``first`` and ``others`` put questions of their own.

    If no reply to the ``first`` checks can be used, an examination of all checks tries only the
    ``overall`` claims further. The claims ``again`` rest on questions that are put more than once,
    and the claims ``at_the_end`` on whole games. The claims ``overall``, except for `FORKED`, rest
    on all replies in the bot's own dialect.
    """

    first: tuple[Check, ...]
    again: tuple[str, ...]
    others: tuple[Check, ...]
    at_the_end: tuple[str, ...]
    overall: tuple[str, ...]

    @property
    def claims(self) -> tuple[str, ...]:
        first, others = ((check.claim for check in checks) for checks in (self.first, self.others))
        return (*first, *self.again, *others, *self.at_the_end, *self.overall)


def checks_of(wire: type[Wire], spoken: str) -> Checks:
    """The checks of a bot that speaks the dialect ``spoken`` of a wire."""
    if wire.keeps_state:
        bot = Subject(wire, wire.name, BRAINJAR)
        games = tuple(check for check in _GAMES if check.asked(bot, 0))
        overall = (
            conformance.HELD_IN_GAMES,
            conformance.IN_TIME,
            conformance.IN_MEMORY,
            conformance.QUIET,
        )
        return Checks(
            _FIRST_GAMES,
            (conformance.SAMENESS,),
            games,
            (conformance.PARTING, conformance.WASTE),
            overall,
        )
    dialects = (
        Check(
            f"understands the dialect {name}", _other_dialect, conformance.not_its_own, dialect=name
        )
        for name in wire.dialects
        if name != spoken
    )
    lives = wire.transport is not Transport.ONE_SHOT
    return Checks(
        _FIRST,
        (conformance.SAMENESS, conformance.FORGETFUL),
        (*_POSITIONS, *dialects, *_PLACES, *[_LIVING] * lives),
        (conformance.PARTING,) * lives,
        (
            conformance.HELD,
            conformance.IN_TIME,
            conformance.IN_MEMORY,
            conformance.QUIET,
            *[conformance.FORKED] * (not lives),
        ),
    )


def not_for_players(checks: Checks) -> Finding:
    """A finding that lists the checks not tried on a bot whose wire keeps state."""
    tried = {check.claim for check in checks.others}
    untried = (check.claim for check in (*_POSITIONS, *_PLACES) if check.claim not in tried)
    told = "not for a player, which plays whole games and is not asked about positions: "
    return Finding("other checks", None, told + "; ".join((conformance.FORGETFUL, *untried)))
