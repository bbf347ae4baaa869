"""The parts of an XBS table: the options by which it is set up, and the players' places."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from judge.documents.rules import Fleet, Rules
from judge.game.variants import XBS
from judge.process.bots.bot import Bot
from judge.serve.bot_seat import BotSeat
from judge.serve.core import Client
from judge.wire.messages import ToClient, ToPlayer
from judge.wire.xbs.notation import LETTERS
from judge.wire.xbs.server import XbsServer

MOST_TAUNTS = 50  # taunts of each player, of each kind
UNREAD_WORDS = 16 * 2**10  # bytes that may wait for a client that still gets chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a table. ``grace`` is how many seconds the turn of a player who is gone waits,
    and ``turn`` how many seconds a turn may take; None is no limit. ``repeat`` is the number of
    games that are played one after another, or None for games without end."""

    title: str = "Battleships"
    rules: Rules = XBS
    letters: str = LETTERS[:5]
    least: int = 2
    most: int = 9
    auto_start: bool = False
    repeat: int | None = 1
    turn: float | None = None
    grace: float | None = 60.0
    from_anywhere: bool = False
    dialect: str = "2.0"

    def missing(self, joined: int) -> str:
        """A line on how many more players the game needs, and on how it begins then."""
        needed = self.most if self.auto_start else self.least
        if joined < needed:
            said = f"{needed - joined} more, and {'it begins' if self.auto_start else 'the host may begin'}."
        else:
            said = "It begins." if self.auto_start else "The host begins the game."
        at_most = "" if self.most in (joined, self.least) else "at most "
        return f"{joined} of {at_most}{self.most} players. {said}"


@dataclass(slots=True, eq=False)
class Absence:
    """The clients that ask for the place of a player who is gone, and what the host knows and has
    decided."""

    asking: dict[Client, int] = field(default_factory=dict)  # clients by their numbers
    asks: int = 0  # clients that have asked, also those that have gone since
    is_told: bool = False  # whether the host knows that a client asks
    is_let_in: bool = False  # whether the host lets the next client from the player's address in
    is_skipped: bool = False  # whether the host knows that the player's turns are skipped


@dataclass(slots=True, eq=False)
class TablePlace:
    """The place of a player at the table. While the player is gone, ``client`` is None, and
    ``gone_at`` is the event loop's time at which the player left. ``bot`` is a bot of this machine.
    ``seated`` is the bot's program, once a game has begun."""

    name: str
    address: str
    fleet: Fleet | None
    end: XbsServer
    client: Client | None
    bot: Bot | None = None
    seated: BotSeat | None = None
    gone_at: float = 0.0
    status: str = ""  # why the player is gone
    networks: set[str] = field(default_factory=set)  # networks of its clients
    shared: set[str] = field(default_factory=set)  # networks that another client has used, too
    is_visited: bool = False  # whether another client has come from its client's network
    absence: Absence = field(default_factory=Absence)
    skips: int = 0  # turns of the game that the player skipped
    taunts: dict[bool, list[str]] = field(default_factory=lambda: {True: [], False: []})

    @property
    def is_behind(self) -> bool:
        """Whether more than `UNREAD_WORDS` bytes wait for the player's client. Then it gets no
        players' chat."""
        return self.client is not None and self.client.unread > UNREAD_WORDS

    def sit(self, client: Client, clients: Collection[Client]) -> None:
        """Give the place to a client; ``clients`` are all connected clients."""
        self.client, self.address, self.status = client, client.address, ""
        self.networks.add(client.network)
        self.is_visited = any(
            one is not client and one.network == client.network for one in clients
        )
        self.absence = Absence()

    def note_visit(self, client: Client) -> None:
        """Note a new client if it comes from the network of the place's own client. Both clients
        may be one person."""
        if self.client and client.network == self.client.network:
            self.is_visited = True

    def note_heard(self) -> None:
        """Note that the place's own client is still there. If another client came from its network
        before, the network is shared with another person."""
        if self.client and self.is_visited:
            self.shared.add(self.client.network)

    def add_taunt(self, on_hit: bool, text: str | None) -> None:
        """Add a taunt for players who hit a ship of this player, or who miss. Empty text or None
        removes all taunts of that kind."""
        kept = self.taunts[on_hit][: MOST_TAUNTS - 1]
        self.taunts[on_hit] = [*kept, text] if text else []

    def tell(self, message: ToClient) -> None:
        if self.seated:
            if isinstance(message, ToPlayer):
                self.seated.tell(message)
        elif self.client:
            self.client.send(message)
        elif self.bot is None:  # a bot hears nothing before its program starts
            self.end.send(message)
            self.end.data_to_send()  # the place has no client
