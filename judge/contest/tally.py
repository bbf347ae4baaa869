"""The fold of a journal: what the standings need to know of all games, read in order.

Pure, and the one meaning of a journal: whatever computes standings, from the whole journal or
from its tail, does so by `Tally.enter`. It holds nothing that a clock or a place could change, so
the same games give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from judge import schemas
from judge.contest.seeds import ContestSeed
from judge.errors import UsageError
from judge.game.outcome import FORFEITS, UNRATED, Termination
from judge.game.record import SCHEMAS as GAME_SCHEMAS
from judge.game.record import shots_from_json
from judge.game.rules import Rules, Turn
from judge.game.steps import volleys
from judge.stats.percentage_rule import START, percentage_rule

VERSION = 1  # of the ``ledger`` document, and of notes in the journal; games have their own
MOST_BOTS = 2000  # of a ledger: a table takes their square in memory, and their cube in time
MOST_SHIPS = 100  # of a fleet whose volleys are counted; rules have fewer
LONGEST_NAME = 1000  # in characters: of a bot, and of a game's id; so say the schemas
NEWEST = 2  # of the entry and the ledger that hold a contest's seed: see `ContestSeed`


class Played(NamedTuple):
    """What the standings need of one game. ``winner`` is a seat, or None; ``forfeits`` says who
    forfeited and how; ``shots`` and ``volleys`` are those of a winner who destroyed the fleet,
    otherwise None. A game that is not ``rated`` moves nothing."""

    id: str
    names: tuple[str, str]
    winner: int | None
    termination: str
    forfeits: dict[int, str]
    shots: int | None
    volleys: int | None
    rated: bool


@dataclass(slots=True)
class BotTally:
    """One bot's results. ``shots_to_win`` and ``volleys_to_win`` are sums over ``played_out``
    games that it won by destroying the fleet."""

    name: str
    points: float = START
    won: int = 0
    lost: int = 0
    tied: int = 0
    forfeits: dict[str, int] = field(default_factory=dict)
    played_out: int = 0
    shots_to_win: int = 0
    volleys_to_win: int = 0

    @property
    def games(self) -> int:
        return self.won + self.lost + self.tied


@dataclass(slots=True)
class PairTally:
    """The games of two bots, as the first of them sees it."""

    won: int = 0
    lost: int = 0
    tied: int = 0


@dataclass(slots=True)
class Tally:
    """All of it. ``recorded`` counts every game in the journal, ``games`` those that count, and
    ``void`` those that do not by how they ended. ``numbered`` is the highest number that a game
    has for an id. ``pairs`` has each two bots once, first the one that sat in seat 0 when they
    first met."""

    seed: ContestSeed | None = None
    recorded: int = 0
    games: int = 0
    void: int = 0
    last: str | None = None
    numbered: int = 0
    voided: dict[str, None] = field(default_factory=dict)
    bots: dict[str, BotTally] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairTally] = field(default_factory=dict)

    def enter(self, entry: Mapping[str, Any]) -> str | None:
        """Take in the next entry of the journal, and return None.

        Or, with nothing changed, the id of an earlier game that the entry voids: everything after
        that game counted differently, so the journal has to be folded anew, by a tally that has
        it as ``voided`` from the start. Raises ValueError, with nothing changed and the reason,
        for an entry that cannot be counted. It looks at no more than it counts; what else an
        entry must be is the ``journal-entry`` schema's to say.
        """
        match entry:
            case {"version": 1, "kind": "void", "game": str(game)}:
                return None if game in self.voided else game
            case {"version": 1, "kind": "contest", "seed": int(seed)} | {
                "version": 2,
                "kind": "contest",
                "seed": str(seed),
            }:
                self.seed = self.seed or ContestSeed.from_json(seed)
            case {"version": int(version), "id": str()} if (
                "kind" not in entry and version in GAME_SCHEMAS
            ):
                self._count(played(entry))
            case {"version": version} if is_newer(entry):
                raise ValueError(f"it is of version {version}, written by a newer judge than this")
            case _:
                raise ValueError("it is no entry of a journal")
        return None

    def problem_with(self, names: Iterable[str]) -> str | None:
        """Why a game of these bots cannot be counted, if so: there are too many bots already."""
        if len(self.bots) + sum(name not in self.bots for name in names) > MOST_BOTS:
            return f"it brings more than {MOST_BOTS:,} bots into one ledger"
        return None

    def points_of(self, name: str) -> float:
        return self.bots[name].points if name in self.bots else START

    def _count(self, game: Played) -> None:
        if why := self.problem_with(game.names):
            raise ValueError(why)
        self.recorded += 1
        self.last = game.id
        if game.id.isdecimal() and len(game.id) < 16:
            self.numbered = max(self.numbered, int(game.id))
        if game.id in self.voided:
            return
        bots = [self.bots.setdefault(name, BotTally(name)) for name in game.names]
        for seat, how in game.forfeits.items():
            bots[seat].forfeits[how] = bots[seat].forfeits.get(how, 0) + 1
        if not game.rated:
            self.void += 1
            return
        self.games += 1
        pair, first = self._pair(game.names)
        if game.winner is None:
            pair.tied += 1
            for bot in bots:
                bot.tied += 1
            return
        if game.winner == first:
            pair.won += 1
        else:
            pair.lost += 1
        winner, loser = bots[game.winner], bots[1 - game.winner]
        winner.won += 1
        loser.lost += 1
        winner.points, loser.points = percentage_rule(winner.points, loser.points)
        if game.shots is not None:
            winner.played_out += 1
            winner.shots_to_win += game.shots
            winner.volleys_to_win += game.volleys or 0

    def _pair(self, names: tuple[str, str]) -> tuple[PairTally, int]:
        """The tally of these two, and which of the seats its first bot has."""
        if (turned := self.pairs.get(names[::-1])) is not None:
            return turned, 1
        return self.pairs.setdefault(names, PairTally()), 0

    def to_json(self) -> dict[str, Any]:
        """The ``ledger`` document."""
        order = {name: number for number, name in enumerate(self.bots)}
        return {
            "version": self.seed.version if self.seed else VERSION,
            "kind": "ledger",
            "seed": self.seed and self.seed.to_json(),
            "recorded": self.recorded,
            "games": self.games,
            "void": self.void,
            "last": self.last,
            "numbered": self.numbered,
            "voided": list(self.voided),
            "bots": [_bot_to_json(bot) for bot in self.bots.values()],
            "pairs": [
                [order[a], order[b], pair.won, pair.lost, pair.tied]
                for (a, b), pair in self.pairs.items()
            ],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Tally:
        """Read a document in which `problem` finds none."""
        bots = {
            bot["name"]: BotTally(**{"volleys_to_win": bot["shots_to_win"], **bot})
            for bot in document["bots"]
        }
        names = list(bots)
        return cls(
            seed=None if document["seed"] is None else ContestSeed.from_json(document["seed"]),
            recorded=document["recorded"],
            games=document["games"],
            void=document["void"],
            last=document["last"],
            numbered=document["numbered"],
            voided=dict.fromkeys(document["voided"]),
            bots=bots,
            pairs={
                (names[a], names[b]): PairTally(won, lost, tied)
                for a, b, won, lost, tied in document["pairs"]
            },
        )


def _bot_to_json(bot: BotTally) -> dict[str, Any]:
    """A bot in the ``ledger`` document; ``volleys_to_win`` stands only where there were salvos."""
    document = {**asdict(bot), "forfeits": dict(sorted(bot.forfeits.items()))}
    if bot.volleys_to_win == bot.shots_to_win:
        del document["volleys_to_win"]
    return document


def is_newer(entry: Mapping[str, Any]) -> bool:
    """Whether a newer judge wrote an entry of a journal in a way that this one does not know."""
    known = max(GAME_SCHEMAS)
    if "kind" in entry:
        known = NEWEST if entry["kind"] == "contest" else VERSION
    version = entry.get("version")
    return isinstance(version, int) and version > known


def played(record: Mapping[str, Any]) -> Played:
    """Read off a ``game-record`` document what the standings need of it.

    Raises ValueError, with the reason, if it is no game between two bots.
    """
    try:
        outcome = record["outcome"]
        winner, loser, termination = outcome["winner"], outcome["loser"], outcome["termination"]
        forfeits = {seat: how for _, seat, how, *_ in record["asides"] if how in FORFEITS}
        if termination in FORFEITS and loser is not None:  # as who left, in version 1
            forfeits.setdefault(loser, termination)
        names = [seat["name"] for seat in record["seats"]]
        fired = sum(1 for shot in record["shots"] if shot[0] == winner)
        rated = record.get("rated", True) and termination not in UNRATED
        won = winner is not None and termination == Termination.FLEET_DESTROYED
        in_volleys = _volleys(record, winner, fired) if won else None
    except (LookupError, TypeError, ValueError, AttributeError, UsageError):
        raise ValueError("it is no game record") from None
    if len(names) != 2:
        raise ValueError(f"it is a game of {len(names)} players, and points are for games of two")
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError("it is no game record: a player has no name")
    first, second = names
    if max(len(first), len(second), len(str(record["id"]))) > LONGEST_NAME:
        raise ValueError(
            f"it is no game record: an id or a name is longer than {LONGEST_NAME:,} characters"
        )
    if first == second:
        raise ValueError(f"it is a game of {first} against itself, which moves no points")
    seats = [seat for seat in (winner, loser) if seat is not None]
    if not all(type(seat) is int and seat in {0, 1} for seat in (*seats, *forfeits)):
        raise ValueError("it is no game record: it speaks of seats that nobody has")
    if termination not in _TERMINATIONS:
        raise ValueError(f"it is no game record: no game ends by {str(termination)[:80]!r}")
    shots = fired if won else None
    return Played(
        record["id"], (first, second), winner, termination, forfeits, shots, in_volleys, bool(rated)
    )


def _volleys(record: Mapping[str, Any], seat: int, shots: int) -> int:
    """How many volleys the shots of a seat were."""
    if record.get("rules", {}).get("turn") != Turn.SALVO:
        return shots
    fleet, bonus = record["rules"]["fleet"], record["rules"]["salvo_bonus"]
    if type(fleet) is not list or max(len(fleet), len(bonus)) > MOST_SHIPS:
        raise ValueError("its rules have no fleet that can be counted")
    rules = Rules.from_json(record["rules"])
    placed = [one["fleet"] is not None for one in record["seats"]]
    fired = shots_from_json(record["shots"], record["seats"])
    found = volleys(rules, placed, (one.shot for one in fired))
    return sum(volley.seat == seat for volley in found)


def problem(document: Any) -> str | None:
    """What keeps a document from being a ``ledger`` that adds up, in one sentence.

    Beyond the schema: names stand for one bot each, and the pairs sum up to the bots' games.
    """
    # The schema would take half a second for the 20,000 pairs of 200 bots; `_sums` looks at every
    # number of every pair anyway, so the schema is shown one of them.
    rest = document
    if isinstance(document, dict) and isinstance(document.get("pairs"), list):
        rest = {**document, "pairs": document["pairs"][:1]}
    return schemas.problem("ledger", rest) or _sums(document)


def _sums(document: Mapping[str, Any]) -> str | None:
    bots = document["bots"]
    if len({bot["name"] for bot in bots}) != len(bots):
        return "two bots have one name"
    totals = [[0, 0, 0] for _ in bots]
    seen = set()
    for number, pair in enumerate(document["pairs"]):
        if not _is_row(pair) or not max(pair[:2]) < len(bots) or pair[0] == pair[1]:
            return f"pairs[{number}]: {str(pair)[:80]} is not two bots and three counts"
        a, b, won, lost, tied = pair
        seen.add((min(a, b), max(a, b)))
        for bot, counts in (a, (won, lost, tied)), (b, (lost, won, tied)):
            totals[bot] = [sum_ + more for sum_, more in zip(totals[bot], counts, strict=True)]
    if len(seen) != len(document["pairs"]):
        return "pairs: two bots are there twice"
    for bot, total in zip(bots, totals, strict=True):
        if total != [bot["won"], bot["lost"], bot["tied"]]:
            return f"the pairs give {bot['name']} other games than its own counts"
    if document["games"] != sum(sum(pair[2:]) for pair in document["pairs"]):
        return "games: they are not as many as the pairs have"
    if document["games"] + document["void"] > document["recorded"]:
        return "recorded: there are more games that count, or are void, than games"
    if (document["last"] is None) != (document["recorded"] == 0):
        return "last: it does not go with the number of recorded games"
    return None


def _is_row(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 5
        and all(type(number) is int and number >= 0 for number in pair)
    )


_TERMINATIONS = frozenset(one.value for one in Termination)
