"""The schedule of a contest or a fight: its games and their order. A schedule plays nothing.

A game's seeds are known before it starts, so the same schedule gives the same games in the same
order, for any number of games at once. The id and seeds of a contest's game depend only on its
bots' names, the rules, the contest's seed and the round, and not on the other bots. There is one
exception: if a bot is not the first version of its name, its games' seeds also depend on the
digests of the bots. The author of a second version may know the first version's games, and so the
fleets of its opponents there.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from judge.contest.formats import groups
from judge.contest.formats.units import Meeting
from judge.contest.games import GamePlace, places_of
from judge.contest.seeds import bot_seed, contest_name, derive, spelled
from judge.documents.codec import builtins
from judge.documents.ledger import Plan
from judge.documents.rules import Opening, Rules
from judge.game.variants import VARIANT_OF
from judge.signals import looking


class First(StrEnum):
    """The choice of the seat that moves first."""

    RANDOM = "random"  # drawn from each game's seed
    A = "a"
    B = "b"
    ALTERNATE = "alternate"  # each seat in turn: with two seats A in odd games, B in even ones


def opening(rules: Rules) -> First:
    """The choice of the seat that moves first in a single game."""
    return First.RANDOM if rules.opening is Opening.DRAWN else First.A


class MatchSoFar(NamedTuple):
    """The state of a match when one of its games begins. ``key`` is the same for all games of the
    match. ``games`` is the number of its games, or 0 if that is not known. ``won`` has the number
    of games that each seat has won before, and ``over`` is the number of games before."""

    key: Hashable
    games: int
    won: Sequence[int]
    over: int = 0


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to play: its bots seat by seat, the seat that moves first, and the seeds.

    ``seats`` has the bots' indices in the run, seat by seat, and ``bot_seeds`` the BOT_SEED of
    each. ``seed`` is the seed of the judge's own luck in the game. Games that differ only in who is
    first, such as those of a pair, have the same ``round`` and seeds. In a contest ``names`` are
    the bots' names, since there the indices differ from run to run. ``rest`` are the later games of
    the same match, or further boards; the same processes play them.
    """

    id: str
    round: int
    seats: tuple[int, ...]
    first: int
    seed: int
    bot_seeds: tuple[int, ...]
    names: tuple[str, ...] = ()
    rest: tuple[Pairing, ...] = ()


@dataclass(frozen=True, slots=True)
class Fight:
    """The schedule of a fight of ``games`` games between ``seats`` bots. The bot of index i always
    has seat i.

    If ``first`` is ALTERNATE, each seat moves first in one game of a round, so a round of two seats
    is a pair. If ``first`` is not ALTERNATE, every game has a seed of its own, since two games with
    one seed would be the same. A match is one pairing: its first game, with the others as ``rest``.
    """

    games: int
    seed: int
    first: First
    seats: int = 2
    is_match: bool = False

    def __len__(self) -> int:
        return self.games

    def __iter__(self) -> Iterator[Pairing]:
        games = self._games()
        if not self.is_match:
            return games
        return iter([replace(next(games), rest=tuple(games))])

    def _games(self) -> Iterator[Pairing]:
        seats = tuple(range(self.seats))
        games_a_round = self.seats if self.first is First.ALTERNATE else 1
        for number in range(self.games):
            round_ = number // games_a_round
            seed = derive(self.seed, "game", round_)
            match self.first:
                case First.ALTERNATE:
                    first = number % self.seats
                case First.RANDOM:
                    first = derive(self.seed, "first", round_) % self.seats
                case First.A | First.B:
                    first = int(self.first is First.B)
            bot_seeds = tuple(bot_seed(self.seed, round_, seat) for seat in seats)
            yield Pairing(
                f"{spelled(self.seed)}-{number + 1}", round_ + 1, seats, first, seed, bot_seeds
            )


Salt = Callable[[Sequence[str]], tuple[str, ...]]
"""A function that takes the names of a game's bots, and gives what the game's seeds depend on
besides its id: nothing, or the bots' digests."""


def unsalted(_: Sequence[str]) -> tuple[str, ...]:
    """The salt of games between first versions: nothing."""
    return ()


@dataclass(frozen=True, slots=True)
class Games:
    """The games of the ``meetings`` of a contest, in their order. If units are matches, a meeting
    is one pairing, of its first game. ``names`` are the names of the run's bots, all different. The
    function `contest_key` makes the ``contest_key``. With ``both`` the two seats move at once, so
    seat 0 counts as first in all games of a match.

    ``meetings`` is None if games have more than two seats. Such games are those of the rounds of
    `groups`. Seat 0 moves first in each of them, and every bot has seat 0 once a round.
    """

    names: tuple[str, ...]
    contest_key: str
    seed: int
    plan: Plan
    meetings: Collection[Meeting] | None
    both: bool = False
    salt: Salt = unsalted

    def __len__(self) -> int:
        if self.meetings is None:
            return self.plan.units // 2 * len(self.names)
        return len(self.meetings) * self.plan.match

    def __iter__(self) -> Iterator[Pairing]:
        numbers = {name: number for number, name in enumerate(self.names)}
        if self.meetings is None:
            rounds = groups.rounds(self.names, self.plan.seats, self.plan.seed)
            for round_, games in enumerate(islice(rounds, self.plan.units // 2), 1):
                for names in games:
                    yield self._game(numbers, names, GamePlace(round_, 0))
            return
        for meeting in self.meetings:
            names = (meeting.one, meeting.other)
            places = places_of(meeting, _group(names), self.contest_key, self.plan, both=self.both)
            first, *rest = (self._game(numbers, names, place) for place in places)
            # The programs of a match keep their BOT_SEED in all its games.
            yield replace(
                first, rest=tuple(replace(pairing, bot_seeds=first.bot_seeds) for pairing in rest)
            )

    def _game(
        self, numbers: Mapping[str, int], names: tuple[str, ...], place: GamePlace
    ) -> Pairing:
        """The game at a place between the bots of these names, seat by seat. The two games of a
        round of two bots have the same seats and seeds, and differ in who moves first."""
        known_as, salt = f"{_group(names)}:{self.contest_key}:{place.round}", self.salt(names)
        return Pairing(
            id=f"{known_as}.{place.first + 1}",
            round=place.round,
            seats=tuple(numbers[name] for name in names),
            first=place.first,
            seed=_pair_seed(self.seed, known_as, salt),
            bot_seeds=tuple(bot_seed(self.seed, known_as, name, *salt) for name in names),
            names=names,
        )


@dataclass(frozen=True, slots=True)
class Solo:
    """The schedule of ``bots`` bots that each clear ``boards`` boards alone. Each bot in turn
    clears ``in_a_row`` boards, which are one pairing. So at any time the bots have had nearly the
    same boards. A pairing's ``round`` is the number of its first board, from 1.

    On one board all bots have the same BOT_SEED and the same fleet, so luck favours no bot. The
    seed reveals nothing about the fleet. The BOT_SEEDs depend on ``purpose``, so that bots that
    place the fleets get others.
    """

    bots: int
    boards: int
    seed: int
    purpose: str = "alone"
    in_a_row: int = 1

    def __len__(self) -> int:
        return self.bots * self.boards

    def __iter__(self) -> Iterator[Pairing]:
        for first in range(1, self.boards + 1, self.in_a_row):
            numbers = range(first, min(first + self.in_a_row, self.boards + 1))
            for bot in range(self.bots):
                boards = [self._board(number, bot) for number in numbers]
                yield replace(boards[0], rest=tuple(boards[1:]))

    def _board(self, number: int, bot: int) -> Pairing:
        seed = derive(self.seed, "board", number)
        own = bot_seed(self.seed, number, None, purpose=self.purpose)
        return Pairing(f"{spelled(self.seed)}-{number}.{bot + 1}", number, (bot,), 0, seed, (own,))


def one_by_one(schedule: Iterable[Pairing]) -> Iterator[Pairing]:
    """The games of a schedule, with those in the ``rest`` of each pairing."""
    return (game for first in schedule for game in (first, *first.rest))


def without(schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool]) -> Iterator[Pairing]:
    """The games of a schedule that are not played yet. A game is looked up when the caller takes
    it."""
    return (pairing for pairing in looking(schedule) if not is_played(pairing))


def contest_key(rules: Rules, seed: int) -> str:
    """The part of the ids of a contest's games before the numbers: the rules' id and the contest's
    name."""
    return f"{rules_id(rules)}:{contest_name(seed)}"


def _group(names: Sequence[str]) -> str:
    """The beginning of an id: the bots' names, seat by seat. If more than two names are too long
    for an id, it is the number of the names and a digest of the names."""
    bots = ":".join(map(escape, names))
    if len(names) == 2 or len(bots) <= _LONGEST_GROUP:
        return bots
    return f"{len(names)}:{hashlib.sha256(bots.encode()).hexdigest()}"


def _pair_seed(seed: int, known_as: str, salt: tuple[str, ...]) -> int:
    return derive(seed, "pair", known_as, *salt)


def is_its_own(
    game: str,
    names: Sequence[str],
    seed: int,
    first: int,
    contest: int | None,
    *,
    digests: tuple[str, ...] = (),
) -> bool:
    """Whether an id fits the game between the bots of these names. An id that is not of a contest's
    game fits every game.

    The bots and the ``first`` seat are checked. If ``contest`` is the seed of the contest in the
    id, the game's ``seed`` is checked too. ``digests`` are those of the bots.
    """
    pair, _, place = game.rpartition(".")
    called = _contest_in(pair)
    if not _NAMED.fullmatch(called):
        return True
    if contest is not None and called != contest_name(contest):
        contest = None
    known_as = f"{_group(names)}:"
    return (
        pair.startswith(known_as)
        and place == str(first + 1)
        and (
            contest is None
            or any(seed == _pair_seed(contest, pair, salt) for salt in ((), digests))
        )
    )


def is_of_a_contest(game: str) -> bool:
    """Whether an id is that of a contest's game. The contest plays such a game again if it is
    void."""
    return bool(_NAMED.fullmatch(_contest_in(game.rpartition(".")[0])))


def _contest_in(pair: str) -> str:
    """The contest's name in an id without its place; another text if it is no contest's game."""
    return pair.rsplit(":", 2)[1] if pair.count(":") >= 4 else ""


def rules_id(rules: Rules) -> str:
    """The id of rules: a variant's name, or for other rules their name and a digest."""
    if rules in VARIANT_OF:
        return VARIANT_OF[rules]
    document = json.dumps(builtins(rules), sort_keys=True)
    return f"{escape(rules.name)}.{hashlib.sha256(document.encode()).hexdigest()[:8]}"


def escape(name: str) -> str:
    """A name as a part of an id. Characters other than ASCII letters, digits and ``-_.+`` are
    escaped as in URLs, since a shell, a URL, a file's name or the id gives them another meaning."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in name.encode())


_LONGEST_GROUP = 700
_NAMED = re.compile("[a-p]{12}")  # the names that `contest_name` gives
_PLAIN = frozenset((string.ascii_letters + string.digits + "-_.+").encode())
