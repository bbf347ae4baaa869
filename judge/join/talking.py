"""The commands that players and watchers at a table share: chat, taunts, turn, help and quit.

Pure: it opens nothing and knows no clock. The driver of a `Talking` hands it lines and messages,
and then takes the ``printed`` texts and the messages in ``sent``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from judge.documents.rules import Fleet
from judge.errors import UsageError
from judge.join.address import Game
from judge.join.boards import turn_line
from judge.join.help import help_of_watching
from judge.join.table_state import ClientStage, TableState
from judge.show.text import clean
from judge.wire.messages import FromClient, Said, TauntAdded, ToClient

_TAUNT = re.compile(r"(hit|miss)(?:\s+(.*))?")
_LINE = re.compile(r"(hit|miss)\s*=\s*(.+)")


def taunts_in(text: str) -> list[TauntAdded]:
    """The taunts in the text of a file, in the published client's form: lines ``hit=TEXT`` and
    ``miss=TEXT``. Blank lines and lines that begin with ``#`` are skipped. Raises `ValueError` for
    any other line, and for a taunt with a ``|``."""
    found: list[TauntAdded] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line.startswith("#"):
            continue
        taunt = _LINE.fullmatch(line)
        if taunt is None or "|" in line:
            raise ValueError(f"line {number} is neither hit=TEXT nor miss=TEXT without a |")
        found.append(TauntAdded(taunt[1] == "hit", taunt[2]))
    return found


class Talking:
    """A person at a table who watches a bot of their own. A subclass is for a person who plays.

    ``taunts`` are the person's taunts at the table. With ``boards_stand`` the boards are not
    printed, since a screen shows them.
    """

    def __init__(
        self, game: Game, *, taunts: Sequence[TauntAdded] = (), boards_stand: bool = False
    ) -> None:
        self.game = game
        self.state = TableState(game)
        self.taunts = [*taunts]
        self.printed: list[str] = []
        self.sent: list[FromClient] = []
        self.has_ended = False
        self.boards_stand = boards_stand

    @property
    def placed(self) -> Sequence[Fleet]:
        """The fleets to show before the game: the person's own fleet so far, or several to choose
        from. Empty for a person who watches."""
        return ()

    def hear(self, message: ToClient, now: float) -> None:
        """Take in a message of the server."""
        if self.state.stage is ClientStage.OVER:
            self.state = TableState(self.game)  # the bot begins another game
        self.print(*self.state.take(message, now))

    def typed(self, line: str, now: float) -> None:
        """Do the command in a line, or print why it cannot be done."""
        line = line.strip()
        word, _, rest = line.partition(" ")
        try:
            if not self._talk(word.lower(), rest.strip(), now):
                self.do(line, word.lower(), rest.strip(), now)
        except (ValueError, UsageError) as error:
            self.print(f"? {clean(str(error))}")

    def leave(self) -> None:
        """Note that the person quits."""
        self.has_ended = True

    def do(self, line: str, word: str, rest: str, now: float) -> None:
        """Do a command that only a player has. A watcher has none, so this raises `ValueError`."""
        if line:
            raise ValueError(f"{line!r} is not a command for a watcher; help lists the commands")

    def help(self) -> str:
        return help_of_watching(self.game)

    def print(self, *texts: str) -> None:
        self.printed.extend(texts)

    def require_place(self) -> None:
        if self.state.stage not in (ClientStage.PLAYING, ClientStage.WAITING):
            raise ValueError("you have no place at the table")

    def seat(self, text: str) -> int:
        """The seat of the other player with this name, else with this number, else with a name that
        begins so. Raises `ValueError` unless exactly one player fits."""
        others = {seat: self.state.players[seat].name for seat in self.state.opponents}
        exact = [seat for seat, name in others.items() if name == text]
        begun = [seat for seat, name in others.items() if name.lower().startswith(text.lower())]
        numbered = [seat for seat in others if text == str(seat + 1)]
        found = exact or numbered or (begun if text else [])
        if len(found) != 1:
            which = "more than one player" if found else "no other player"
            raise ValueError(f"{which} is called {text!r}")
        return found[0]

    def _talk(self, word: str, rest: str, now: float) -> bool:
        """Do a command that every person has. Returns False for any other command."""
        match word:
            case "quit" | "exit":
                self.leave()
            case "help" | "?":
                self.print(self.help())
            case "turn":
                self.print(turn_line(self.state, now))
            case "say" if self.game.announces:
                self._say(rest, None)
            case "tell" if self.game.announces:
                name, _, text = rest.partition(" ")
                self._say(text.strip(), self.seat(name))
            case "taunt" if self.game.announces:
                self._taunt(rest)
            case _:
                return False
        return True

    def _say(self, text: str, seat: int | None) -> None:
        self.require_place()
        if not text:
            raise ValueError("there is nothing to say")
        if "|" in text:
            raise ValueError("a | cannot be said")
        self.sent.append(Said(text, seat))
        whom = "" if seat is None else f" to {self.state.name_of(seat)}"
        self.print(f"you said{whom}: {clean(text)}")

    def _taunt(self, rest: str) -> None:
        """Add a taunt or forget all taunts of a kind, as ``rest`` says, and then list the
        taunts."""
        if rest:
            if not (found := _TAUNT.fullmatch(rest)) or "|" in rest:
                raise ValueError("type taunt hit TEXT or taunt miss TEXT, without a |")
            self.require_place()
            taunt = TauntAdded(found[1] == "hit", found[2] or None)
            kept = [one for one in self.taunts if taunt.text or one.on_hit != taunt.on_hit]
            self.taunts = [*kept, taunt] if taunt.text else kept
            self.sent.append(taunt)
        told = [
            f"{'hit' if taunt.on_hit else 'miss'}: {clean(taunt.text or '')}"
            for taunt in self.taunts
        ]
        self.print(*([f"your taunt on a {one}" for one in told] or ["you have no taunts"]))
