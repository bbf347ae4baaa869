"""The host's commands at an XBS table, one a line. Most are the keys of the published server.

Commands come from a terminal or from a script's stdin. `Console.do` takes a line and returns the
text for the host. A key is easily typed by mistake. So on a terminal the commands S, K and Q ask
first, and the next line is the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from judge.game.game import Game
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import TablePlace
from judge.show.text import cells, clean, left


class _Key(NamedTuple):
    usage: str
    what: str


KEYS = {
    "S": _Key("S", "start the game"),
    "K": _Key("K REASON", "skip the player to move"),
    "M": _Key("M [NAME:] TEXT", "say something to all, or to one player"),
    "B": _Key("B NAME", "send a player away, which may come back"),
    "LET": _Key("let NAME in", "let a player who is gone come back without its board"),
    "P": _Key("P NAME", "send a player away and bar its name"),
    "A": _Key("A ADDRESS", "send away all from an address, and bar it"),
    "C": _Key("C", "show what is barred, and bar it no more"),
    "R": _Key("R", "show the table"),
    "Q": _Key("Q", "break off the game, or close the lobby, and end"),
    "?": _Key("?, help", "show these commands"),
}


LONGEST_NUMBER = 9  # digits of a number that a client is told


def is_short_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER


class Console:
    """Carries out the host's commands at a table. ``stop`` ends the server. If ``asks``, the
    commands S, K and Q ask first."""

    def __init__(self, table: XbsTable, stop: Callable[[], None], *, asks: bool = False) -> None:
        self._table = table
        self._stop = stop
        self._asks = asks
        self._asked: Callable[[], str] | None = None  # called if the answer is yes
        self.question = ""  # the question that the next line answers

    def do(self, line: str) -> str:
        """Carry out the command in a line, and return the text for the host."""
        if self._asked:
            asked, self._asked, self.question = self._asked, None, ""
            return asked() if line.strip().lower() in ("y", "yes") else "it is not done"
        key, _, text = line.strip().partition(" ")
        text = text.strip()
        commands: dict[str, Callable[[str], str]] = {
            "S": self._start,
            "K": self._skip,
            "M": self._say,
            "B": self._boot,
            "LET": self._let_in,
            "P": self._bar_name,
            "A": self._bar_address,
            "C": self._bar_no_more,
            "R": self._show,
            "Q": self._quit,
            "?": self._help,
            "HELP": self._help,
        }
        if not key:
            return ""
        command = commands.get(key.upper())
        if command is None:
            return f"there is no command {key!r}; ? shows all of them"
        return command(text)

    def _start(self, text: str) -> str:
        table, least = self._table, self._table.options.least
        if table.match:
            return "the game has begun already"
        if len(table.places) < least:
            return f"{least} players are needed, and {len(table.places)} have joined"
        return self._sure("start the game", self._begin)

    def _begin(self) -> str:
        table = self._table
        if not table.match and len(table.places) < table.options.least:
            return "somebody has left"
        table.start()
        return "" if table.match else "the game begins when bots of this machine may start again"

    def _sure(self, what: str, do: Callable[[], str]) -> str:
        """Call ``do`` and return its text. If the console ``asks``, return the question instead,
        and let the next line decide."""
        if not self._asks:
            return do()
        self._asked, self.question = do, f"{what}? (y/N)"
        return self.question

    def _skip(self, text: str) -> str:
        match = self._table.match
        if not match:
            return "the game has not begun"
        if not match.awaited:
            return "nobody is to move"
        if not text or "|" in text:
            return "give a reason: K REASON; it is told to all, and holds no |"
        turn = (match.awaited, len(match.game.shots))
        name = self._table.places[match.awaited[0]].name

        def skip() -> str:
            if turn != (match.awaited, len(match.game.shots)):
                return f"{name} is no longer to move; nobody is skipped"
            self._table.skip(text)
            return ""

        return self._sure(f"skip the turn of {name}", skip)

    def _say(self, text: str) -> str:
        name, colon, words = text.partition(":")
        to = self._place(name) if colon else None
        if to is None:
            words = text
        if not words.strip() or "|" in words:
            return "M TEXT, or M NAME: TEXT; the text holds no |"
        self._table.say(words.strip(), to)
        return f"you said to {to.name if to else 'all'}: {words.strip()}"

    def _boot(self, text: str) -> str:
        place = self._place(text)
        if place is None:
            return f"nobody is called {text!r}"
        self._table.boot(place)
        return ""

    def _let_in(self, text: str) -> str:
        wanted, has_in, number = text.rpartition(" in")
        number = number.strip()
        if not wanted or not has_in or not is_short_number(number or "1"):
            return "let NAME in: the player comes back without its board"
        table, place = self._table, self._place(wanted)
        if place is None:
            return f"nobody is called {wanted!r}"
        name = place.name
        if table.match is None or table.match.is_over or place.client or place.bot:
            return f"{name} is not gone"
        waiting = table.waiting(place)
        asks = place.absence.asks
        if not number and asks > 1 and waiting:
            return (
                f"{asks} clients have asked to be {name}, and each is told its number; "
                f"`let {name} in NUMBER` gives one the place"
            )
        if number and int(number) not in waiting:
            return f"no client that asks to be {name} has the number {number}"
        if waiting:
            table.let_in(place, waiting[int(number or 1)])
            return ""
        table.let_in(place, None)
        return f"the next client that says at {place.address} that it is {name} takes the place"

    def _bar_name(self, text: str) -> str:
        if not text:
            return "P NAME: nobody of this name joins any more"
        place = self._place(text)
        name = place.name if place else text
        self._table.bar_name(name)
        return f"nobody joins as {name} any more; C lists who is barred, and ends that"

    def _bar_address(self, text: str) -> str:
        if not text:
            return "A ADDRESS: nobody joins from there any more"
        try:
            self._table.bar_address(text)
        except ValueError:
            return f"{text!r} is not an address, such as 192.0.2.1 or 2001:db8::1"
        return f"nobody joins from {text} any more; C lists what is barred, and ends that"

    def _bar_no_more(self, text: str) -> str:
        barred = [*sorted(self._table.barred_names), *sorted(self._table.barred_networks)]
        self._table.barred_names.clear()
        self._table.barred_networks.clear()
        return f"barred until now: {', '.join(barred)}" if barred else "nothing is barred"

    def _show(self, text: str) -> str:
        return "\n".join(self.table())

    def table(self) -> list[str]:
        """The lines that show the table: its options, and a line for each player. During a game a
        player's line has points, turns and skips, and how much of the fleet is hit."""
        table, match = self._table, self._table.match
        options, rules = table.options, table.options.rules
        ships = " ".join(map("{}{}".format, options.letters, rules.lengths))
        size = f"{rules.columns}×{rules.rows}, {ships}, {rules.points_goal} points"
        state = "In Progress" if match else "Not Started"
        lines = [
            f"{options.title}: {size}, {options.least} to {options.most} players",
            f"Players Joined : {len(table.places)} ({state})",
        ]
        names = []
        for seat, place in enumerate(table.places):
            up = ">" if match and seat in match.awaited else " "
            is_here = place.client or place.bot
            status = "" if is_here else f" ({place.status}{self._asking(place)})"
            names.append(clean(f"{up} {seat + 1}: {place.name}{status}"))
        width = max(map(cells, names), default=0)
        if match and names:
            lines.append(" " * width + "".join(f"{one:>8}" for one in COUNTED) + "  from")
        for seat, (name, place) in enumerate(zip(names, table.places, strict=True)):
            counts = _counts(match.game, seat, place, sum(rules.lengths)) if match else []
            numbers = "".join(f"{count:>8}" for count in counts)
            lines.append(f"{left(name, width)}{numbers}  {place.address}")
        return lines

    def _asking(self, place: TablePlace) -> str:
        """A clause on how many clients ask for the place of a player who is gone; empty without
        any."""
        count = len(self._table.waiting(place))
        return f"; {count} {'asks' if count == 1 else 'ask'} to be {place.name}" if count else ""

    def _quit(self, text: str) -> str:
        def stop() -> str:
            self._stop()
            return ""

        return self._sure("quit the game" if self._table.match else "close the lobby", stop)

    def _help(self, text: str) -> str:
        wide = max(len(key.usage) for key in KEYS.values())
        return "\n".join(f"{key.usage:{wide}}  {key.what}" for key in KEYS.values())

    def _place(self, text: str) -> TablePlace | None:
        """The place of the player with this name or number, or of the only player whose name begins
        with the text; None if there is no such player."""
        places, text = self._table.places, text.strip()
        for place in places:
            if place.name == text:
                return place
        if text.isdecimal() and text.isascii() and 0 < int(text[:9]) <= len(places):
            return places[int(text) - 1]
        alike = [place for place in places if text and place.name.lower().startswith(text.lower())]
        return alike[0] if len(alike) == 1 else None


COUNTED = ("points", "turns", "skips", "hit")


def _counts(game: Game, seat: int, place: TablePlace, squares: int) -> list[str]:
    """A player's points, turns and skips, and how much of its fleet is hit."""
    fired = [shot for shot in game.shots if shot.seat == seat]
    hits = sum(shot.is_hit for shot in game.shots if shot.target == seat)
    counts = (sum(shot.is_hit for shot in fired), len(fired) + place.skips, place.skips)
    return [*map(str, counts), f"{100 * hits // squares}%"]
