"""Writes and reads the logs of a contest. `judge.logs.formats` lists these formats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from judge.documents.codec import builtins
from judge.documents.game import GameRecord, RecordedSeat, moment
from judge.documents.rules import Rules
from judge.game.variants import CONTEST_DRAWS, contest
from judge.logs.contest import actions
from judge.logs.contest.chosen import ALL, chosen, kind
from judge.logs.contest.codes import error_of
from judge.logs.contest.forms import (
    Form,
    dumped,
    game_document,
    read,
    written,
    written_match,
)
from judge.logs.contest.games import FIRST_LIMIT, LoggedGames, logged, results_of
from judge.logs.contest.model import (
    LOST,
    TIED,
    WON,
    ContestLog,
    ContestMatch,
    ContestSide,
    LogBot,
    LoggedGame,
    MatchPlayer,
    Score,
)

UNTOLD = "the players' files and seeds, the limits, or what a player said that lost by an error"
LIVES = 3

# The fields of `Rules` that may differ from those of the contest in a log.
_FREE = ("name", "wire", "timeout_ms", "bot_bytes", "match", "opening")


@dataclass(frozen=True, slots=True)
class ContestFormat:
    """The format of logs in one form: a log holds a match or a contest."""

    form: Form

    UNTOLD = UNTOLD
    match_file = "match_log.json"
    contest_file = "contest_log.json"

    @staticmethod
    def unsupported(rules: Rules, seats: int) -> str | None:
        if seats != 2:
            return "a match is played by two"
        if rules.columns not in CONTEST_DRAWS or rules.rows != rules.columns:
            return f"a board has {min(CONTEST_DRAWS)} to {max(CONTEST_DRAWS)} rows, and as many columns"
        usual = contest(rules.columns)
        held = {name: getattr(rules, name) for name in _FREE}
        if rules.round_limit == FIRST_LIMIT:
            held["round_limit"] = FIRST_LIMIT
        found = builtins(rules)
        for name, value in builtins(replace(usual, **held)).items():
            if value != found[name]:
                return f"a log does not tell {name}, which is not that of the contest"
        return None

    @staticmethod
    def unsayable(name: str) -> str | None:  # noqa: ARG004 - as other formats have it
        return None

    def is_log(self, text: str) -> bool:
        return self.form.begins(text)

    def read(self, text: str, game_id: str) -> LoggedGames:
        """The records of the games in a log. Raises `RecordError` if the log is not valid."""
        return LoggedGames(read(self.form, text), game_id)

    def match(self, which: str = ALL) -> MatchWriter:
        """A writer for the log of a match. ``which``, as in `judge.logs.CHOICE`, says which games
        the log has."""
        return MatchWriter(self.form, which)

    def contest(self, size: int) -> ContestWriter:
        """A writer for the log of a contest on boards of this side."""
        return ContestWriter(self.form, size)

    def step_through(self, records: Iterable[GameRecord]) -> str:
        """The step-through document of these games."""
        games = (logged(record, says_broken_off=not self.form.words) for record in records)
        return actions.written(self.form, filter(None, games))


@dataclass(frozen=True, slots=True)
class ActionsFormat:
    """The format of step-through documents in one form."""

    form: Form

    UNTOLD = actions.UNTOLD

    def is_log(self, text: str) -> bool:
        return actions.is_log(self.form, text)

    def read(self, text: str, game_id: str) -> LoggedGames:
        """The records of the games in a document. Raises `RecordError` if the text is not a
        document."""
        return LoggedGames(actions.read(self.form, text), game_id)


class MatchWriter:
    """Writes the log of a match, game by game. The log has the chosen games and the sums of all
    games. Every game is kept as text in memory."""

    def __init__(self, form: Form, which: str = ALL) -> None:
        self._form = form
        self._which = which
        self._games: list[str] = []
        self._kinds: list[str] = []
        self._match: _Match | None = None

    def add(self, record: GameRecord) -> None:
        """Add the next game."""
        self._match = self._match or _Match(record)
        game = logged(record, says_broken_off=not self._form.words)
        if game is not None:
            self._games.append(dumped(game_document(self._form, game)))
            self._kinds.append(kind(record))
        self._match.add(record, game)

    def text(self, seconds: float | None = None) -> str | None:
        """The text of the log, or None before the first game. ``seconds`` is how long the match
        took; by default, the times of its games are added up."""
        if (match := self._match) is None:
            return None
        seconds = match.seconds if seconds is None else seconds
        first, second = (
            MatchPlayer(name, authors, score, error)
            for (name, authors), score, error in zip(
                match.names, match.scores, match.errors, strict=True
            )
        )
        numbers = chosen(self._which, len(self._games), lambda number: self._kinds[number - 1])
        games = [self._games[number - 1] for number in numbers]
        return written_match(self._form, match.size, seconds, (first, second), games)


class ContestWriter:
    """Writes the log of a contest, game by game. The log has only the last game of each match. A
    round ends when one of its players begins another match. A match with the id of an earlier match
    replaces that match."""

    def __init__(self, form: Form, size: int) -> None:
        self._form = form
        self._size = size
        self._rounds: list[list[_Match]] = []
        self._busy: set[str] = set()  # the players that have played in this round
        self._matches: dict[str, _Match] = {}  # matches by their names
        self._open: set[str] = set()

    def add(self, record: GameRecord) -> None:
        """Add the next game."""
        key = record.id if record.match is None else record.match.id
        is_first = record.match is None or record.match.game == 1
        if is_first or key not in self._open:
            self._begin(key, record)
        match = self._matches[key]
        game = logged(record, says_broken_off=not self._form.words)
        match.add(record, game)
        if record.match is None or record.match.game == record.match.games or any(match.errors):
            self._open.discard(key)

    def _begin(self, key: str, record: GameRecord) -> None:
        """Begin a match: in the last round if neither player has played in it, or else in a new
        round."""
        if (earlier := self._matches.get(key)) is not None:
            self._rounds = [
                [one for one in round_ if one is not earlier] for round_ in self._rounds
            ]
        match = self._matches[key] = _Match(record)
        self._open.add(key)
        players = set(match.players)
        if not self._rounds or players & self._busy:
            self._rounds.append([])
            self._busy = set()
        self._busy |= players
        self._rounds[-1].append(match)

    def text(self, lives: int = 0) -> str | None:
        """The text of the log, or None before the first game. Each player begins with ``lives``.
        With 0, every player has the first program's three lives throughout."""
        matches = [match for round_ in self._rounds for match in round_]
        if not matches:
            return None
        known: dict[str, tuple[str, str]] = {}
        totals: dict[str, Score] = {}
        for match in matches:
            for seat, player in enumerate(match.players):
                known.setdefault(player, match.names[seat])
                totals[player] = totals.get(player, Score()) + match.scores[seat]
        numbers = {player: number for number, player in enumerate(sorted(known))}
        entrants = tuple(
            LogBot(number, *known[player], totals[player]) for player, number in numbers.items()
        )
        left = dict.fromkeys(numbers, lives or LIVES)
        rounds = tuple(
            tuple(_contest_match(match, numbers, left, lives > 0) for match in round_)
            for round_ in self._rounds
            if round_
        )
        return written(self._form, ContestLog(self._size, entrants, rounds))


class _Match:
    """The scores of a match, and its last game."""

    def __init__(self, first: GameRecord) -> None:
        self.size = first.rules.columns
        self.players = tuple(seat.name for seat in first.seats)
        self.names = tuple((_own_name(seat), seat.author) for seat in first.seats)
        self.scores = [Score(), Score()]
        self.errors = [0, 0]
        self.seconds = 0.0
        self.last: LoggedGame | None = None

    def add(self, record: GameRecord, game: LoggedGame | None) -> None:
        results = results_of(record)
        for seat, result in enumerate(results):
            won = Score(result == WON, result == LOST, result == TIED)
            self.scores[seat] += won
        self.errors = [error_of(record, seat) for seat in (0, 1)]
        self.last = game
        self.seconds += _seconds(record)


def _seconds(record: GameRecord) -> float:
    """The seconds that a game took; 0 if its record lacks the times."""
    began, ended = moment(record.started), moment(record.finished)
    if began is None or ended is None:
        return 0.0
    return max(0.0, (ended - began).total_seconds())


def _contest_match(
    match: _Match, numbers: dict[str, int], left: dict[str, int], has_lives: bool
) -> ContestMatch:
    for seat in _losers(match) if has_lives else ():
        left[match.players[seat]] = max(0, left[match.players[seat]] - 1)
    first, second = (
        ContestSide(numbers[player], match.scores[seat], match.errors[seat], left[player])
        for seat, player in enumerate(match.players)
    )
    return ContestMatch(match.seconds, (first, second), match.last)


def _losers(match: _Match) -> tuple[int, ...]:
    """The seats that lose a life by a match: the seats whose error ended it, or else the seat that
    won fewer games; both seats if the match is tied."""
    if any(match.errors):
        return tuple(seat for seat in (0, 1) if match.errors[seat])
    one, other = match.scores
    return (0, 1) if one.won == other.won else (int(one.won > other.won),)


def _own_name(seat: RecordedSeat) -> str:
    return seat.name if seat.own_name is UNSET else seat.own_name
