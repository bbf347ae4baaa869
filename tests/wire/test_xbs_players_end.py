"""Whole games at the player's end of the XBS wire: what it says, and what it takes lines for."""

from __future__ import annotations

import pytest

from judge.documents.rules import Cell
from judge.game.events import Shot, Target
from judge.wire.messages import (
    AskShots,
    Fired,
    FromClient,
    GameOver,
    Inquired,
    Joined,
    Left,
    Lobby,
    Refused,
    Rejoined,
    Said,
    Skipped,
    TauntAdded,
    ToClient,
    Told,
)
from judge.wire.xbs.client import XbsClient
from judge.wire.xbs.notation import LETTERS, REFUSALS, fleet_of
from own_halls import played
from transcripts import XBS_GAMES, Transcript, read


class Player:
    """One connection of a transcript, at its player's end. ``names`` are those by which the table
    calls seats."""

    def __init__(self, transcript: Transcript) -> None:
        self.rules = transcript.xbs_rules
        self.client = XbsClient()
        self.told: list[ToClient] = []
        self.names: list[str] = []
        self.said = 0  # lines that it says as well

    def hear(self, line: str, size: int) -> None:
        kind, *values = line.split("|")
        if kind == "J":
            self.names.append(values[0])
        elif kind == "L":
            self.names.remove(values[0])
        elif kind == "S":
            self.names = values
        data = line.encode() + b"\n"
        for i in range(0, len(data), size):
            self.client.receive_data(data[i : i + size])
            self.told += iter(self.client.next_message, None)

    def message(self, line: str) -> FromClient | None:
        """The message that a player gives by a line, or None if no client of ours says it so."""
        kind, *values = line.split("|")
        match kind.strip(), *values:
            case "G", *_:
                return Inquired()
            case "J", name, *board if self.has_started or board:
                return self.join(name.strip(), board)
            case "S", name, column, row if name in self.names and (column + row).isdigit():
                cell = Cell(int(column) - 1, int(row) - 1)
                return Fired((Target(self.names.index(name), cell),))
            case ("K",):
                return Skipped()
            case "M", name, text if text and name in ("", *self.names):
                return Said(text, self.names.index(name) if name else None)
            case "T", ("hit" | "miss") as shot, text:
                return TauntAdded(on_hit=shot == "hit", text=text)
            case "L", why:
                return Left(why)
        return None

    def join(self, name: str, board: list[str]) -> Joined | None:
        if self.has_started:
            return Joined(name)
        try:
            fleet = fleet_of(board[0].strip(), self.rules, LETTERS[: len(self.rules.lengths)])
        except ValueError:
            return None
        return Joined(name, fleet=fleet)

    @property
    def has_started(self) -> bool:
        lobbies = [one for one in self.told if isinstance(one, Lobby)]
        return lobbies[-1].is_started

    def say(self, line: str) -> None:
        """Say it, if it is a line of a client, to the byte; a join is said in another's words."""
        if message := self.message(line):
            self.client.say(message)
            data = self.client.data_to_send().decode()
            assert data == f"{line}\n" or isinstance(message, Joined)
            self.said += data == f"{line}\n"


def at_the_players_end(transcript: Transcript, size: int) -> dict[str, Player]:
    """The player of each connection, fed in pieces of ``size`` bytes."""
    players: dict[str, Player] = {}
    for step in transcript.steps:
        if step.what == "connect":
            players[step.who] = Player(transcript)
        elif step.what == "<":
            players[step.who].hear(step.text, size)
        elif step.what == ">":
            players[step.who].say(step.text)
    return players


# How many lines of each game are such as our clients say.
SAID = {
    "xbs_two": 28,
    "xbs_three": 14,
    "xbs_three_wrong": 26,
    "xbs_dialect": 7,
    "xbs_aborted": 3,
    "xbs_lobby_aborted": 1,
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("name", XBS_GAMES)
def test_a_whole_game_at_the_players_end(name: str, size: int) -> None:
    """Every line that a client of ours has words for is said to the byte. Each player is told that
    its wrong shots were refused, all shots that the table told it, and how the game ended, in
    whichever pieces lines come."""
    transcript = read(name)
    _, table = played(transcript, "whole")
    players = at_the_players_end(transcript, size)
    assert sum(player.said for player in players.values()) == SAID[name]
    for who, player in players.items():
        lines = [step.text for step in transcript.steps if (step.who, step.what) == (who, "<")]
        refused = [one.why for one in player.told if isinstance(one, Refused)]
        assert refused == [line[3:] for line in lines if line[3:] in REFUSALS]
        shots = [
            (event.target, event.cell, event.is_hit)
            for one in player.told
            if isinstance(one, Told)
            for event in one.events
            if isinstance(event, Shot)
        ]
        back = [one for one in player.told if isinstance(one, Rejoined)]
        known = [(s.target, s.cell, s.is_hit) for one in back for s in one.view.shots]
        if (
            table.match is None
            or not table.match.is_over
            or not any(one[0] == "F" for one in lines)
        ):
            continue
        (record,) = table.match.records
        every = [(s.target, s.cell, s.is_hit) for s in table.match.game.shots]
        assert (shots, sorted(known)) == (every[len(known) :], sorted(every[: len(known)]))
        (over,) = [one for one in player.told if isinstance(one, GameOver)]
        assert over.outcome.winner == record.outcome.winner
        assert over.outcome.termination is record.outcome.termination
        assert over.outcome.scores == record.outcome.scores
        asked = sum(isinstance(one, AskShots) for one in player.told)
        mine = next(line for line in lines if line[:2] == "J|")[2:]
        assert asked == sum(line == f"N|{mine}" for line in lines)
