"""A player: someone who is asked and answers, with a wire and a channel or without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from judge.game.record import Evidence
from judge.process.channel import Channel
from judge.wire.messages import FromBot, ToBot, Wire


class Player(Protocol):
    """One seat of one game."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str | None:
        """Of the bot's files; None for a player without any."""

    @property
    def seed(self) -> int:
        """Its BOT_SEED."""

    @property
    def milliseconds(self) -> float:
        """How long its last answer took."""

    def ask(self, message: ToBot) -> FromBot:
        """Its answer; raises `BotError` for its own fault and `JudgeFault` for the judge's."""

    def evidence(self, seat: int) -> Evidence | None:
        """What its last answer looked like from outside."""


class BotPlayer:
    """A player that is a program: a wire that says what the bytes mean, a channel for them."""

    def __init__(
        self, name: str, digest: str | None, seed: int, wire: Wire, channel: Channel
    ) -> None:
        self.name = name
        self.digest = digest
        self.seed = seed
        self._wire = wire
        self._channel = channel

    @property
    def milliseconds(self) -> float:
        return self._channel.milliseconds

    def ask(self, message: ToBot) -> FromBot:
        self._wire.send(message)
        self._channel.write(self._wire.data_to_send())
        while (event := self._wire.next_event()) is None:
            self._wire.receive_data(self._channel.read())
        return event

    def evidence(self, seat: int) -> Evidence | None:
        return self._channel.evidence(seat)


class Human:
    """A player who is a person, asked by a function that comes back with nothing but a legal
    answer. There is no deadline, and no run of a program that could be timed or shown."""

    digest = None
    seed = 0
    milliseconds = 0.0

    def __init__(self, name: str, answer: Callable[[ToBot], FromBot]) -> None:
        self.name = name
        self.ask = answer

    def evidence(self, seat: int) -> Evidence | None:
        return None
