"""A connection that is cut anywhere: who comes back knows the table as if nothing had happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.join.cells import named
from judge.join.client_session import ClientSession, Want
from judge.join.table_state import ClientStage
from judge.wire.messages import ToClient
from judge.wire.xbs.client import XbsClient
from own_halls import XbsHall
from sittings import CELLS, SMALL, sitting
from strategies import examples

NAMES = ("ann", "bob", "cy")
RULES = replace(SMALL, players=(3, 3), points=9)


class Typed(NamedTuple):
    """The player who is up types this."""

    line: str


class Cut(NamedTuple):
    """Bob's connection ends after that many bytes more, in either direction."""

    heard: int
    said: int


class Return(NamedTuple):
    """Bob comes back, perhaps before the table has noticed that he was gone."""

    is_noticed: bool


@dataclass
class Client:
    """Somebody at the table. ``left`` is how many bytes come over the connection yet, to the client
    and from it; None is no end."""

    sitting: ClientSession
    end: XbsClient
    left: tuple[int, int] | None = None
    is_cut: bool = False

    def hears(self, data: bytes) -> None:
        self.end.receive_data(data)
        while message := self.end.next_message():
            self._take(message)

    def _take(self, message: ToClient) -> None:
        self.sitting.hear(message, 0.0)
        self.sitting.state.note_standing(self.end.standing)


class Evening:
    """A game of three at a table in this process."""

    def __init__(self) -> None:
        self.table = XbsHall(RULES, most=3, order=NAMES)
        self.clients = {
            name: Client(sitting(name=name, board="random"), XbsClient()) for name in NAMES
        }
        self.wires = {name: self.table.connect() for name in NAMES}
        self.settle()
        assert self.table.match, "it has begun"
        self.match = self.table.match

    @property
    def bob(self) -> Client:
        return self.clients["bob"]

    def settle(self) -> None:
        """Pass everything on until nobody has anything to say."""
        is_busy = True
        while is_busy:
            is_busy = False
            for name in NAMES:
                is_busy |= self._pass_on(name)

    def _pass_on(self, name: str) -> bool:
        client, wire = self.clients[name], self.wires[name]
        said, client.sitting.sent = client.sitting.sent, []
        if client.is_cut:
            return False
        heard = self.table.sent(wire)
        for message in said:
            client.end.say(message)
        says = client.end.data_to_send()
        hears, tells = client.left or (len(heard), len(says))
        if heard[:hears]:
            client.hears(heard[:hears])
        if says[:tells]:
            self.table.receive(wire, says[:tells])
        if client.left is not None:
            client.left = hears - len(heard), tells - len(says)
            if min(client.left) < 0:
                self.cut()
        return bool(heard or says)

    def cut(self) -> None:
        """Bob hears no more; whether the table has noticed is another matter."""
        self.bob.is_cut, self.bob.left = True, None
        self.bob.hears(b"")

    def come_back(self, *, is_noticed: bool) -> None:
        """Bob connects again, as often as he has to."""
        if not self.bob.is_cut:
            self.cut()
        if is_noticed:
            self.table.receive(self.wires["bob"], b"")
        gone = self.wires["bob"]
        while self.bob.sitting.want is Want.RETURN and not self.match.is_over:
            self.wires["bob"] = self.table.connect()
            self.bob.end.come_back()
            self.bob.sitting.connected()
            self.bob.is_cut = False
            self.settle()
            self.table.receive(gone, b"")  # by now it notices
            if self.wires["bob"].is_closed and self.bob.sitting.state.is_cut:
                self.cut()

    def take(self, step: Typed | Cut | Return) -> None:
        match step:
            case Typed(line):
                up = min(self.match.waiting)
                self.clients[NAMES[up]].sitting.typed(line, 0.0)
            case Cut(heard, said) if not self.bob.is_cut:
                self.bob.left = heard, said
            case Return(is_noticed) if self.bob.is_cut:
                self.come_back(is_noticed=is_noticed)
        self.settle()


def known(one: ClientSession) -> object:
    """The facts that somebody knows of the table, but not in which order shots came."""
    state = one.state
    return (
        state.stage,
        state.up,
        [{(shot.cell, shot.is_hit) for shot in player.shots} for player in state.players],
        [(player.name, player.points, player.skips, player.away) for player in state.players],
    )


STEPS = st.one_of(
    st.builds(Typed, st.builds("{} {}".format, CELLS, st.sampled_from(NAMES))),
    st.just(Typed("skip")),
    st.builds(Cut, st.integers(0, 300), st.integers(0, 20)),
    st.builds(Return, st.booleans()),
)


@examples(150)
@given(st.lists(STEPS, max_size=60))
def test_a_cut_is_made_good(steps: list[Typed | Cut | Return]) -> None:
    """Wherever the connection ends and whatever is played meanwhile, whoever comes back knows the
    boards, the points, the skipped turns, who is there and whose turn it is as those do who were
    never gone, and was told of each shot once. That a client may shoot it knows too."""
    evening = Evening()
    for step in steps:
        if evening.match.is_over:
            return
        evening.take(step)
    if evening.match.is_over:
        return
    evening.come_back(is_noticed=True)
    ann, bob, cy = (evening.clients[name].sitting for name in NAMES)
    assert bob.state.stage is ClientStage.PLAYING
    assert known(ann) == known(bob) == known(cy)
    (up,) = evening.match.waiting
    assert [one.state.may_shoot for one in (ann, bob, cy)] == [seat == up for seat in range(3)]
    assert bob.state.may_shoot is bob.state.is_own_turn
    for seat, player in enumerate(bob.state.players):
        for shot in player.shots:
            cell = named(shot.cell, bob.state.game, bob.state.rules)
            told = f" shot at {bob.state.name_of(seat)}, {cell}: "
            assert sum(told in line for line in bob.printed) == 1
