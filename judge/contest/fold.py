"""How a tally follows a journal: from where ``X.json`` ends, or from the first line.

It reads and never writes, and leaves the order of locks to its caller.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from judge import schemas
from judge.contest.journal import Journal, Line, parse
from judge.contest.tally import Tally, is_newer
from judge.errors import LedgerError
from judge.game.record import SCHEMAS as GAME_SCHEMAS
from judge.quoting import word

if TYPE_CHECKING:
    from pathlib import Path


SHORTEST_GAME = 100  # bytes of a line; no game is half as short


class Fold:
    """A tally, and how far into the journal it has got; ``unsaved`` if ``X.json`` has not.

    What follows the last game that ``X.json`` knows is held to the schema, entry by entry. A
    whole journal, where there is no ``X.json``, and what is added later by others, who have
    checked it, are held only to what is counted: that is some fifty times as fast.
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
            if saved.last is not None:
                self.tally, self.end = saved, end_of(saved.last, path, journal)
            if saved.recorded * SHORTEST_GAME > self.end:
                raise LedgerError(
                    f"{path} counts {saved.recorded:,} games, and {journal.path} is too short for "
                    f"so many; {mend(path)}"
                )
        self.catch_up(strictly=saved is not None)

    def catch_up(self, *, strictly: bool = False) -> None:
        """Take in every whole line that is not yet counted."""
        if self._journal.size() < self.end:
            raise LedgerError(f"{self._journal.path} has become shorter since it was read")
        if not self._whole:
            self._fold_anew()
        seen = {self.tally.last}
        for line in self._journal.lines(self.end):
            self.unsaved = True
            self._whole = False
            if enter(self.tally, self._journal, line, strictly=strictly) is not None:
                self._fold_anew()
                return
            self.end, self._whole = line.end, True
            if strictly:
                self._refuse_twice(line, seen)

    def _fold_anew(self) -> None:
        self.tally, self.end = folded(self._journal)
        self._whole = True

    def _refuse_twice(self, line: Line, seen: set[str | None]) -> None:
        game, _ = identified(self._journal, line)
        if game is not None and game in seen:
            raise self._journal.damaged(line, f"game {game} is there for the second time")
        seen.add(game)


def folded(journal: Journal) -> tuple[Tally, int]:
    """Fold the whole journal; also return where it ends.

    A void game is void wherever the entry that says so stands. So if there are any, the journal
    is read once to find them, and once more to count.
    """
    voided: dict[str, None] = {}
    while True:
        tally, end, late = Tally(voided=dict(voided)), 0, False
        for line in journal.lines():
            if (game := enter(tally, journal, line)) is not None:
                voided[game], late = None, True
            end = line.end
        if not late:
            return tally, end


def enter(tally: Tally, journal: Journal, line: Line, *, strictly: bool = False) -> str | None:
    """`Tally.enter` for a line; raises `LedgerError` that names it if it cannot be counted."""
    entry = journal.parse(line)
    version = entry.get("version")
    if strictly and isinstance(version, int) and not is_newer(entry):
        schema = "journal-entry" if "kind" in entry else GAME_SCHEMAS.get(version, "journal-entry")
        if why := schemas.problem(schema, entry):
            raise journal.damaged(line, why)
    try:
        return tally.enter(entry)
    except ValueError as error:
        raise journal.damaged(line, str(error)) from None


def end_of(game: str, path: Path, journal: Journal) -> int:
    """Where the line of the last game that ``X.json`` knows ends; looked for from the end."""
    for line in journal.backwards():
        if identified(journal, line)[0] == game:
            return line.end
    raise LedgerError(f"{path} does not fit {journal.path}, which has no game {game}; {mend(path)}")


def mend(path: Path) -> str:
    """What mends an ``X.json`` that is wrong, for the end of a sentence."""
    return f"`judge ledger rebuild {word(str(path))}` computes it anew from its journal"


# How a game's line begins as `Journal.append` writes it, and where in it the two bots are.
_TEXT = rb'"([ !#-\[\]-~]*+(?:\\[ -~][ !#-\[\]-~]*+)*+)"'  # ASCII, a quote only behind a backslash
# Any text to its end, or to that of the line, so that no quote within it is tried as a begin.
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+', re.DOTALL)
_GAME = re.compile(rb'\{"version":[12],"id":%b,' % _TEXT)
_FIRST = re.compile(rb'"seats":\[\{"name":%b,"digest":(?:null|%b),' % (_TEXT, _TEXT))
_SECOND = re.compile(rb'\},\{"name":%b,"digest":(?:null|%b),' % (_TEXT, _TEXT))


def identified(journal: Journal, line: Line) -> tuple[str | None, dict[str, str | None]]:
    """`identify` for a line; raises `LedgerError` that names it if it is no entry."""
    try:
        return identify(line.data)
    except ValueError as error:
        raise journal.damaged(line, str(error)) from None


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
