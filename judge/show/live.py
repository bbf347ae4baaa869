"""The state that spectators see while games are played: lobby, games, chat and standings.

Does no I/O. `Live` holds the state, and gives each change as a document to send to the spectators'
pages. `GameWatch` tells a `Live` of the games of a match, also from another thread. A game's
followers are the spectators who watch it. The shown game is for spectators who have chosen none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from judge.contest.formats.format import BracketRound
from judge.contest.people import Person
from judge.contest.results import marks_of
from judge.documents.game import GameRecord, Outcome
from judge.documents.ledger import Counts
from judge.documents.rules import Fleet
from judge.game.events import Event, Shot
from judge.game.game import Game
from judge.show.live_game import Document, LiveGame, LiveMatch, short_name
from judge.show.match import in_words
from judge.show.pages.format_page import FormatPage
from judge.show.text import clean, many

MOST_LISTED = 50  # games under way in the list
MOST_OVER = 20  # games that are over and can still be seen
MOST_SAID = 50  # lines of the chat
LONGEST_SAID = 500  # characters of a line of the chat
MOST_NAMES = 1000  # names in the standings of a server, and bots with an own name or an author
MOST_RANKED = 30  # rows of standings that are shown

EVERYONE = None
SHOWN = 0
"""The receivers of a change, if not one game's followers: everyone, or those who watch the shown
game. The numbers of games begin at 1."""

Changed = Callable[[int | None, Document], None]
"""Called with the receivers (a game's number for its followers, `EVERYONE` or `SHOWN`) and the
change."""

Post = Callable[[Callable[[], None]], None]
"""Takes a function, and has it called in the thread of the `Live`."""

Table = tuple[Sequence[str], Sequence[Sequence[str]], Sequence[str]]
"""The headings and the rows of a table, and a text below the name of each row. The second column has
the names."""


def at_once(call: Callable[[], None]) -> None:
    """The `Post` for a caller in the thread of the `Live`."""
    call()


class Live:
    """The state that spectators see. ``changed`` is called with each change. ``clock`` gives
    seconds."""

    def __init__(self, title: str, changed: Changed, clock: Callable[[], float]) -> None:
        self.title = title
        self._changed = changed
        self._clock = clock
        self._lobby: Document = {"waiting": [], "next": "", "about": ""}
        self._door: Document | None = None
        self._games: dict[int, LiveGame] = {}
        self._begun = 0
        self._shown: LiveGame | None = None
        self._said: deque[tuple[str | None, str]] = deque(maxlen=MOST_SAID)
        self._counts: dict[str, Counts] = {}
        self._about: dict[str, str] = {}  # own names and authors by the bots' names
        self._standings: Document = {}
        self._contest: Document | None = None
        self._hidden: frozenset[str] = frozenset()
        self._rank()

    # Events

    def opens(self, door: Document) -> None:
        """Show how to join a server. ``door`` has the commands, and the host and machine to put
        into them."""
        self._door = door
        self._changed(EVERYONE, {"door": door})

    def waits(self, names: Sequence[str], comes: str = "", about: str = "") -> None:
        """Show the names of players who wait for a game, a line on what ``comes`` next, and a line
        ``about`` the game's rules."""
        waiting = [short_name(name) for name in names[:MOST_LISTED]]
        self._lobby = {"waiting": waiting, "next": comes, "about": about}
        self._changed(EVERYONE, {"lobby": self._lobby})

    def say(self, name: str | None, text: str) -> None:
        """Add a line to the chat. ``name`` is None for a line of the host."""
        said = (None if name is None else short_name(name), clean(text)[:LONGEST_SAID])
        self._said.append(said)
        self._changed(EVERYONE, {"chat": [said]})

    def hide(self, names: frozenset[str]) -> None:
        """Hide the games and results of players with these names. ``names`` has all the names that
        are hidden from now on."""
        if names == self._hidden:
            return
        self._hidden = names
        for game in [*self._games.values()]:
            if not names.isdisjoint(game.names):
                self.drop(game)
        for name in names & self._counts.keys():
            del self._counts[name]
        self._tell_standings()

    def begin(self, game: LiveGame) -> None:
        """Add a new game, unless one of its players is hidden. Spectators get no events of such a
        game."""
        if not self._hidden.isdisjoint(game.names):
            return
        game.number = self._begun = game.number or self._begun + 1
        game.asked_at = self._clock()
        game.about = [self._about.get(name, "") for name in game.names]
        self._games[game.number] = game
        self._changed(game.number, {"game": self._seen(game)})
        self._show_another()
        self._list()

    def fire(self, game: LiveGame, shots: Sequence[Shot], up: Sequence[int]) -> None:
        game.asked_at = self._clock()
        self._tell(game, game.fire(shots, up))

    def happen(self, game: LiveGame, event: Event, up: Sequence[int]) -> None:
        if game.up != tuple(up):
            game.asked_at = self._clock()
        self._tell(game, game.happen(event, up))

    def end(self, game: LiveGame, outcome: Outcome, fleets: Sequence[Fleet | None]) -> None:
        """Show that a game is over, and count it. Spectators can still see the last `MOST_OVER`
        games that are over, and the shown game."""
        if self._games.get(game.number) is not game:
            return
        if game.match:
            game.match.count(outcome)
        self._tell(game, game.end(outcome, fleets))
        for other in self._playing():
            if game.match and other.match is game.match:
                self._tell(other, other.note_match())
        self._count(game, outcome)
        over = [game for game in self._games.values() if game.outcome]
        for live_game in over[: max(0, len(over) - MOST_OVER)]:
            if live_game is not self._shown:
                del self._games[live_game.number]
        self._show_another()
        self._list()

    def keep(self, game: LiveGame, record: GameRecord) -> None:
        """Take the record of a game that is over, so that its page can be opened. The bots' own
        names and authors in the record stand on the boards of the bots' next games, too."""
        self._tell(game, game.keep(record))
        for name, about in zip(game.names, game.about, strict=True):
            if about and (name in self._about or len(self._about) < MOST_NAMES):
                self._about[name] = about
        self._tell_standings()
        self._list()

    def drop(self, game: LiveGame) -> None:
        """Remove a game that was broken off, or that has a hidden player."""
        if self._games.pop(game.number, None) is game is self._shown:
            self._shown = None
            self._changed(SHOWN, {"game": None})
        self._show_another()
        self._list()

    def hold(self, table: Table, page: FormatPage | None, progress: str) -> None:
        """Show the state of a contest: the ``table`` of its standings, the ``page`` of its format
        if it has one, and its ``progress`` in words."""
        self._contest = {
            "progress": progress,
            "title": page.title if page else "",
            "stands": page.stands if page else "",
            "bracket": [_round(each, page.people) for each in page.bracket] if page else [],
            "notes": page.notes if page else [],
        }
        headings, rows, about = table
        self._standings = {
            "headings": headings,
            "rows": [[clean(cell) for cell in row] for row in rows[:MOST_RANKED]],
            "about": about[:MOST_RANKED],
            "more": max(0, len(rows) - MOST_RANKED),
        }
        self._changed(EVERYONE, {"contest": self._contest, "standings": self._standings})

    # State

    @property
    def shown(self) -> int:
        """The number of the game that is shown by default; 0 without such a game."""
        return self._shown.number if self._shown else 0

    def record(self, number: int) -> GameRecord | None:
        """The record of a game, if the game can still be seen and has a record; else None."""
        game = self._games.get(number)
        return game.record if game else None

    def document(self, number: int = SHOWN) -> Document:
        """The whole state for a follower of the game ``number``, by default of the shown game."""
        game = self._shown if number == SHOWN else self._games.get(number)
        return {
            "title": self.title,
            "lobby": self._lobby,
            "door": self._door,
            "games": self._list_of_games(),
            "chat": list(self._said),
            "standings": self._standings,
            "contest": self._contest,
            "game": self._seen(game) if game else None,
        }

    # Helpers

    def _seen(self, game: LiveGame) -> Document:
        return {**game.document(), "waited": round(self._clock() - game.asked_at, 1)}

    def _tell(self, game: LiveGame, what: Document) -> None:
        if self._games.get(game.number) is game:
            self._changed(game.number, {"move": what})

    def _show_another(self) -> None:
        """If no game under way is shown, show the game under way that began first."""
        if self._shown and self._shown.outcome is None:
            return
        if found := next(self._playing(), None):
            self._shown = found
            self._changed(SHOWN, {"game": self._seen(found)})

    def _playing(self) -> Iterator[LiveGame]:
        return (game for game in self._games.values() if game.outcome is None)

    def _list(self) -> None:
        self._changed(EVERYONE, {"games": self._list_of_games()})

    def _list_of_games(self) -> Document:
        playing = [*self._playing()]
        over = [game for game in reversed(self._games.values()) if game.outcome]
        return {
            "playing": [
                (game.number, self._called(game, game.title)) for game in playing[:MOST_LISTED]
            ],
            "more": max(0, len(playing) - MOST_LISTED),
            "over": [
                (game.number, self._called(game, game.listed_ending), game.record is not None)
                for game in islice(over, MOST_OVER)
            ],
        }

    def _called(self, game: LiveGame, said: str) -> str:
        """The text ``said`` on a game, with `LiveGame.headline` before it, such as ``Game 2, #17``.
        In a contest only the game's number in the ledger stands there, once it is known."""
        number = game.called_in_ledger if self._contest else game.headline
        return f"{number}: {said}" if number else said

    def _count(self, game: LiveGame, outcome: Outcome) -> None:
        """Count a rated game in the standings. A contest has standings of its own, and its games do
        not count here."""
        if self._contest or not outcome.termination.is_rated:
            return
        marks = marks_of(outcome, game.gone)
        for seat, name in enumerate(game.names):
            if name in self._counts or len(self._counts) < MOST_NAMES:
                self._counts.setdefault(name, Counts()).end(outcome.winner, seat, marks)
        self._tell_standings()

    def _tell_standings(self) -> None:
        """Rank the bots and show the standings. In a contest, `hold` shows them."""
        if not self._contest:
            self._rank()
            self._changed(EVERYONE, {"standings": self._standings})

    def _rank(self) -> None:
        best = sorted(self._counts.items(), key=lambda one: (-one[1].points, one[1].games, one[0]))
        ranked: list[list[str]] = []
        rank, points = 0, -1
        for place, (name, counts) in enumerate(best[:MOST_RANKED], 1):
            if counts.points != points:
                rank, points = place, counts.points
            ranked.append(
                [str(rank), short_name(name), *map(str, (counts.games, counts.won, counts.tied))]
            )
        headings = ["#", "Name", "Games", "Won", "Tied"]
        more = max(0, len(best) - MOST_RANKED)
        about = [self._about.get(name, "") for name, _ in best[:MOST_RANKED]]
        self._standings = {"headings": headings, "rows": ranked, "about": about, "more": more}


class GameWatch:
    """Watches a game, or the games of a match one after another, for a `Live`. `keep` has to be
    called with each game's record, in the order of the games. ``number`` is the number of a single
    game, if the game has a number already. ``match`` is the score of the games' match. ``limits``
    has the seconds of a turn for each seat. ``shows_fleets`` is false if the fleets stay hidden
    after a game, since other games with them are still under way."""

    def __init__(
        self,
        live: Live,
        names: Sequence[str],
        post: Post = at_once,
        *,
        number: int = 0,
        match: LiveMatch | None = None,
        limits: Sequence[float | None] = (),
        shows_fleets: bool = True,
    ) -> None:
        self._live = live
        self._names = tuple(names)
        self._number = number
        self._post = post
        self._match = match
        self._limits = tuple(limits)
        self._shows_fleets = shows_fleets
        self._game: Game | None = None
        self._seen: LiveGame | None = None
        self._told = 0  # shots of the game that are shown
        self._over: deque[LiveGame] = deque()

    def __call__(self, game: Game, event: Event) -> None:
        live = self._live
        if self._seen is None or game is not self._game:
            self._game, self._told = game, 0
            self._seen = LiveGame(self._names, game.rules, self._number, self._limits, self._match)
            self._post(partial(live.begin, self._seen))
        seen, up = self._seen, game.to_move
        if shots := tuple(game.announced_shots[self._told :]):
            self._told += len(shots)
            self._post(partial(live.fire, seen, shots, up))
        if isinstance(event, Outcome):
            fleets = [
                game.fleet(seat) if self._shows_fleets else None for seat in range(game.players)
            ]
            self._over.append(seen)
            self._post(partial(live.end, seen, event, fleets))
        elif not isinstance(event, Shot):
            self._post(partial(live.happen, seen, event, up))

    def leave(self) -> None:
        """End the watch. A game that is not over was broken off, and is removed."""
        if self._seen and self._game and self._game.outcome is None:
            self._post(partial(self._live.drop, self._seen))

    def keep(self, record: GameRecord) -> None:
        """Take the record of the earliest game that is over and has no record yet."""
        if self._over:
            self._post(partial(self._live.keep, self._over.popleft(), record))


class Watches:
    """The watches of the games under way, by the games' ids. ``shows_fleets`` is as for
    `GameWatch`."""

    def __init__(self, live: Live, post: Post, *, shows_fleets: bool = True) -> None:
        self._live = live
        self._post = post
        self._shows_fleets = shows_fleets
        self._watches: dict[str, GameWatch] = {}

    def begin(
        self, games: Sequence[str], names: Sequence[str], match: LiveMatch | None = None
    ) -> GameWatch:
        """Return the watch of a game, or of the games of a match. A game that is tried again is
        shown anew."""
        self.leave(*games)
        watch = GameWatch(
            self._live, names, self._post, match=match, shows_fleets=self._shows_fleets
        )
        self._watches.update(dict.fromkeys(games, watch))
        return watch

    def keep(self, game: str, record: GameRecord) -> None:
        """Show the record of a game, and stop watching the game."""
        if watch := self._watches.pop(game, None):
            watch.keep(record)

    def leave(self, *games: str) -> None:
        """Stop watching games. A game that is not over disappears from the page."""
        for game in games:
            if watch := self._watches.pop(game, None):
                watch.leave()

    def leave_all(self) -> None:
        self.leave(*self._watches)


def how_far(played: int, most: int | None, seconds_left: float | None) -> str:
    """A line on how many games of a contest are played and how much time is left, if known."""
    said = many(played, "game") if most is None else f"{played:,} of {many(most, 'game')}"
    if seconds_left is None or played == most:
        return f"{said}."
    hours, minutes = divmod(max(1, round(seconds_left / 60)), 60)
    return f"{said}. About {f'{hours} h ' if hours else ''}{minutes} min left."


def _round(each: BracketRound, people: Mapping[str, Person]) -> Document:
    """A round of a bracket as a document, with its matches from top to bottom."""
    return {
        "name": each.name,
        "matches": [
            [
                side
                and [
                    side.seed,
                    side.name and short_name(side.name),
                    side.score,
                    side.is_winner,
                    in_words(people.get(side.name or "", Person())),
                ]
                for side in match
            ]
            for match in each.matches
        ],
    }
