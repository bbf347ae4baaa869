"""Turns game records into the contents of a contest's log, and plays logged games into records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import overload

from msgspec.structs import replace

from judge.documents.game import (
    GameRecord,
    Incident,
    IncidentKind,
    Limits,
    OfMatch,
    RecordedSeat,
    Result,
    Termination,
)
from judge.documents.rules import Cell, Rules, Ship
from judge.errors import IllegalFleet, IllegalMove, RecordError
from judge.game.events import AnyShot, Gone, Target
from judge.game.game import Game
from judge.game.variants import CONTEST_DRAWS, contest
from judge.logs.contest.codes import CODES, FailureStage, error_of, sentence, stage_of
from judge.logs.contest.model import (
    BROKEN_OFF,
    HIT,
    LOST,
    MISS,
    REPEAT,
    REPEATED_HIT,
    REPEATED_KILL,
    REPEATED_MISS,
    REPEATS,
    TIED,
    WON,
    ContestLog,
    LoggedGame,
    LoggedSeat,
    LoggedShot,
    MatchLog,
    Score,
)

FIRST_LIMIT = 200  # the first program's limit of rounds on every board

_BREAKS_OFF = "the log breaks off here"


# From records to a log


def logged(record: GameRecord, *, says_broken_off: bool) -> LoggedGame | None:
    """The part of a log about a game, or None if an error ended the match before its first game.
    The results are those of `results_of`, but broken off if an error ended the game and the log
    ``says_broken_off``."""
    errors = [error_of(record, seat) for seat in (0, 1)]
    if any(code and is_before(record, seat) for seat, code in enumerate(errors)):
        return None
    shots = _logged_shots(record)
    results = results_of(record)
    if says_broken_off and any(errors):
        results = (BROKEN_OFF, BROKEN_OFF)
    first, second = (
        LoggedSeat(one.fleet or one.placed, tuple(shots[seat]), results[seat])
        for seat, one in enumerate(record.seats)
    )
    return first, second


def is_before(record: GameRecord, seat: int) -> bool:
    """Whether a seat that failed did so before the first game."""
    return stage_of(record, seat) is FailureStage.HELLO


def results_of(record: GameRecord) -> tuple[int, int]:
    """The results of both seats: broken off if the game was aborted."""
    if record.outcome.termination is Termination.ABORTED:
        return BROKEN_OFF, BROKEN_OFF
    winner = record.outcome.winner
    if winner is None:
        return TIED, TIED
    return (WON, LOST) if winner == 0 else (LOST, WON)


def _logged_shots(record: GameRecord) -> tuple[list[LoggedShot], list[LoggedShot]]:
    logged: tuple[list[LoggedShot], list[LoggedShot]] = ([], [])
    values = Values([seat.fleet or () for seat in record.seats])
    for shot in record.shots:
        logged[shot.seat].append(values.of(shot))
    return logged


class Values:
    """Turns the shots of a game, given in order, into those of a log."""

    def __init__(self, fleets: Sequence[Sequence[Ship]]) -> None:
        self._fleets = fleets
        self._hit: set[tuple[int, Cell]] = set()
        self._dead: set[tuple[int, Cell]] = set()

    def of(self, shot: AnyShot) -> LoggedShot:
        at, sunk = (shot.target, shot.cell), None
        if shot.result is Result.REPEAT:
            value = REPEATED_HIT if at in self._hit else REPEATED_MISS
            value = REPEATED_KILL if at in self._dead else value
        elif shot.result is Result.MISS:
            value = MISS
        else:
            value = HIT
            self._hit.add(at)
            for number, ship in enumerate(self._fleets[shot.target]):
                if shot.result is Result.SUNK and shot.cell in ship.cells:
                    sunk = number
                    self._dead |= {(shot.target, cell) for cell in ship.cells}
        return LoggedShot(shot.cell, value, sunk)


# From a log to records


@dataclass(frozen=True, slots=True)
class _Game:
    """A game of a log before its replay: its moves, the codes of the errors that ended it, its
    players, and its place in a match."""

    game: LoggedGame | None  # None: the match ended before its first game
    errors: tuple[int, int]
    names: tuple[tuple[str, str], tuple[str, str]]
    id: str
    match: OfMatch | None


class LoggedGames(Sequence[GameRecord]):
    """The records of the games in a log. A game is replayed each time its record is taken; this
    raises `RecordError` if the game breaks its rules."""

    def __init__(self, log: MatchLog | ContestLog, name: str) -> None:
        """Raises `RecordError` if the log has an unknown error code or player, or if the sums of a
        match contradict each other or its games."""
        self.log = log
        for one in _errors(log):
            if one and one not in CODES:
                raise RecordError(f"there is no error with the code {one}")
        games = _of_match(log, name) if isinstance(log, MatchLog) else _of_contest(log, name)
        self._games = [*games]

    def __len__(self) -> int:
        return len(self._games)

    def scores(self, games: int) -> tuple[Score, Score] | None:
        """The scores of both seats in a match after its first ``games`` logged games; after all of
        them, the sums in the log. None for a contest, and before the end if the log lacks some
        games."""
        if not isinstance(self.log, MatchLog):
            return None
        first, second = self.log.players
        if games == len(self):
            return first.score, second.score
        if first.score.games > len(self):
            return None  # some games before it are not logged
        return self._scores[games - 1]

    @cached_property
    def _scores(self) -> list[tuple[Score, Score]]:
        """The scores of both seats after each logged game of a match."""
        assert isinstance(self.log, MatchLog), "a contest has no scores"
        of_each = (scores_of([game]) for game in self.log.games)
        return [*accumulate(of_each, lambda one, more: (one[0] + more[0], one[1] + more[1]))]

    @overload
    def __getitem__(self, at: int) -> GameRecord: ...
    @overload
    def __getitem__(self, at: slice) -> list[GameRecord]: ...
    def __getitem__(self, at: int | slice) -> GameRecord | list[GameRecord]:
        if isinstance(at, slice):
            return [self._recorded(game) for game in self._games[at]]
        return self._recorded(self._games[at])

    def _recorded(self, one: _Game) -> GameRecord:
        try:
            return _Judged(self.log.size, one).record
        except (RecordError, IllegalFleet, IllegalMove) as error:
            which = f"game {one.match.game}" if one.match else "the game"
            if isinstance(self.log, ContestLog):
                which = f"match {one.id.rpartition('-')[2]}"
            raise RecordError(f"{which}: {error}") from None


def _errors(log: MatchLog | ContestLog) -> Iterator[int]:
    if isinstance(log, MatchLog):
        yield from (player.error for player in log.players)
    else:
        for match in chain.from_iterable(log.rounds):
            yield from (side.error for side in match.sides)


def _of_match(log: MatchLog, name: str) -> Iterator[_Game]:
    one, other = log.players
    errors = (one.error, other.error)
    games: list[LoggedGame | None] = [*log.games]
    scores = (one.score, other.score)
    if any(errors) and (not games or is_over(log.size, log.games[-1])):
        games.append(None)
    for seat, found in enumerate(scores_of(log.games, errors, ends=None not in games)):
        said, of_other = scores[seat], scores[1 - seat]
        is_mirrored = (said.won, said.lost, said.tied) == (
            of_other.lost,
            of_other.won,
            of_other.tied,
        )
        if not is_mirrored or not found.is_within(
            said
        ):  # the counts are larger if not all games are logged
            raise RecordError(
                f"player {seat + 1} is said to have won, lost and tied {_told(said)} games, "
                f"but it was {_told(found)}"
            )
    names = ((one.name, one.authors), (other.name, other.authors))
    for number, game in enumerate(games, 1):
        yield _Game(
            game,
            errors if number == len(games) else (0, 0),
            names,
            f"{name}-{number}",
            OfMatch(name, number, len(games)) if len(games) > 1 else None,
        )


def is_over(size: int, game: LoggedGame) -> bool:
    """Whether a logged game went to its end: a fleet was sunk, or a limit of rounds was reached."""
    sunk = (sum(shot.sunk is not None for shot in seat.shots) for seat in game)
    is_dead = any(
        seat.ships and dead == len(seat.ships)
        for seat, dead in zip(reversed(game), sunk, strict=True)
    )
    return is_dead or len(game[0].shots) in (contest(size).round_limit, FIRST_LIMIT)


def scores_of(
    games: Sequence[LoggedGame], errors: tuple[int, int] = (0, 0), *, ends: bool = False
) -> tuple[Score, Score]:
    """The scores of both seats. A seat with an error in ``errors`` has lost one more game, or the
    last game if the error ``ends`` it. If both seats have an error, that game is tied."""
    counts = [[0, 0, 0], [0, 0, 0]]
    played = games[:-1] if any(errors) and ends else games
    for game in played:
        for seat, own in enumerate(game):
            if own.result != BROKEN_OFF:
                counts[seat][(WON, LOST, TIED).index(own.result)] += 1
    if any(errors):
        for seat in (0, 1):
            place = 2 if all(errors) else int(bool(errors[seat]))
            counts[seat][place] += 1
    first, second = (Score(*one) for one in counts)
    return first, second


def _told(score: Score) -> str:
    return f"{score.won}, {score.lost} and {score.tied}"


def _of_contest(log: ContestLog, name: str) -> Iterator[_Game]:
    entrants = {entrant.number: (entrant.name, entrant.authors) for entrant in log.entrants}
    for number, matches in enumerate(log.rounds, 1):
        for place, match in enumerate(matches, 1):
            first, second = match.sides
            for side in match.sides:
                if side.number not in entrants:
                    raise RecordError(
                        f"round {number}, match {place}: there is no player {side.number}"
                    )
            id_ = f"{name}-{number}.{place}"
            games = max(1, first.score.games)
            yield _Game(
                match.last,
                (first.error, second.error),
                (entrants[first.number], entrants[second.number]),
                id_,
                OfMatch(id_, games, games) if games > 1 else None,
            )


class _Judged:
    """The replay of a game of a log."""

    def __init__(self, size: int, one: _Game) -> None:
        self._one = one
        self._incidents: list[Incident] = []
        rounds = max((len(seat.shots) for seat in one.game), default=0) if one.game else 0
        usual = contest(size)
        assert usual.round_limit is not None, "the contest has a limit"
        try:
            self.record = self._recorded(usual, rounds)
        except RecordError:
            # The first program has a greater limit of rounds, so a longer game is tried with that
            # limit.
            if rounds < usual.round_limit:
                raise
            self._incidents = []
            self.record = self._recorded(replace(usual, round_limit=FIRST_LIMIT), rounds)

    def _recorded(self, rules: Rules, rounds: int) -> GameRecord:
        one = self._one
        seats = one.game or (LoggedSeat((), (), BROKEN_OFF),) * 2
        first, second = seats
        rules = _with_fleet(rules, first.ships, second.ships)
        game = Game(rules)
        self._play(game, first, second, rounds)
        if any(one.errors):
            self._fail(game)
        elif game.outcome is None:
            if (first.result, second.result) != (BROKEN_OFF, BROKEN_OFF):
                raise RecordError("it has a result, but is not over")
            game.abort(_BREAKS_OFF)
        assert game.outcome is not None, "it has been ended, if nothing else"
        names = [name or f"player {seat}" for seat, (name, _) in enumerate(one.names, 1)]
        if names[0] == names[1]:
            names[1] += "#2"
        record = GameRecord(
            version=1,
            id=one.id,
            number=None,
            match=one.match,
            rules=rules,
            rated=False,
            seed=None,
            first=0,
            isolation="none",
            host=None,
            enforcement=(),
            limits=Limits(timeout_ms=rules.timeout_ms),
            seats=tuple(
                RecordedSeat.of(
                    name[:LONGEST_NAME],
                    fleet=game.fleet(seat),
                    author=one.names[seat][1][:LONGEST_NAME],
                    own_name=one.names[seat][0][:LONGEST_NAME],
                    wire="contest",
                    placed=() if game.fleet(seat) else seats[seat].ships,
                )
                for seat, name in enumerate(names)
            ),
            shots=tuple(shot.recorded() for shot in game.shots),
            incidents=tuple(self._incidents),
            outcome=game.outcome,
            started="",
            finished="",
        )
        if not any(one.errors) and record.outcome.termination is not Termination.ABORTED:
            self._compare(record, first, second)
        return record

    def _play(self, game: Game, first: LoggedSeat, second: LoggedSeat, rounds: int) -> None:
        if len(first.shots) != len(second.shots):
            raise RecordError(
                f"player 1 has {len(first.shots)} shots, and player 2 {len(second.shots)}"
            )
        stages = {CODES[code].stage for code in self._one.errors if code}
        are_placed = all(
            len(logged_seat.ships) == len(game.rules.lengths) for logged_seat in (first, second)
        )
        if not are_placed or (stages & {FailureStage.HELLO, FailureStage.SHIP} and not rounds):
            if rounds or FailureStage.SHOT in stages:
                raise RecordError("there are shots, but not all ships")
            return
        game.place(0, first.ships)
        game.place(1, second.ships)
        values = Values([first.ships, second.ships])
        for number, shots in enumerate(zip(first.shots, second.shots, strict=True), 1):
            if game.outcome:
                raise RecordError(f"it goes on after its end, in round {number}")
            begin = len(game.shots)
            for seat, shot in enumerate(shots):
                game.shoot(seat, [Target(1 - seat, shot.cell)])
            for seat, (said, fired) in enumerate(zip(shots, game.shots[begin:], strict=True)):
                if not _is_alike(said, found := values.of(fired)):
                    raise RecordError(
                        f"round {number}: the shot of player {seat + 1} at {said.cell} is logged as "
                        f"{_in_words(said)}, but is {_in_words(found)}"
                    )

    def _fail(self, game: Game) -> None:
        """End the game by the errors of one seat, or of both seats in one step."""
        if game.outcome:
            raise RecordError("it is over, and an error is said to have ended it")
        gone = []
        for seat, code in enumerate(self._one.errors):
            if code:
                termination = CODES[code].termination
                why = sentence(code, is_before=self._one.game is None)
                gone.append(Gone(seat, termination, why))
                self._incidents.append(Incident(len(game.shots), seat, IncidentKind(termination)))
        game.forfeit_together(gone)

    def _compare(self, record: GameRecord, *seats: LoggedSeat) -> None:
        for number, (seat, found) in enumerate(zip(seats, results_of(record), strict=True), 1):
            if seat.result != found:
                raise RecordError(
                    f"player {number} is said to have {_RESULTS[seat.result]}, but has "
                    f"{_RESULTS[found]}"
                )


LONGEST_NAME = 998  # characters of a name in a record, without a "#2"

_RESULTS = {WON: "won", LOST: "lost", TIED: "tied", BROKEN_OFF: "broken off"}
_VALUES = {
    HIT: "a hit",
    MISS: "a miss",
    REPEAT: "a repeat",
    REPEATED_HIT: "a repeated hit",
    REPEATED_MISS: "a repeated miss",
    REPEATED_KILL: "a repeat at a sunk ship",
}


def _in_words(shot: LoggedShot) -> str:
    sunk = "" if shot.sunk is None else f" that sinks ship {shot.sunk}"
    return f"{_VALUES[shot.value]}{sunk}"


def _is_alike(said: LoggedShot, found: LoggedShot) -> bool:
    """Whether the logged result of a shot is that of the replay. A plain repeat of the described
    form equals every kind of repeat."""
    is_repeat = said.value == REPEAT and found.value in REPEATS
    return (said.value == found.value or is_repeat) and said.sunk == found.sunk


def _with_fleet(rules: Rules, *fleets: Sequence[Ship]) -> Rules:
    """The rules with the ship lengths of a game, as the log has them. Missing ships get the
    shortest length, and so do all ships if one has a length that the contest does not have."""
    draw = CONTEST_DRAWS[rules.columns]
    longest = max(fleets, key=len)
    if len(longest) > draw.ships:
        raise RecordError(
            f"there are {len(longest)} ships, where there are {draw.ships} in a fleet"
        )
    known = [ship.length for ship in longest]
    if not set(known) <= set(draw.sizes):
        known = []  # the log ends with an illegal ship
    missing = (draw.shortest,) * (draw.ships - len(known))
    lengths = tuple(sorted((*known, *missing), reverse=True))
    return replace(rules, fleet=lengths, draw=draw)
