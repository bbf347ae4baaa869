"""A client's sitting without a network."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from changes import replace
from judge.documents.rules import Fleet, Orientation, Ship
from judge.game.variants import XBS
from judge.join.address import GAMES, Address
from judge.join.client_session import ClientSession, Want
from judge.wire.xbs.notation import board_text

SMALL = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=None, players=(2, 3))
FLEET: Fleet = (Ship(3, 0, 0, Orientation.HORIZONTAL), Ship(2, 0, 2, Orientation.VERTICAL))
CELLS = st.builds("{}{}".format, st.sampled_from("abcdefgh"), st.integers(1, 8))


def files(path: str) -> str:
    if path == "board":
        return board_text(FLEET, SMALL, "AB")
    raise ValueError(f"{path} cannot be read: No such file or directory")


def sitting(
    game: str = "xbs", *, name: str | None = "bob", board: str | None = None, **more
) -> ClientSession:
    one = ClientSession(
        Address(GAMES[game], "pond.example", 7948),
        given_name=name,
        usual_name="somebody",
        luck=Random(1),
        read=files,
        board=board,
        **more,
    )
    assert one.want is Want.CONNECT
    one.connected()
    return one
