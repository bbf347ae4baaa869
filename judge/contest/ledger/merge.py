"""Merging: the games of all shards of a contest, added to one ledger in the order of its schedule.

Everything is checked before anything is added, for a shard may come from a stranger's machine:
that the shards are of one contest, under the same conditions and with the same versions of bots;
that no game is missing; and that each has the seeds of its place in the schedule. A merge that was
broken off goes on where it was, for games are known by their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from judge.contest.fixed_schedule import all_games
from judge.contest.formats.shard import numbered
from judge.contest.formats.units import Meeting
from judge.contest.games import GameId
from judge.contest.journal.journal import Line
from judge.contest.ledger.condition_set import difference
from judge.contest.ledger.contest_entry import ALIKE, entry_for
from judge.contest.ledger.files import located
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.played import played
from judge.contest.ledger.shard_ledger import ShardLedger, counting, require_alike
from judge.contest.schedule import Games, GroupGames, Pairing
from judge.documents.rules import Turn
from judge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 100  # games, or matches, that become durable together
MOST_COUNTED = 10_000  # games that are missing
_MOST_NAMED = 5  # shards in one sentence


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge: the games that were ``added``, and those that were ``there`` before.
    ``repeated`` are games of shards that stood in an earlier one too."""

    added: int
    there: int
    repeated: int


def merge(ledger: Ledger, shards: Sequence[ShardLedger]) -> Merged:
    """Add the games of all these shards of one contest to a ledger. Raises `UsageError`, with
    nothing added, if they are not of one contest, or games of it are missing; and `LedgerError` for
    a game that is damaged, or not the one of its place."""
    first = shards[0]
    for other in shards[1:]:
        require_alike(first, other)
    _require_versions(ledger, shards)
    _require_room(ledger, first)
    held = _Held(ledger, shards)
    _require_no_others(held, ledger.path)
    _require_all(held, first)
    for pairing in held.schedule():
        for game, found in held.missing(pairing):
            held.entry(found, game)
    conditions = next((one.conditions for one in shards if one.conditions), None)
    if conditions is not None:
        ledger.require(conditions)
    plan = replace(first.plan, shard=None)
    ledger.order(lambda tally: entry_for(plan, tally, first.called, first.seed))
    ledger.contest_seed(first.seed)
    added = sum(map(ledger.copy, held.batches()))
    return Merged(added, held.known, held.repeated)


class _Held:
    """The games that the shards hold and those that the ledger has, which were ``there``."""

    def __init__(self, ledger: Ledger, shards: Sequence[ShardLedger]) -> None:
        self.first = shards[0]
        self.there = counting(located(ledger.path)[1], ledger.tally).keys()
        self.known = 0  # of those that were there and are of this contest
        self._found: dict[str, tuple[ShardLedger, Line]] = {}
        self.repeated = 0
        for shard in shards:
            for id_, line in shard.lines.items():
                self.repeated += self._found.setdefault(id_, (shard, line))[0] is not shard
        self.shards = shards
        self._longest = self._lengths()
        tallies = [ledger.tally, *(shard.tally for shard in shards)]
        self._results = [tally.results for tally in tallies if tally.results is not None]

    def schedule(self) -> Iterator[Pairing]:
        """Every game of the contest, or match, in order."""
        return iter(self._all_games())

    def lacking(self) -> Counter[int]:
        """How many games, or matches, each shard has to play that neither it nor another has; all
        shards together at most `MOST_COUNTED`, for a stranger may have planned without end."""
        games, of = self._all_games(), self.first.shard.of
        if isinstance(games, Games) and self.first.plan.match > 1:
            # A match that is not over is not taken apart: it may have been planned of many games.
            matches = numbered(games.meetings, of)
            missing = (number for number, meeting in matches if not self._is_over(meeting))
        else:
            missing = (number for number, game in numbered(games, of) if not self._is_there(game))
        return Counter(islice(missing, MOST_COUNTED))

    def _is_there(self, game: Pairing) -> bool:
        return game.id in self._found or game.id in self.there

    def _is_over(self, match: Meeting) -> bool:
        """Whether a match was played to its end: a crash may have left a part of one."""
        return any(results(match) is not None for results in self._results)

    def foreign(self) -> tuple[ShardLedger, str] | None:
        """A game of a shard that is not in the schedule, if there is one."""
        known = {
            game.id
            for pairing in self.schedule()
            for game in (pairing, *pairing.rest)
            if self._is_there(game)
        }
        self.known = len(known & self.there)
        return next(
            ((found[0], id_) for id_, found in self._found.items() if id_ not in known), None
        )

    def missing(self, pairing: Pairing) -> Iterator[tuple[Pairing, tuple[ShardLedger, Line]]]:
        """The games of a match, or the game, that the ledger has not: a match may end by a forfeit
        before its last game."""
        for game in (pairing, *pairing.rest):
            if game.id not in self.there and game.id in self._found:
                yield game, self._found[game.id]

    def entry(self, found: tuple[ShardLedger, Line], game: Pairing) -> Mapping[str, Any]:
        """A game as a shard's journal has it; raises `LedgerError` if it is not the one of its
        place."""
        shard, place = found
        (line,) = shard.journal.lines(place.start, place.end)
        entry = shard.journal.parse(line)
        try:
            names = played(entry).names
            seeds = tuple(seat["seed"] for seat in entry["seats"])
            course = (entry["seed"], entry["first"])
        except (LookupError, TypeError, ValueError) as error:
            raise shard.journal.damaged(line, str(error)) from None
        if (names, seeds, course) != (game.names, game.bot_seeds, (game.seed, game.first)):
            raise shard.journal.damaged(
                line,
                f"the game {game.id} was played with other players, seeds or another first mover "
                "than this contest has for it",
                "play this shard anew",
            )
        return entry

    def batches(self) -> Iterator[list[Mapping[str, Any]]]:
        """The games that are to be added, so many at once. Those of a match stay together."""
        pairings = self.schedule()
        while some := list(islice(pairings, AT_ONCE)):
            entries = [
                self.entry(found, game) for pairing in some for game, found in self.missing(pairing)
            ]
            if entries:
                yield entries

    def _all_games(self) -> Games | GroupGames:
        first = self.first
        both = any(one.conditions.rules.turn is Turn.BOTH for one in self.shards if one.conditions)
        games = all_games(first.plan, first.plan.bots, first.called, first.seed, both=both)
        return replace(games, longest=self._longest) if isinstance(games, Games) else games

    def _lengths(self) -> dict[tuple[str, int], int]:
        """How far each match goes of which games are here, by how its ids begin and its number."""
        match, longest = self.first.plan.match, dict[tuple[str, int], int]()
        for id_ in (*self._found, *self.there):
            if game := GameId.read(id_):
                number, before = divmod(game.round - 1, match)
                key = (game.bots, number + 1)
                longest[key] = max(longest.get(key, 0), before + 1)
        return longest


def _require_versions(ledger: Ledger, shards: Sequence[ShardLedger]) -> None:
    """Raise `UsageError` if a bot played with different files."""
    first: dict[str, tuple[Path, str | None]] = {}
    held: list[tuple[Path, Mapping[str, Collection[str | None]]]] = [
        (one.path, one.tally.versions) for one in shards
    ]
    for path, versions in [*held, (ledger.path, ledger.tally.versions)]:
        for name, digests in versions.items():
            for digest in digests:
                place, known = first.setdefault(name, (path, digest))
                if known != digest:
                    where = f"in {path}" if place == path else f"in {place} and {path}"
                    raise UsageError(
                        f"{name} played with different files {where}; shards of one contest have "
                        "the same version of every bot: play them anew, with --ledger OTHER.json"
                    )


def _require_room(ledger: Ledger, shard: ShardLedger) -> None:
    """Raise `UsageError` if a ledger holds another contest, or a shard."""
    contest, seed = ledger.tally.contest, ledger.tally.seed
    if contest is not None and contest.plan.shard is not None:
        raise UsageError(
            f"{ledger.path} holds shard {contest.plan.shard} itself; name the ledger that all shards "
            "are to be merged into first, before them"
        )
    if seed is not None and seed != shard.seed:
        raise UsageError(
            f"{ledger.path} holds a contest with another seed than {shard.path}; name another "
            "ledger to merge into"
        )
    held, conditions = ledger.tally.conditions, shard.conditions
    if held and conditions and held != conditions:
        has, would_have = difference(held, conditions)
        raise UsageError(
            f"{ledger.path} holds games with {has}, and those of {shard.path} have {would_have}; "
            "name another ledger to merge into"
        )
    plan = None if contest is None else contest.plan
    if plan is not None and (
        (plan.match, plan.table) != (shard.plan.match, shard.plan.table)
        or (plan.format != shard.plan.format and not {plan.format, shard.plan.format} <= ALIKE)
    ):
        raise UsageError(
            f"{ledger.path} holds a contest that is held otherwise, of the format {plan.format}; "
            "name another ledger to merge into"
        )


def _require_no_others(held: _Held, path: Path) -> None:
    """Raise `UsageError` if the ledger holds games of no contest, or of another: merged into it,
    the contest would be rated together with them."""
    called = held.first.called
    for id_ in held.there:
        game = GameId.read(id_)
        if game is None or game.called != called:
            raise UsageError(
                f"{path} holds {id_}, which is no game of this contest; shards are merged into a new "
                "ledger or into that of an earlier merge: name one that is not there yet. Nothing "
                "was merged"
            )


def _require_all(held: _Held, first: ShardLedger) -> None:
    """Raise `UsageError` if games are missing, or there are others than those of the contest."""
    if lacking := held.lacking():
        named = {one.shard.number for one in held.shards}
        absent = sorted(lacking.keys() - named)
        if absent:
            said = ", ".join(f"{number}/{first.shard.of}" for number in absent[:_MOST_NAMED])
            more = len(absent) - _MOST_NAMED
            raise UsageError(
                f"{'shard' if len(absent) == 1 else 'shards'} {said}"
                f"{f' and {more} more' if more > 0 else ''} of the contest "
                f"{'is' if len(absent) == 1 else 'are'} missing; name the ledgers of all shards at "
                "once. Nothing was merged"
            )
        number, count = min(lacking.items())
        path = next(one.path for one in held.shards if one.shard.number == number)
        unit = "match" if first.plan.match > 1 else "game"
        at_least = "at least " if lacking.total() == MOST_COUNTED else ""
        several = "es" if first.plan.match > 1 else "s"
        raise LedgerError(
            f"{path} lacks {at_least}{count:,} {unit if count == 1 else unit + several} of shard "
            f"{number}/{first.shard.of}; the same `judge rank` with --shard {number}/"
            f"{first.shard.of} plays what is missing. Nothing was merged"
        )
    if (foreign := held.foreign()) is not None:
        shard, id_ = foreign
        raise UsageError(
            f"{shard.path} holds {id_}, which is no game of its contest; take it out of the count "
            "with `judge ledger void`. Nothing was merged"
        )
