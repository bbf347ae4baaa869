"""Readers of the typed parts of a game: rules, seats, moves, fleets, names and titles."""

from __future__ import annotations

import os
import re
import string
from pathlib import Path
from typing import TYPE_CHECKING

from judge.cli.values.files import bytes_in, file_seen_from
from judge.cli.values.value import Value
from judge.documents.codec import decode
from judge.documents.ledger import LONGEST_TITLE as LONGEST_CONTEST_TITLE
from judge.documents.rules import BadMove, Rules
from judge.game.variants import CONTEST_DRAWS, VARIANTS, variant
from judge.likeness import did_you_mean
from judge.logs import CHOICE, CHOICES
from judge.quoting import word

if TYPE_CHECKING:
    import click

    from judge.wire.messages import TauntAdded

LONGEST_NAME = 60
LONGEST_TAUNTS = 2**16  # bytes of a file
LONGEST_TITLE = 20
VARIANT_NAMES = [*VARIANTS, *(f"contest-{side}" for side in sorted(CONTEST_DRAWS))]
_BOAT = re.compile(r"([A-W])([0-9]{1,2})")
_LENGTH = re.compile("[1-9][0-9]?")
_MOVE = re.compile(r"([1-9][0-9]{0,8})?([A-Za-z])?")


def rules(text: str) -> Rules:
    """Return the rules of a variant, of ``contest-N`` with N the side of its board, or of a file.
    Raises ValueError if the text is neither a known name nor the path of a rules file, or if the
    file does not hold rules that can be played. Raises `UsageError` if the file cannot be read or
    is too long."""
    if known := variant(text):
        return known
    if text.endswith(".json") or os.sep in text:
        return _rules_file(Path(text))
    raise ValueError(
        f"{text!r} is neither the name of rules ({', '.join(VARIANTS)}, contest-3 … contest-10) nor a "
        f"file that ends in .json.{did_you_mean(text, VARIANT_NAMES)}"
    )


def _rules_file(path: Path) -> Rules:
    read = decode(Rules, bytes_in(path, "rules file", Rules.MOST_BYTES), str(path))
    # `Rules` does not refuse these: some ledgers have games by such rules.
    if read.players[1] > 2 and read.match > 1 and read.bad_move is BadMove.FORFEITS_MATCH:
        raise ValueError(
            f"{path}: rules {read.name!r}: with match above 1, bad_move 'forfeits-match' is for two "
            "players; set players to [2, 2], match to 1 or bad_move to 'forfeits'"
        )
    return read


def _rules_seen_from(folder: Path, text: str) -> str:
    return text if text in VARIANT_NAMES else str(folder / text)


def seat_of(text: str) -> int:
    """Return the seat of a letter or a digit: 0 for ``A`` or ``0``, 1 for ``B`` or ``1``, and so
    on."""
    places = string.digits if text.isdecimal() else string.ascii_uppercase
    seat = places.find(text.upper()) if len(text) == 1 else -1
    if seat < 0:
        raise ValueError(f"{text!r} is not a seat; the first bot named is A, the second B")
    return seat


def seated(text: str) -> tuple[int, str]:
    """Return the seat and the bot of ``0=BOT`` or ``1=BOT``; A and B stand for 0 and 1."""
    seat, equals, spec = text.partition("=")
    if seat.upper() not in ("0", "1", "A", "B") or not equals or not spec.strip():
        raise ValueError(f"{text!r} is neither 0=BOT nor 1=BOT")
    return seat_of(seat), spec


def move(text: str) -> tuple[int | None, int | None]:
    """Return the number and the seat of ``12``, ``A`` or ``12A``. The number is None for a placing,
    and the seat is None if it is not typed."""
    match = _MOVE.fullmatch(text)
    if match is None or not text:
        raise ValueError(
            f"{text!r} is neither a move's number, from 1, nor a seat, as A or B, nor both, as 12A"
        )
    number, letter = match.groups()
    return int(number) if number else None, ord(letter.upper()) - ord("A") if letter else None


def fleet(text: str) -> Path | None:
    """Return the path of a fleet's file, or None for the word ``random``."""
    return None if text == "random" else Path(text)


def taunts(text: str) -> list[TauntAdded]:
    """Return the taunts in a file. The file has the form that the published client reads."""
    from judge.join.talking import taunts_in

    data = bytes_in(path := Path(text), "list of taunts", LONGEST_TAUNTS)
    try:
        return taunts_in(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def boats(text: str) -> tuple[tuple[str, int], ...]:
    """Return the letter and the length of each ship in a text such as ``A5,B4,C3``."""
    found = [_BOAT.fullmatch(one.strip()) for one in text.split(",")]
    ships = [(one[1], int(one[2])) for one in found if one]
    if len(ships) < len(found) or len({letter for letter, _ in ships}) < len(ships):
        raise ValueError(
            f"{text!r} is not a list of ships, each with a letter of its own from A to W, as A5,B4"
        )
    return tuple(ships)


def ships(text: str) -> tuple[int, ...]:
    """Return the length of each ship in a text such as ``5,4,3,3,2``."""
    lengths = [one.strip() for one in text.split(",")]
    if len(lengths) > 50 or not all(_LENGTH.fullmatch(length) for length in lengths):
        raise ValueError(f"{text!r} is not a list of up to 50 ships by their lengths, as 5,4,3,3,2")
    return tuple(map(int, lengths))


def name_of_player(text: str) -> str:
    """Return a person's name with single blanks. Raises ValueError if it is empty, too long or not
    printable."""
    name = " ".join(text.split())
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise ValueError(f"{text!r} is not a name of 1 to {LONGEST_NAME} printable characters")
    return name


def title(text: str) -> str:
    """Return the title of a table. Raises ValueError if the title is empty, is longer than
    `LONGEST_TITLE`, or has a ``|`` or a character that cannot be printed."""
    if not 0 < len(text.strip()) <= LONGEST_TITLE or not text.isprintable() or "|" in text:
        raise ValueError(
            f"{text!r} is not a title of 1 to {LONGEST_TITLE} printable characters without a |"
        )
    return text.strip()


def contest_title(text: str) -> str:
    """Return the title of a contest, which may be empty. Raises ValueError if it is too long or not
    printable."""
    if len(text) > LONGEST_CONTEST_TITLE or not text.isprintable():
        raise ValueError(
            f"{text[:80]!r} is not a title of at most {LONGEST_CONTEST_TITLE} printable characters"
        )
    return text.strip()


def which(text: str) -> str:
    """Return the text if it chooses games of a match, such as ``each:5``, or raise ValueError."""
    if CHOICE.fullmatch(text):
        return text
    raise ValueError(
        f"{text!r} is not a choice of games: last, one-of-each, all, first-last:N such as first-last:5, "
        "each:N such as each:5, or every:N such as every:25"
    )


def _bots(_: click.Context, begun: str) -> list[str]:
    """The bundled bots, each behind the ``NAME=`` that has been typed. If one of them begins as the
    word, the files and folders here that a shell need not quote follow; else a shell offers files.
    Behind ``BOT@``, the wires and their dialects."""
    from judge.process.bots.bot import bundled
    from judge.wire import WIRES

    if bot := begun[: begun.rfind("@") + 1]:
        dialects = [f"{wire.name}/{one}" for wire in WIRES.values() for one in wire.dialects]
        return [f"{bot}{name}" for name in (*WIRES, *dialects)]
    name = begun[: begun.find("=") + 1]
    bots = [f"{name}{bot.name}" for bot in bundled()]
    if not any(bot.startswith(begun) for bot in bots):
        return bots
    here = sorted(path.name for path in Path().glob("[!.]*"))
    return [*bots, *(file for file in here if word(file) == file)]


RULES = Value(
    "NAME|FILE", rules, names=lambda: VARIANT_NAMES, files=True, seen_from=_rules_seen_from
)
BOT = Value("BOT", str, offers=_bots, files=True)
SEAT = Value("A|B", seat_of, names=lambda: "AB")
SEATED = Value(
    "0|1=BOT",
    seated,
    offers=lambda ctx, begun: _bots(ctx, begun) if "=" in begun else ["0=", "1="],
    files=True,
)
MOVE = Value("N|A|B|NA", move)
FLEET = Value("FLEET", fleet, names=lambda: ["random"], files=True)
TAUNTS = Value("FILE", taunts, files=True, seen_from=file_seen_from)
BOATS = Value("A5,B4,…", boats)
SHIPS = Value("5,4,…", ships)
NAME = Value("NAME", name_of_player)
TITLE = Value("TEXT", title)
CONTEST_TITLE = Value("TEXT", contest_title)
WHICH = Value("last|one-of-each|all|first-last:N|each:N|every:N", which, names=lambda: CHOICES)
