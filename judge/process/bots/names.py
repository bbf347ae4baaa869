"""The names of bots: taken from paths, made printable, and told apart from one another. Pure.

Points belong to a name, so in a contest no two bots may have the same name or names that look
alike. Names look alike if they differ only in case, in the Unicode form of the same text (NFKC), or
in a number at their end such as ``#2``. Names in letters of different scripts count as different;
`mixed_scripts` finds a name that mixes scripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from judge.process.bots.files import quoted
from judge.process.bots.interpreters import KINDS

LONGEST_NAME = 60

_MOST_NAMED = 5  # bots in one sentence
_MEND = (
    "points belong to a name, so rename its file or folder, or give it another name in its bot.json"
)
# Invisible characters that Python takes for letters or marks: a part of Unicode's
# Default_Ignorable_Code_Point. The other part is in the category Cf.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Scripts with letters that look alike.
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")


def name_at(path: PurePath, real: PurePath, *, is_file: bool) -> str:
    """The name of a bot that was given none: that of its file or folder, without a script's suffix.
    ``real`` is the path with links resolved, which has a name even if ``path`` is ``.``."""
    name = path.name if path.name not in ("", "..") else real.name
    is_script = is_file and PurePath(name).suffix.lower() in KINDS
    return PurePath(name).stem if is_script else name


def clean(text: str) -> str:
    """The text as a name: on one line, printable, without invisible characters, and cut to
    `LONGEST_NAME`."""
    seen = (c for c in _INVISIBLE.sub("", text) if unicodedata.category(c) != "Cf")
    line = "".join(c if c.isprintable() else " " for c in seen)
    return " ".join(line.split())[:LONGEST_NAME].rstrip()


def look(name: str) -> str:
    """A key that is equal for names that look alike."""
    whole = _folded(name)
    first, _, number = whole.rpartition("#")
    return look(first) if first and number.isdecimal() else whole


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def mixed_scripts(name: str) -> list[str]:
    """The scripts of a name's letters, if it mixes several scripts with letters that look alike;
    empty otherwise."""
    letters = filter(str.isalpha, unicodedata.normalize("NFKC", name))
    words = {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}
    found = [script.capitalize() for script in _SCRIPTS if script in words]
    return found if len(found) > 1 else []


class NamedBot(NamedTuple):
    """A bot in a folder: ``entry`` is the name of its file or folder there, ``name`` the name of
    the bot."""

    entry: str
    is_file: bool
    name: str

    @property
    def bears_its_name(self) -> bool:
        """Whether the name of the bot's folder, or of its file with or without the suffix, looks
        like the bot's name."""
        names = {self.entry, PurePath(self.entry).stem} if self.is_file else {self.entry}
        return look(self.name) in {_folded(clean(name)) for name in names}


def told_apart(entrants: Sequence[NamedBot]) -> tuple[dict[str, str], dict[str, str]]:
    """The names of the bots that can be told apart, and the reasons why the others cannot, both by
    entry. Each entrant has either a name or a reason.

    Files whose names differ only by their suffix get their whole file names. If the names of bots
    look alike, the bot whose file or folder has the name keeps it; if several have it, or none, all
    these bots are left out.
    """
    bearing = _by_look([entrant for entrant in entrants if entrant.bears_its_name])
    entrants = [
        entrant._replace(name=clean(entrant.entry))
        if entrant.is_file and entrant.bears_its_name and len(bearing[look(entrant.name)]) > 1
        else entrant
        for entrant in entrants
    ]
    names: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for alike in _by_look(entrants).values():
        keepers = alike if len(alike) == 1 else [one for one in alike if one.bears_its_name]
        if len(keepers) != 1:
            reasons.update(dict.fromkeys((one.entry for one in alike), _of_several(alike)))
            continue
        (keeper,) = keepers
        names[keeper.entry] = keeper.name
        reasons.update({one.entry: _taken(one, keeper) for one in alike if one is not keeper})
    return names, reasons


def _by_look(entrants: Sequence[NamedBot]) -> Mapping[str, list[NamedBot]]:
    groups: dict[str, list[NamedBot]] = {}
    for entrant in entrants:
        groups.setdefault(look(entrant.name), []).append(entrant)
    return groups


def _taken(entrant: NamedBot, keeper: NamedBot) -> str:
    bears = f"the {'file' if keeper.is_file else 'folder'} {quoted(keeper.entry)} bears"
    if entrant.name == keeper.name:
        return f"it is called {quoted(entrant.name)}, the name that {bears}; {_MEND}"
    return f"its name, {quoted(entrant.name)}, looks like {quoted(keeper.name)}, which {bears}; {_MEND}"


def _of_several(alike: Sequence[NamedBot]) -> str:
    named = ", ".join(f"{quoted(one.name)} of {quoted(one.entry)}" for one in alike[:_MOST_NAMED])
    more = len(alike) - _MOST_NAMED
    named += f" and {more} more" if more > 0 else ""
    return f"the names of several bots are the same or look alike: {named}; {_MEND}"
