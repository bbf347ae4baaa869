"""Bringing a tally up to date: the journal is read from where ``X.json`` ends, or from its start.

It reads and never writes, and leaves the order of locks to its caller.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from judge import schemas
from judge.contest.games import GameId
from judge.contest.journal.game_lines import GAME, REMOVE, GameLines, Numbered, numbered, twice
from judge.contest.journal.journal import Journal, Line, parse
from judge.contest.journal.orders import Collector, Order, Orders
from judge.contest.ledger.tally import Tally, is_newer
from judge.errors import LedgerError
from judge.quoting import word

if TYPE_CHECKING:
    from pathlib import Path


SHORTEST_GAME = 100  # bytes of a line; no game is half as short


class Fold:
    """A tally, and how far into the journal it has got; ``unsaved`` if ``X.json`` has not.

    What follows the last entry that ``X.json`` knows is held to the schema, entry by entry. A
    whole journal, where there is no ``X.json`` of today, and what is added later by others, who
    have checked it, are held only to what is counted: that is some fifty times as fast.
    """

    def __init__(self, path: Path, journal: Journal, saved: Tally | None) -> None:
        self._journal = journal
        self._whole = True  # false while an entry is being taken in, which a signal may break off
        self.tally, self.end, self.unsaved = Tally(), 0, False
        if saved is not None and saved != Tally():
            if not journal.path.exists():
                raise LedgerError(
                    f"{path} is there, but its journal {journal.path} is not: bring that back, "
                    f"or remove {path} to start afresh"
                )
            end = end_of(saved, path, journal)
            if saved.recorded * SHORTEST_GAME > end:
                raise LedgerError(
                    f"{path} counts {saved.recorded:,} games, and {journal.path} is too short for "
                    f"so many; {mend(path)}"
                )
            self.tally, self.end = saved, end
        self.catch_up(strictly=saved is not None)

    def catch_up(self, *, strictly: bool = False, most: int | None = None) -> None:
        """Take in every whole line that is not yet counted, or so many of them at ``most``."""
        if self._journal.size() < self.end:
            raise LedgerError(f"{self._journal.path} has become shorter since it was read")
        if not self._whole:
            self._fold_anew()
        if not self.end and not strictly:
            self.tally.orders = Orders(orders_in(self._journal))
        for line in islice(self._journal.lines(self.end), most):
            self.unsaved = True
            self._whole = False
            if not enter(self.tally, self._journal, line, strictly=strictly):
                self._fold_anew()
                return
            self.end, self._whole = line.end, True

    def _fold_anew(self) -> None:
        self.tally, self.end = folded(self._journal)
        self._whole = True


def folded(journal: Journal) -> tuple[Tally, int]:
    """Fold the whole journal; also return where it ends."""
    while True:
        tally, end = Tally(orders=Orders(orders_in(journal))), 0
        for line in journal.lines():
            if not enter(tally, journal, line):
                break  # given since the orders were looked for
            end = line.end
        else:
            return tally, end


def orders_in(journal: Journal) -> list[Order]:
    """All orders in a journal, up to a damaged line, at which the fold will stop as well. Raises
    `LedgerError` that names the line if one of a game or an order stands there twice, or has another
    number than its place among those."""
    collector, lines = Collector(), GameLines()
    with contextlib.suppress(ValueError):
        for number, line in enumerate(journal.lines(), 1):
            if (found := collect(collector, line)) is None:
                continue
            if first := lines.earlier(line.data, number):
                raise journal.damaged(line, twice(first, found.what), REMOVE)
            if not found.is_in_place:
                later = line_with(journal, found, line, number)
                raise journal.damaged(line, found.complaint(later), renumbering(journal))
    return collector.orders


def line_with(journal: Journal, wanted: Numbered, line: Line, number: int) -> int | None:
    """Which line after this one, of that number, has the entry that belongs in the place of the
    ``wanted`` one; None if none has. Damaged lines are passed over."""
    for later, other in enumerate(journal.lines(line.end), number + 1):
        with contextlib.suppress(ValueError):
            found = numbered(parse(other.data), 0, 0, 0)
            if found and (found.what, found.written) == (wanted.what, wanted.place):
                return later
    return None


def collect(collector: Collector, line: Line) -> Numbered | None:
    """Show an entry to a collector, and return it if it is of a kind that has numbers. Raises
    ValueError with the reason if there is none."""
    if (game := _begun(line.data)) is not None:
        collector.game()
        return Numbered(GAME, game[1], collector.recorded)
    entry = parse(line.data)
    found = numbered(entry, collector.recorded, len(collector.orders), collector.taken_back)
    if "kind" in entry:
        collector.entry(entry)
    else:
        collector.game()
    return found


def enter(tally: Tally, journal: Journal, line: Line, *, strictly: bool = False) -> bool:
    """`Tally.enter` for a line; raises `LedgerError` that names it if it cannot be counted."""
    entry = journal.parse(line)
    version = entry.get("version")
    if strictly and isinstance(version, int) and not is_newer(entry):
        schema = "journal-entry" if "kind" in entry else "game-record"
        if why := schemas.problem(schema, entry):
            raise journal.damaged(line, why)
        orders = tally.orders
        found = numbered(entry, tally.recorded, orders.passed, orders.taken_back)
        if found is not None and not found.is_in_place:
            orders_in(journal)  # which names the first such line, and one that stands there twice
            raise journal.damaged(line, found.complaint(), renumbering(journal))
    try:
        return tally.enter(entry)
    except ValueError as error:
        raise journal.damaged(line, str(error)) from None


def renumbering(journal: Journal) -> str:
    """What mends a journal from which lines of games are gone, for the end of a sentence."""
    name = journal.path.name.removesuffix(".games.jsonl") + ".json"
    ledger = word(str(journal.path.with_name(name)))
    return (
        f"bring back a copy of the file, or `judge ledger rebuild --renumber {ledger}` goes on "
        "with what is left"
    )


def end_of(saved: Tally, path: Path, journal: Journal, *, damaged: bool = False) -> int:
    """Where the last entry that ``X.json`` knows ends. Its last game is looked for from the end,
    and past ``damaged`` lines if that is wanted."""
    end = 0 if saved.last is None else _end_of_game(saved, path, journal, damaged)
    for _ in range(saved.notes):
        line = next(journal.lines(end), None)
        if line is None or (not damaged and game_in(journal, line) is not None):
            if not damaged:
                orders_in(journal)  # which names the order before which one is gone
            raise LedgerError(
                f"{path} does not fit {journal.path}, which has fewer entries after "
                f"{f'game {saved.last}' if saved.last is not None else 'its beginning'}: lines of "
                f"orders may be gone from it{_cut(journal)}; {mend_lost(path)}"
            )
        end = line.end
    return end


def _end_of_game(saved: Tally, path: Path, journal: Journal, damaged: bool) -> int:
    """The end of the last game's line. If somebody has removed lines, numbers are off, and it is the
    last line of that id."""
    last: int | None = None
    for line in journal.backwards():
        try:
            game = game_in(journal, line)
        except LedgerError:
            if damaged:
                continue
            raise
        if game is None:
            continue
        id_, number = game
        if id_ == saved.last:
            if number in (None, saved.recorded):
                return line.end
            last = last or line.end
        if number is not None and number <= saved.recorded:
            break
    if last is not None:
        return last
    if not damaged:
        # Which names a line that stands there twice, or one before which another is gone.
        orders_in(journal)
    raise LedgerError(
        f"{path} does not fit {journal.path}, which has no game {saved.last}{_cut(journal)}; "
        f"{mend_lost(path)}"
    )


def _cut(journal: Journal) -> str:
    """Where a journal from which lines are gone ends within one: a clause that says so."""
    return ", and it ends in the middle of a line" if journal.is_torn() else ""


def mend_lost(path: Path) -> str:
    """The same where lines may be gone from the journal."""
    return f"bring back a copy of the journal, or {mend(path)}"


def mend(path: Path) -> str:
    """What mends an ``X.json`` that is wrong, for the end of a sentence."""
    return f"`judge ledger rebuild {word(str(path))}` computes it anew from its journal"


# How a game's line begins as `Journal.append` writes it, and where in it the bots are, where
# there are two.
_TEXT = rb'"([ !#-\[\]-~]*+(?:\\[ -~][ !#-\[\]-~]*+)*+)"'  # ASCII, a quote only behind a backslash
# Any text to its end, or to that of the line, so that no quote within it is tried as a begin.
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+', re.DOTALL)
_GAME = re.compile(rb'\{"version":1,"id":%b,(?:"number":(?:null|([1-9][0-9]{0,15})),)?' % _TEXT)
_FIRST = re.compile(rb'"seats":\[\{"name":%b,"digest":(?:null|%b),' % (_TEXT, _TEXT))
_SECOND = re.compile(rb'\},\{"name":%b,"digest":(?:null|%b),' % (_TEXT, _TEXT))


def identified(journal: Journal, line: Line) -> tuple[str | None, dict[str, str | None]]:
    """`identify` for a line; raises `LedgerError` that names it if it is no entry."""
    try:
        return identify(line.data)
    except ValueError as error:
        raise journal.damaged(line, str(error)) from None


class CountingGame(NamedTuple):
    """A game that counts: its number in the journal, its id, the digests of its bots by name, and
    its line."""

    number: int
    id: str
    digests: dict[str, str | None]
    line: Line

    @property
    def of_contest(self) -> GameId | None:
        """Its id taken apart; None for a game of no contest."""
        return GameId.read(self.id)


def counting_games(journal: Journal, tally: Tally) -> Iterator[CountingGame]:
    """The games that no order takes out of the count of this tally, which is that of the journal.
    Raises `LedgerError` that names a line that is no entry."""
    number = 0
    for line in journal.lines():
        id_, digests = identified(journal, line)
        if id_ is None:
            continue
        number += 1
        if tally.counts(number, digests):
            yield CountingGame(number, id_, digests, line)


def game_in(journal: Journal, line: Line) -> tuple[str, int | None] | None:
    """The id and the number of the game on a line; None for another entry. Raises `LedgerError`
    that names the line if it is no entry."""
    if (game := _begun(line.data)) is not None:
        return game
    entry = journal.parse(line)
    if "kind" in entry:
        return None
    number = entry.get("number")
    return str(entry.get("id")), number if isinstance(number, int) else None


def _begun(data: bytes) -> tuple[str, int | None] | None:
    """The id and the number of a game, where its line begins as the judge writes it."""
    if game := _GAME.match(data):
        with contextlib.suppress(ValueError):  # no such escape: then it is no JSON either
            return _text(game[1]), int(game[2]) if game[2] else None
    return None


def identify(data: bytes) -> tuple[str | None, dict[str, str | None]]:
    """A game's id, and the digest of each bot's files by its name; None and none for a note.

    Parses a line only if the judge did not write it, or not as now: reading 100,000 games takes
    a second then, not ten. (The expressions match no text within a text: there, a quote has a
    backslash before it. What they match in an object within the game's is not the game's own.)
    Raises ValueError with the reason if the line is no entry.
    """
    with contextlib.suppress(ValueError):  # no such escape: then it is no JSON either
        if (
            (game := _GAME.match(data))
            and (first := _FIRST.search(data, game.end()))
            and (second := _SECOND.search(data, first.end()))
            and _is_flat(data[game.end() : first.start()])
            and _is_flat(data[first.end() : second.start()])
            and not _SECOND.search(data, second.end(), data.find(b'"shots":', second.end()))
            and data.endswith(b"}")
        ):
            bots = (first.groups(), second.groups())
            return _text(game[1]), {
                _text(name): None if digest is None else _text(digest) for name, digest in bots
            }
    entry = parse(data)
    if "kind" in entry:
        return None, {}
    try:
        return str(entry["id"]), {seat["name"]: seat["digest"] for seat in entry["seats"]}
    except (LookupError, TypeError):
        raise ValueError("it is no entry of a journal") from None


def _is_flat(data: bytes) -> bool:
    """Whether every object and list that begins in a piece of JSON ends in it."""
    marks = _TEXTS.sub(b"", data)
    return marks.count(b"{") == marks.count(b"}") and marks.count(b"[") == marks.count(b"]")


def _text(raw: bytes) -> str:
    text: str = json.loads(b'"%b"' % raw) if b"\\" in raw else raw.decode("ascii")
    return text
