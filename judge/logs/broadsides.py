"""The log of broadsides: the text of each INFO line that players were sent, and their fleets.

    SETUP players:ann,bob board:10x10 ships:5,4,3,3,2
    SHIPS ann 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H
    SHIPS bob 5:B1:V 4:C1:V 3:F1:V 3:D8:H 2:J9:V
    SHOTS ann B1:hit B2:hit B3:hit B4:hit B5:hit C1:hit
    …
    WINNER ann

Players are named in the order of moving. The log has each fleet with the right form and lengths,
also an illegal fleet that leaves the board or overlaps. The log has neither refused volleys nor the
reason of a forfeit.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from judge.documents.codec import builtins
from judge.documents.game import (
    GameRecord,
    Incident,
    IncidentKind,
    Limits,
    RecordedSeat,
    Termination,
)
from judge.documents.rules import Cell, Fleet, Rules
from judge.errors import BotError, IllegalFleet, IllegalMove, RecordError, UsageError
from judge.game.events import Shot, Target
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.steps import volleys_of
from judge.game.variants import BROADSIDES
from judge.wire import WIRES
from judge.wire.broadsides import Broadsides, fleet_answer, told_name
from judge.wire.interface import Wire
from judge.wire.messages import AskFleet, GameOver, GameStart, Placed, Told
from judge.wire.strict_json import quoted

UNTOLD = (
    "the players' files and seeds, the times, the limits, or why a player lost that was not beaten"
)

# The fields of `Rules` that may differ from those of broadsides in a log. A reader takes all others
# from broadsides.
_FREE = ("name", "columns", "rows", "fleet", "opening", "wire", "timeout_ms", "bot_bytes")

_FORFEIT = "the log does not say why: no whole reply in time, one that is not allowed, or an exit before it"
_BROKEN_OFF = "the log breaks off here"

# A log of the most shots that a game record can hold is much shorter.
LONGEST = 8 * 2**20
LONGEST_LINE = 8 * 2**10

# The bounds of a game record.
MOST_SHOTS = 100_000
MOST_ROWS = 100
LONGEST_NAME = 998  # and "#2"

_SETUP = re.compile(
    r"SETUP players:([^,]+),([^,]+) board:([1-9][0-9]{0,2})x([1-9][0-9]{0,2}) "
    r"ships:([1-9][0-9]{0,2}(?:,[1-9][0-9]{0,2}){0,49})",
    re.ASCII,
)
_SHOT = re.compile(r"([A-Z])([1-9][0-9]{0,2}):(hit|miss)", re.ASCII)
_BEGINNING = "SETUP players:"


def unsupported(rules: Rules, seats: int) -> str | None:
    if reason := Broadsides.unsupported(rules, seats):
        return reason
    held = {name: getattr(rules, name) for name in _FREE}
    if rules.round_limit is None:  # the original has no limit of rounds
        held["round_limit"] = None
    usual = replace(BROADSIDES, **held)
    found = builtins(rules)
    for name, value in builtins(usual).items():
        if value != found[name]:
            return f"a log does not tell {name}, which is not that of broadsides"
    return None


def unsayable(name: str) -> str | None:
    return Broadsides.unsayable(told_name(name))


def file_name(names: Sequence[str], number: int) -> str:
    return f"{'_vs_'.join(map(told_name, names))}_{number}.log"


# From a record to a log


def written(record: GameRecord) -> str:
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: GameRecord) -> Iterator[str]:
    names = tuple(seat.name for seat in record.seats)
    wire = Broadsides(record.rules, 0, Broadsides.dialects[0])
    wire.send(GameStart(0, names, record.rules, None, None, record.first))
    yield from _told(wire)
    for seat in (record.first, 1 - record.first):
        fleet = record.seats[seat].fleet or _refused_fleet(record, seat)
        if fleet:
            answer = fleet_answer(fleet).removeprefix("SHIPS ")
            yield f"SHIPS {told_name(names[seat])} {answer}"
    announced: list[Shot] = []
    for game in replay(record):
        announced = game.announced_shots
    for volley in volleys_of(record):
        wire.send(Told(tuple(announced[volley.begin : volley.end])))
        yield from _told(wire)
    wire.send(GameOver(record.outcome))
    yield from _told(wire)


def _told(wire: Broadsides) -> Iterator[str]:
    for line in wire.data_to_send().decode().splitlines():
        yield line.removeprefix("INFO ")


def _refused_fleet(record: GameRecord, seat: int) -> Fleet | None:
    """The illegal fleet that made a seat lose, read from the seat's evidence. None if the seat lost
    otherwise, or if the evidence has no illegal fleet that can stand in a log."""
    spoken = WIRES.get(record.seats[seat].wire or "")
    if record.outcome.termination is not Termination.ILLEGAL_FLEET or spoken is None:
        return None
    for evidence in record.evidence:
        if evidence.seat == seat:
            wire = spoken(record.rules, seat, spoken.dialects[0])
            wire.send(GameStart(seat, ("", ""), record.rules, None, None, record.first))
            fleet = _fleet(record.rules, wire, evidence.stdout)
            return fleet if fleet and not _is_legal(record.rules, fleet) else None
    return None


def _is_legal(rules: Rules, fleet: Fleet) -> bool:
    try:
        rules.check_fleet(fleet)
    except IllegalFleet:
        return False
    return True


def _fleet(rules: Rules, wire: Wire, answer: str) -> Fleet | None:
    """The fleet in a player's answer, which may overlap or leave the board. None if the answer has
    no fleet, a fleet of other lengths, or a ship that begins outside of the board."""
    wire.send(AskFleet())
    wire.receive_data(answer.encode(errors="backslashreplace"))
    wire.receive_data(b"")
    try:
        placed = wire.next_event()
        if not isinstance(placed, Placed):
            return None
        rules.check_lengths(placed.fleet)
    except BotError:
        return None
    begins = (Cell(ship.column, ship.row) for ship in placed.fleet)
    return placed.fleet if all(map(rules.on_grid, begins)) else None


# From a log to a record


def is_log(text: str) -> bool:
    return text.startswith(_BEGINNING)


def read(text: str, game_id: str) -> GameRecord:
    """The record of the game in a log, not rated. The player named first is in seat 0. If the log
    breaks off before the game is decided, the game is aborted. If the log names the winner of a
    game that was not decided, the other player has forfeited by bad output, since a log does not
    say why. Raises `RecordError` if the log is not valid.

    The original server has no limit of rounds. If a log goes on beyond the judge's limit, the rules
    of the record have no limit.
    """
    if len(text) > LONGEST:
        raise RecordError(f"it is longer than {LONGEST:,} characters, so it is not a log of a game")
    first, *lines = text.split("\n")
    if not lines and _SETUP.fullmatch(first) is None:
        raise RecordError("line 1: the log breaks off within its first line, so it tells no game")
    names, rules = _setup(first.removesuffix("\r"))
    try:
        return _Reading(names, rules).record(lines, game_id)
    except _HasNoLimitError:
        return _Reading(names, replace(rules, round_limit=None)).record(lines, game_id)


def _setup(line: str) -> tuple[tuple[str, ...], Rules]:
    found = _SETUP.fullmatch(line[:LONGEST_LINE])
    if found is None or max(map(len, found.groups()[:2])) > LONGEST_NAME:
        raise RecordError(
            f"line 1: {quoted(line)} is not a whole SETUP line, such as SETUP players:ann,bob "
            "board:10x10 ships:5,4,3,3,2"
        )
    *names, columns, rows, ships = found.groups()
    size = int(columns), int(rows)
    fleet = tuple(map(int, ships.split(",")))
    name = BROADSIDES.name
    if (*size, fleet) != (BROADSIDES.columns, BROADSIDES.rows, BROADSIDES.fleet):
        name = f"{name}-{columns}x{rows}"
    if max(size) > MOST_ROWS:
        raise RecordError(f"line 1: the board {columns}×{rows} is larger than a record can hold")
    try:
        rules = replace(BROADSIDES, name=name, columns=size[0], rows=size[1], fleet=fleet)
    except UsageError as error:
        raise RecordError(f"line 1: {error}") from None
    if reason := Broadsides.unsupported(rules, 2):
        raise RecordError(f"line 1: {reason}")
    return tuple(names), rules


def other_winner(text: str, record: GameRecord) -> str | None:
    """A clause on a log that names the loser of its game as the winner, or None for any other log.

    The original server writes such a log if the player that sank the last ship crashes right after
    that volley, before the server looks for the winner.
    """
    if record.outcome.termination is not Termination.FLEET_DESTROYED:
        return None
    names = [told_name(seat.name) for seat in record.seats]
    winner, loser = names if record.outcome.winner == 0 else reversed(names)
    *_, last = [line for line in text.split("\n") if line.strip()]
    is_cut = not text.endswith("\n") and f"WINNER {winner}".startswith(last)
    if winner == loser or is_cut or last.removesuffix("\r") != f"WINNER {loser}":
        return None
    return (
        f"it names {quoted(loser)} as the winner, though {quoted(winner)} has sunk the last ship; "
        f"the original names either if {quoted(winner)} dies right after that volley, and here "
        f"{quoted(winner)} has won"
    )


class _HasNoLimitError(Exception):
    """A log goes on after the judge's limit of rounds."""


class _Reading:
    """The replay of a game from the lines of its log after the SETUP line."""

    def __init__(self, names: tuple[str, ...], rules: Rules) -> None:
        self._names = names
        self._rules = rules
        self._game = Game(rules)
        self._incidents: list[Incident] = []
        self._has_winner = False

    def record(self, lines: Sequence[str], game_id: str) -> GameRecord:
        *whole, torn = lines or [""]
        while whole and not whole[-1].removesuffix("\r"):
            whole.pop()
        for number, line in enumerate(whole, 2):
            try:
                self._take(line.removesuffix("\r"))
            except (RecordError, IllegalMove) as error:
                raise RecordError(f"line {number}: {error}") from None
        if self._has_winner and torn.strip():
            raise RecordError(f"line {len(whole) + 2}: the game goes on after its end")
        # The text after the last line feed counts if it is a valid line.
        with contextlib.suppress(RecordError, IllegalMove):
            if not self._may_go_on(torn):
                self._take(torn.removesuffix("\r"))
        return self._recorded(game_id)

    def _take(self, line: str) -> None:
        """Play one line of the log. A line that cannot be played changes nothing and raises an
        error: `_HasNoLimitError` if the game goes on after the limit of rounds, `IllegalMove` if
        the rules forbid the shots, and otherwise `RecordError`."""
        if len(line) > LONGEST_LINE:
            raise RecordError(f"it has more than {LONGEST_LINE:,} characters")
        word, _, rest = line.partition(" ")
        take = {"SHIPS": self._place, "SHOTS": self._shoot, "WINNER": self._end}.get(word)
        if take is None:
            raise RecordError(f"{quoted(line)} is not a line of a broadsides log")
        outcome = self._game.outcome
        if self._has_winner or (outcome and word != "WINNER"):
            if outcome and outcome.termination is Termination.ROUND_LIMIT:
                raise _HasNoLimitError
            why = f": {outcome.detail}" if outcome and outcome.detail else ""
            raise RecordError(f"the game goes on after its end{why}")
        take(rest)

    def _may_go_on(self, line: str) -> bool:
        """Whether an unfinished line may be the beginning of a longer WINNER line."""
        return any(
            f"WINNER {name}".startswith(line) and f"WINNER {name}" != line for name in self._names
        )

    def _up(self, rest: str, what: str) -> tuple[int, str]:
        """The seat that is up, and the text that follows its player's name in ``rest``, a line
        without its first word. Raises `RecordError` if ``rest`` does not begin with that name."""
        seat = self._game.to_move[0]
        start = f"{self._names[seat]} "
        if not rest.startswith(start):
            raise RecordError(f"the next {what} must be those of {quoted(self._names[seat])}")
        return seat, rest.removeprefix(start)

    def _place(self, rest: str) -> None:
        if not self._game.is_placing:
            raise RecordError("both fleets have been placed before")
        seat, ships = self._up(rest, "ships")
        answer = f"SHIPS {ships}"
        fleet = _fleet(self._rules, Broadsides(self._rules, seat, ""), answer)
        if fleet is None:
            wanted = ", ".join(map(str, self._rules.lengths))
            raise RecordError(f"{quoted(answer)} are not ships of {wanted} on this board")
        try:
            self._game.place(seat, fleet)
        except IllegalFleet as error:
            self._forfeit(seat, Termination.ILLEGAL_FLEET, str(error))

    def _shoot(self, rest: str) -> None:
        game = self._game
        if game.is_placing:
            raise RecordError("shots are fired before both fleets are placed")
        seat, said = self._up(rest, "shots")
        target = 1 - seat
        shots = [self._shot(word) for word in said.split(" ")]
        if len(game.shots) + len(shots) > MOST_SHOTS:
            raise RecordError(f"the game has more than {MOST_SHOTS:,} shots")
        for word, (cell, is_hit) in zip(said.split(" "), shots, strict=True):
            if is_hit != game.has_ship(target, cell):
                raise RecordError(f"{word} is told, but it is a {'miss' if is_hit else 'hit'}")
        game.shoot(seat, [Target(target, cell) for cell, _ in shots])

    @staticmethod
    def _shot(word: str) -> tuple[Cell, bool]:
        found = _SHOT.fullmatch(word)
        if found is None:
            raise RecordError(f"{quoted(word)} is not a shot and its result, such as B1:hit")
        letter, number, told = found.groups()
        return Cell(ord(letter) - ord("A"), int(number) - 1), told == "hit"

    def _end(self, name: str) -> None:
        game = self._game
        winners = [seat for seat, known in enumerate(self._names) if known == name]
        if not winners:
            raise RecordError(f"{quoted(name)}, who has won, is not a player of this game")
        if game.outcome is None:
            # If both players have one name, the one who was up has lost.
            loser = 1 - winners[0] if len(winners) == 1 else game.to_move[0]
            self._forfeit(loser, Termination.BAD_OUTPUT, _FORFEIT)
        elif game.outcome.winner not in winners:
            if game.outcome.termination is Termination.ROUND_LIMIT:
                raise _HasNoLimitError
            if game.outcome.termination is not Termination.FLEET_DESTROYED:
                raise RecordError(f"{quoted(name)} is said to have won, but has lost")
            # The original writes such logs: see `other_winner`.
        self._has_winner = True

    def _forfeit(self, seat: int, termination: Termination, why: str) -> None:
        self._incidents.append(Incident(len(self._game.shots), seat, IncidentKind(termination)))
        self._game.forfeit(seat, termination, why)

    def _recorded(self, game_id: str) -> GameRecord:
        game = self._game
        if game.outcome is None:
            game.abort(_BROKEN_OFF)
        assert game.outcome is not None, "it has been aborted, if nothing else"
        one, other = self._names
        names = (one, f"{other}#2" if other == one else other)
        return GameRecord(
            version=1,
            id=game_id,
            number=None,
            match=None,
            rules=self._rules,
            rated=False,
            seed=None,
            first=game.first,
            isolation="none",
            host=None,
            enforcement=(),
            limits=Limits(timeout_ms=self._rules.timeout_ms),
            seats=tuple(
                RecordedSeat.of(name, fleet=game.fleet(seat), wire=Broadsides.name)
                for seat, name in enumerate(names)
            ),
            shots=tuple(shot.recorded() for shot in game.shots),
            incidents=tuple(self._incidents),
            outcome=game.outcome,
            started="",
            finished="",
        )
