"""The schedule of a contest or a fight: which games, in what order. It plays nothing.

Every game knows its seeds before it starts, so the same schedule gives the same games in the same
order, however many are played at once. The name of a game of a contest, its seats and its seeds
depend on the two bots' names, the rules, the contest's seed and the round, and on nothing else,
such as which other bots are there. One thing is added: the seeds of a version that is not the first
of its name depend on the files of the bots too, for its author may have read the replays of the
version before, with the fleet of every opponent.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from judge.contest.formats import groups
from judge.contest.formats.units import Meeting
from judge.contest.games import GamePlace, places_of
from judge.contest.seeds import contest_name, derive, spelled
from judge.documents.codec import builtins
from judge.documents.ledger import Plan
from judge.documents.rules import Rules
from judge.game.variants import VARIANT_OF
from judge.signals import looking


class First(StrEnum):
    """Who moves first."""

    RANDOM = "random"  # drawn from each game's seed
    A = "a"
    B = "b"
    ALTERNATE = "alternate"  # each seat in turn: of two, A in the odd games, B in the even ones


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to play: which of the run's bots sit where, who is first, and the seeds.

    ``seats`` holds the bots' numbers in the run, seat by seat, and ``bot_seeds`` the BOT_SEED of
    each. ``seed`` is that of the judge's own luck. Games that differ in who is first, such as the
    two of a pair, have one ``round`` and the same seeds. ``names`` are given where numbers mean
    other bots in the next run. ``rest`` are the games that follow it in the same match, or the
    boards that follow it, played by the same processes.
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
    """``games`` games of ``seats`` bots, each always in the seat of its own number.

    Unless ``first`` says otherwise a round has a game for each seat, which moves first in it: of
    two seats, a round is a pair. Without rounds every game has a seed of its own, or two games
    would be one and the same. If it is one match, there is one pairing, of the first game.
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
            bot_seeds = tuple(derive(self.seed, "bot", round_, bot) for bot in seats)
            yield Pairing(
                f"{spelled(self.seed)}-{number + 1}", round_ + 1, seats, first, seed, bot_seeds
            )


Salt = Callable[[Sequence[str]], tuple[str, ...]]
"""The part of the seeds of a game of these bots that its id does not give: nothing, or the bots'
digests."""


def unsalted(_: Sequence[str]) -> tuple[str, ...]:
    """The salt of first versions."""
    return ()


@dataclass(frozen=True, slots=True)
class Games:
    """The games of these ``meetings``, in their order. If the unit is a match, each has one
    pairing, of its first game. ``names`` are those of the run's bots, all different, and ``plan``
    is that of the contest, which is ``contest_key`` as by `contest_called`. With ``both`` nobody is
    first in the games of a match: both move at once.

    ``meetings`` are None where more than two play a game: then these are all rounds, as `groups` has
    them. Who sits in the first seat moves first, which in a round everyone does once.
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
            # The programs of a match keep their seeds through all its games.
            yield replace(
                first, rest=tuple(replace(pairing, bot_seeds=first.bot_seeds) for pairing in rest)
            )

    def _game(
        self, numbers: Mapping[str, int], names: tuple[str, ...], place: GamePlace
    ) -> Pairing:
        """A game between these bots, seat by seat. The two of a round of two bots have the same
        seats and the same seeds, and in them first the one and then the other moves first."""
        known_as, salt = f"{_group(names)}:{self.contest_key}:{place.round}", self.salt(names)
        return Pairing(
            id=f"{known_as}.{place.first + 1}",
            round=place.round,
            seats=tuple(numbers[name] for name in names),
            first=place.first,
            seed=_pair_seed(self.seed, known_as, salt),
            bot_seeds=tuple(derive(self.seed, "bot", known_as, name, *salt) for name in names),
            names=names,
        )


@dataclass(frozen=True, slots=True)
class Solo:
    """Each of ``bots`` bots alone on each of ``boards`` boards, a board at a time: whatever has
    been played so far, all bots have had nearly the same boards. ``round`` is the board, from 1.

    On one board all bots have one seed, as they have one fleet: what luck they share is no
    difference between them, and each alone would have had the same. It tells nothing of the fleet.
    ``purpose`` is what their seeds are for: whoever places the fleets has others. ``in_a_row`` is
    how many boards each bot clears before it is the next bot's turn: these are one pairing.
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
        seed, own = (derive(self.seed, what, number) for what in ("board", self.purpose))
        return Pairing(f"{spelled(self.seed)}-{number}.{bot + 1}", number, (bot,), 0, seed, (own,))


def one_by_one(schedule: Iterable[Pairing]) -> Iterator[Pairing]:
    """The games of a schedule, those that follow in the same match or in a row too."""
    return (game for first in schedule for game in (first, *first.rest))


def without(schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool]) -> Iterator[Pairing]:
    """The games of a schedule that are not played yet, looked up one by one as they come up."""
    return (pairing for pairing in looking(schedule) if not is_played(pairing))


def contest_key(rules: Rules, seed: int) -> str:
    """How the ids of a contest's games end before the numbers."""
    return f"{rules_id(rules)}:{contest_name(seed)}"


def _group(names: Sequence[str]) -> str:
    """How an id begins: with the bots, seat by seat, or a digest of more than an id has room
    for."""
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
    """Whether a game's id, if it is that of a contest's game, is that of this one.

    ``seed`` is the game's, and ``digests`` are the bots'. In the ledger of the ``contest`` the seed
    is known; otherwise only the bots are held to the id.
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
    """Whether a game's id is that of a contest's game, which its contest plays again if it is
    void."""
    return bool(_NAMED.fullmatch(_contest_in(game.rpartition(".")[0])))


def _contest_in(pair: str) -> str:
    """The name of the contest in the id of a pair of games, if it is one; else anything."""
    return pair.rsplit(":", 2)[1] if pair.count(":") >= 4 else ""


def rules_id(rules: Rules) -> str:
    """The name of a variant, or of other rules their name and a digest of what they are."""
    if rules in VARIANT_OF:
        return VARIANT_OF[rules]
    document = json.dumps(builtins(rules), sort_keys=True)
    return f"{escape(rules.name)}.{hashlib.sha256(document.encode()).hexdigest()[:8]}"


def escape(name: str) -> str:
    """A name as a part of an id: as it is, but for characters that a shell, a URL or a file's
    name may take for something else, and the colon between parts. Those are written as in URLs."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in name.encode())


_LONGEST_GROUP = 700
_NAMED = re.compile("[a-p]{12}")  # as by `contest_name`
_PLAIN = frozenset((string.ascii_letters + string.digits + "-_.+").encode())
