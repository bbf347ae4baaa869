"""Decides who may take the place of a player who is gone from a game of XBS.

A name is not a proof, and whoever takes a place sees its ships. A client that sends the player's
board gets the place, since nobody else at the table has seen the board. A client that sends another
board is refused. After too many wrong boards from a network, boards from there prove nothing.
Published clients send no board. Then the player's address is enough, unless another player has
used the same network, or another client was found connected from it. In other cases the host is
asked, at most once for each absence.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection

from judge.documents.rules import Fleet
from judge.serve.core import Client
from judge.serve.log import Log
from judge.serve.rate_limits import Allowance
from judge.serve.xbs_places import Options, TablePlace
from judge.wire.messages import Joined
from judge.wire.xbs.notation import board_text

IN_USE = "name in use"
MOST_QUESTIONS, QUESTION_SECONDS = 3, 60.0  # notes to the host about a player: 3, then one a minute
MOST_WRONG, WRONG_SECONDS = 10, 60.0  # boards that differ, from a network: 10, then one a minute


class Rejoins:
    """Decides about each client that asks for a place. If `Options.from_anywhere`, a name is
    enough."""

    def __init__(self, options: Options, log: Log) -> None:
        self._options = options
        self._log = log
        self._questions = Allowance(MOST_QUESTIONS, QUESTION_SECONDS)  # about each name
        self._wrong = Allowance(
            MOST_WRONG, WRONG_SECONDS
        )  # wrong boards of each network, so no board is guessed

    def refusal(
        self,
        client: Client,
        joined: Joined,
        place: TablePlace,
        *,
        places: Collection[TablePlace],
        clients: Collection[Client],
    ) -> str:
        """The reason why a client may not have a player's place; empty if it may. ``places`` are
        all places of the game, and ``clients`` all connected clients."""
        if place.client or place.bot:
            return IN_USE
        is_at_home = client.address == place.address
        if self._options.from_anywhere or (is_at_home and place.absence.is_let_in):
            return ""
        if joined.flaw:
            return IN_USE
        if joined.fleet is not None:
            # Others in the same network may have used up the comparisons. Then a board is not a
            # proof.
            if self._wrong.has(client.network):
                return "" if self._is_own_board(client, joined.fleet, place) else IN_USE
        elif is_at_home:
            if _are_others_there(client, place, places, clients):
                place.shared.add(client.network)
            if client.network not in place.shared:
                return ""
        return self._ask_host(client, place, clients)

    def _is_own_board(self, client: Client, fleet: Fleet, place: TablePlace) -> bool:
        """Whether a client's fleet is the fleet of a place; another fleet counts as a wrong board.
        The time of the comparison does not depend on where the ships lie."""
        assert place.fleet, "a player has placed its ships before the game"
        rules, letters = self._options.rules, self._options.letters
        shown, own = (board_text(one, rules, letters).encode() for one in (fleet, place.fleet))
        is_same = hmac.compare_digest(shown, own)
        if not is_same:
            self._wrong.use(client.network)
        return is_same

    def _ask_host(self, client: Client, place: TablePlace, clients: Collection[Client]) -> str:
        """Ask the host to let a client in, unless the host was asked about this absence before, or
        about this name too often. Returns the text for the client, with the number by which the
        host can name it."""
        name, absence = place.name, place.absence
        asking = absence.asking
        if client not in asking:
            for one in [client for client in asking if client not in clients]:
                del asking[one]
            absence.asks += 1
            asking[client] = absence.asks
        if not absence.is_told and self._questions.take(name):
            absence.is_told = True
            self._log.say(
                "console",
                f"{client.label} says that it is {name}, who is gone, and is not known by its board; "
                f"`let {name} in` gives it the place",
            )
        number = asking[client]
        return f"the host is asked to let {name} in; your number is {number}"


def _are_others_there(
    client: Client,
    place: TablePlace,
    places: Collection[TablePlace],
    clients: Collection[Client],
) -> bool:
    """Whether another client is connected from a client's network, or the player of another place
    has ever come from that network."""
    return any(one is not client and one.network == client.network for one in clients) or any(
        one is not place and client.network in one.networks for one in places
    )
