"""The values of options: a reader for each kind, and click's type for it.

A reader takes the text and raises `ValueError` with a sentence that shows the text and says what
was expected. Where the text came from is put before it by whoever knows.
"""

from __future__ import annotations

import os
import re
import shutil
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from judge import schemas
from judge.cli.did_you_mean import did_you_mean
from judge.contest.formats.shard import MOST_SHARDS, Shard
from judge.contest.ledger.keep import Keep
from judge.contest.seeds import parsed
from judge.contest.standings.description import LONGEST_ABOUT
from judge.contest.standings.description import LONGEST_TITLE as LONGEST_CONTEST_TITLE
from judge.errors import BadOutput, UsageError
from judge.game.rules import BadMove, Rules
from judge.game.variants import CONTEST_DRAWS, VARIANTS, contest
from judge.process.bots.interpreters import on_path
from judge.wire import strict_json

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from judge.join.address import Address
    from judge.stats.sprt import Sprt

    ParamType = click.ParamType[Any]
    ChoiceType = click.Choice[str]
else:
    ParamType, ChoiceType = click.ParamType, click.Choice  # generic only in newer releases of click

LONGEST_RULES = 2**20
LONGEST_PLACEMENTS = 2**24
LONGEST_NAME = 60
LONGEST_TITLE = 20
LONGEST_ABOUT_BYTES = 4 * LONGEST_ABOUT
LONGEST_MS = 24 * 60 * 60 * 1000
LARGEST_BYTES = 2**50
LARGEST_PORT = 65535
MOST_WORKERS = 999  # of --cluster local:N
_HOST = frozenset(string.ascii_letters + string.digits + "-_.:[]%")

_SWITCHED = {
    **dict.fromkeys(("1", "yes", "true", "on"), True),
    **dict.fromkeys(("0", "no", "false", "off"), False),
}
_MILLISECONDS = {"ms": 1, "s": 1000, "": 1000, "min": 60_000, "m": 60_000, "h": 3_600_000}
_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SHARD = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)
_WHOLE = re.compile(r"\d{1,40}", re.ASCII)
_AMOUNT = r"\d{1,18}(?:\.\d{1,18})?"
_DURATION = re.compile(rf"({_AMOUNT})\s*(ms|s|min|m|h|)", re.ASCII)
LEAST_MEMORY = 16 * 2**20
_SIZE = re.compile(rf"({_AMOUNT})\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)


class Placements(NamedTuple):
    """A ``placements`` document, and the file that it comes from."""

    path: Path
    document: Any


class Value(ParamType):
    """click's type for a reader.

    A shell that completes is offered the ``names``, or else files where ``files`` may be named.
    ``seen_from`` says what a value means here that stands in a file of that folder.
    """

    def __init__(
        self,
        metavar: str,
        read: Callable[[str], Any],
        *,
        names: Callable[[], Iterable[str]] = tuple,
        files: bool = False,
        seen_from: Callable[[Path, str], str] | None = None,
    ) -> None:
        self.name = metavar
        self.seen_from = seen_from
        self._read = read
        self._names = names
        self._files = files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        items = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        if self._files and not items:
            items.append(CompletionItem(incomplete, type="file"))
        return items


class Choice(ChoiceType):
    """click's type for one word of several, with what a mistyped one may have been."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx)
        near = did_you_mean(str(value), map(str, self.choices))
        return f"{said}{near}"


class Switch(click.types.BoolParamType):
    """click's type for a flag, with a shorter sentence for a variable that says neither."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        if isinstance(value, bool):  # not from a text: the flag itself, or a file
            return value
        if value.lower() not in _SWITCHED:
            self.fail(f"{value!r} is neither 1 (yes) nor 0 (no)", param, ctx)
        return _SWITCHED[value.lower()]


def shard(text: str) -> Shard:
    """``3/8``: the third of eight shards."""
    if match := _SHARD.fullmatch(text.strip()):
        one = Shard(int(match[1]), int(match[2]))
        if 1 <= one.number <= one.of <= MOST_SHARDS:
            return one
    raise ValueError(
        f"{text!r} is no shard, such as 3/8: the third of eight, of at most {MOST_SHARDS:,}"
    )


def cluster(text: str) -> str:
    """``tls://HOST:PORT``, ``tcp://HOST:PORT``: a scheduler; ``local:4``: workers on this machine."""
    kind, _, where = text.strip().partition(":")
    host, _, port = where.removeprefix("//").rpartition(":")
    is_scheduler = kind in ("tls", "tcp") and where.startswith("//") and _is_host(host)
    if is_scheduler and _is_count(port, LARGEST_PORT):
        return text.strip()
    if kind == "local" and _is_count(where, MOST_WORKERS):
        return text.strip()
    raise ValueError(
        f"{text!r} is no cluster, such as tls://host:8786, the address of dask's scheduler, or "
        "local:4, workers on this machine"
    )


def _is_host(text: str) -> bool:
    return 0 < len(text) <= 253 and set(text) <= _HOST


def _is_count(text: str, most: int) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= most


def pause(text: str) -> int:
    """The same as `milliseconds`, or nothing at all: ``0``, ``0ms``."""
    match = _DURATION.fullmatch(text.strip())
    return 0 if match and not float(match[1]) else milliseconds(text)


def milliseconds(text: str) -> int:
    """``500ms``, ``2s``, ``1.5``, ``1min`` or ``1m``, ``2h``; seconds without a unit."""
    match = _DURATION.fullmatch(text.strip())
    amount = round(float(match[1]) * _MILLISECONDS[match[2]]) if match else 0
    if amount < 1:
        raise ValueError(f"{text!r} is not a duration above zero, such as 500ms or 2s")
    if amount > LONGEST_MS:
        raise ValueError(f"{text!r} is longer than a day")
    return amount


def time_limit(text: str) -> int:
    """The same, or ``off``: a day, in which nothing is late that a person waits for."""
    return LONGEST_MS if text.strip() == "off" else milliseconds(text)


def bytes_(text: str) -> int:
    """``256M``, ``64k``, ``1.5GiB``, ``4096``: powers of 1024; bytes without a unit."""
    match = _SIZE.fullmatch(text.strip())
    amount = int(float(match[1]) * _BYTES[match[2].lower()]) if match else 0
    if amount < 1:
        raise ValueError(f"{text!r} is not a size above zero, such as 64K, 256M or 1G")
    if amount > LARGEST_BYTES:
        raise ValueError(f"{text!r} is larger than 1024T")
    return amount


def memory(text: str) -> int:
    """The same for what is to hold an interpreter."""
    amount = bytes_(text)
    if amount < LEAST_MEMORY:
        raise ValueError(
            f"{text!r} is less than {LEAST_MEMORY // 2**20}M, in which hardly a bot can start"
        )
    return amount


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers within these bounds, written in decimal digits."""

    def read(text: str) -> int:
        digits = text.strip()
        number = int(digits) if _WHOLE.fullmatch(digits) else -1
        if not least <= number <= most:
            raise ValueError(f"{text!r} is not a whole number from {least:,} to {most:,}")
        return number

    return read


def grace(text: str) -> float | None:
    """A duration in seconds, or ``off``: None, for there is no end to it."""
    return None if text.strip() == "off" else milliseconds(text) / 1000


def listening(text: str) -> tuple[str, int]:
    """``8000``, ``0.0.0.0:8000`` or ``[::]:8000``: where to listen; without a host, on this machine
    alone."""
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    if not host or not _WHOLE.fullmatch(port) or int(port) > LARGEST_PORT:
        raise ValueError(f"{text!r} is neither a port nor HOST:PORT, as 8000 or 0.0.0.0:8000")
    return host, int(port)


def repeat(text: str) -> int | None:
    """How many games, or ``forever``."""
    return None if text == "forever" else whole(1, 10**9)(text)


def title(text: str) -> str:
    """The title of a table, as every client can show it."""
    if not 0 < len(text.strip()) <= LONGEST_TITLE or not text.isprintable() or "|" in text:
        raise ValueError(
            f"{text!r} is no title of 1 to {LONGEST_TITLE} printable characters without a |"
        )
    return text.strip()


_BOAT = re.compile(r"([A-W])([0-9]{1,2})")


def boats(text: str) -> tuple[tuple[str, int], ...]:
    """``A5,B4,C3``: the letter and the length of each ship."""
    found = [_BOAT.fullmatch(one.strip()) for one in text.split(",")]
    ships = [(one[1], int(one[2])) for one in found if one]
    if len(ships) < len(found) or len({letter for letter, _ in ships}) < len(ships):
        raise ValueError(
            f"{text!r} is no list of ships, each with a letter of its own from A to W, as A5,B4"
        )
    return tuple(ships)


def side(text: str) -> int:
    """``A`` or ``0`` for seat 0, ``B`` or ``1`` for seat 1, and so on."""
    places = string.digits if text.isdecimal() else string.ascii_uppercase
    seat = places.find(text.upper()) if len(text) == 1 else -1
    if seat < 0:
        raise ValueError(f"{text!r} is no side; the first bot named is A, the second B")
    return seat


_MOVE = re.compile(r"([1-9][0-9]{0,8})?([A-Za-z])?")


def move(text: str) -> tuple[int | None, int | None]:
    """A move's number, None for placing, and a side, None for any: ``12``, ``A`` or ``12A``."""
    match = _MOVE.fullmatch(text)
    if match is None or not text:
        raise ValueError(
            f"{text!r} is neither a move's number, from 1, nor a side, as A or B, nor both, as 12A"
        )
    number, letter = match.groups()
    return int(number) if number else None, ord(letter.upper()) - ord("A") if letter else None


def fleet(text: str) -> Path | None:
    """A fleet's file, or None for the word ``random``."""
    return None if text == "random" else Path(text)


def seated(text: str) -> tuple[int, str]:
    """``0=BOT`` or ``1=BOT``: a seat, and the bot that is to sit there."""
    seat, equals, spec = text.partition("=")
    if seat.upper() not in ("0", "1", "A", "B") or not equals or not spec.strip():
        raise ValueError(f"{text!r} is neither 0=BOT nor 1=BOT")
    return side(seat), spec


def name_of_player(text: str) -> str:
    """A person's name as a table can hold it: one line, printable, not too long."""
    name = " ".join(text.split())
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise ValueError(f"{text!r} is no name of 1 to {LONGEST_NAME} printable characters")
    return name


def program(text: str) -> Path:
    """A program by its path, or by its name on ``PATH``; absolute, links left as they are."""
    found = shutil.which(text) if "/" in text else on_path(text)
    if found is None:
        raise ValueError(f"{text!r} is not a program that can be run here")
    return Path(found).absolute()


def rules(text: str) -> Rules:
    """A variant by its name, a contest by the side of its board, or a rules file."""
    side = text.removeprefix("contest-")
    if text in VARIANTS:
        return VARIANTS[text]
    if side != text and side in map(str, CONTEST_DRAWS):
        return contest(int(side))
    if text.endswith(".json") or os.sep in text:
        return _rules_file(Path(text))
    raise ValueError(
        f"{text!r} is neither a variant ({', '.join(VARIANTS)}, contest-3 … contest-10) nor a "
        f"file that ends in .json.{did_you_mean(text, VARIANT_NAMES)}"
    )


VARIANT_NAMES = [*VARIANTS, *(f"contest-{side}" for side in sorted(CONTEST_DRAWS))]


def _rules_file(path: Path) -> Rules:
    document = _document(path, "rules file", LONGEST_RULES)
    if problem := schemas.problem("rules", document):
        raise ValueError(f"{path} is not a rules file: {problem}")
    try:
        read = Rules.from_json(document)
    except UsageError as error:
        raise ValueError(f"{path}: {error}") from None
    # Here and not in `Rules`: there are ledgers with games by such rules.
    if read.players[1] > 2 and read.match > 1 and read.bad_move is BadMove.FORFEITS_MATCH:
        raise ValueError(
            f"{path}: rules {read.name!r}: with match above 1, bad_move 'forfeits-match' is for two "
            "players; set players to [2, 2], match to 1 or bad_move to 'forfeits'"
        )
    return read


def contest_title(text: str) -> str:
    """The title of a contest, a line; empty for none."""
    if len(text) > LONGEST_CONTEST_TITLE or not text.isprintable():
        raise ValueError(
            f"{text[:80]!r} is no title of at most {LONGEST_CONTEST_TITLE} printable characters"
        )
    return text.strip()


def about(text: str) -> str:
    """The Markdown in a file."""
    path = Path(text)
    try:
        with path.open("rb") as file:
            found = file.read(LONGEST_ABOUT_BYTES + 1).decode()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text in UTF-8") from None
    if len(found) > LONGEST_ABOUT:
        raise ValueError(f"{path} is longer than {LONGEST_ABOUT:,} characters")
    return found.strip()


def placements(text: str) -> Placements:
    """A file of fleets, checked but for whether they are legal."""
    path = Path(text)
    document = _document(path, "list of fleets", LONGEST_PLACEMENTS)
    if problem := schemas.problem("placements", document):
        raise ValueError(f"{path} is not a list of fleets: {problem}")
    return Placements(path, document)


def _document(path: Path, kind: str, most: int) -> Any:
    """What a JSON file of at most so many bytes holds."""
    try:
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is not a file")
        with path.open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ValueError(f"{path} is longer than {most:,} bytes, so no {kind}")
        return strict_json.parse(data)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except BadOutput as error:
        raise ValueError(f"{path}: {_of_a_file(str(error))}") from None


def _of_a_file(said: str) -> str:
    """What is wrong with a bot's reply, said of a file."""
    if said.startswith("printed nothing"):
        return "the file is empty"
    for mark, words in (
        (", which is not JSON: ", "the file is not JSON: "),
        (": after the JSON value comes ", "after the JSON value comes "),
    ):
        _, found, after = said.rpartition(mark)
        if found:
            return words + after
    return said.replace("the reply", "the file").replace("; print plain UTF-8", "")


def _rules_seen_from(folder: Path, text: str) -> str:
    return text if text in VARIANT_NAMES else str(folder / text)


def _bundled_names() -> list[str]:
    from judge.process.bots.bot import bundled

    return [bot.name for bot in bundled()]


def file_seen_from(folder: Path, text: str) -> str:
    return text if text == "-" else str(folder / Path(text).expanduser())


def _program_seen_from(folder: Path, text: str) -> str:
    return str(folder / text) if os.sep in text else text


def sprt(text: str) -> Sprt:
    """``ELO0,ELO1[,ALPHA,BETA]``."""
    from judge.stats.sprt import Sprt

    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise ValueError(f"{text!r} is not ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,30")
    return Sprt(*numbers)


SWITCH = Switch()
DURATION = Value("DURATION", milliseconds)
PAUSE = Value("DURATION", pause)
TIME_LIMIT = Value("DURATION|off", time_limit, names=lambda: ["off"])
GRACE = Value("DURATION|off", grace, names=lambda: ["off"])
LISTENING = Value("[HOST:]PORT", listening)
REPEAT = Value("N", repeat)
TITLE = Value("TEXT", title)
BOATS = Value("A5,B4,…", boats)
SIZE = Value("SIZE", bytes_)
MEMORY = Value("SIZE", memory)
SHARD = Value("K/N", shard)
CLUSTER = Value("ADDRESS", cluster)
SEED = Value("N", lambda text: parsed(text.strip()))
RULES = Value(
    "NAME|FILE", rules, names=lambda: VARIANT_NAMES, files=True, seen_from=_rules_seen_from
)
SPRT = Value("ELO0,ELO1[,ALPHA,BETA]", sprt)
KEEP = Value(
    "all|first-last:N|each:N|last",
    Keep.read,
    names=lambda: ["all", "first-last:5", "each:5", "last"],
)
NAME = Value("NAME", name_of_player)
PROGRAM = Value("PATH", program, files=True, seen_from=_program_seen_from)
FILE = Value("FILE", lambda text: Path(text).expanduser(), files=True, seen_from=file_seen_from)
LOGS = Value("FILE|FOLDER", str, files=True, seen_from=file_seen_from)
STATS = Value("FOLDER", Path, files=True, seen_from=file_seen_from)
LOG_FILE = Value("FILE", Path, files=True, seen_from=file_seen_from)
CONTEST_TITLE = Value("TEXT", contest_title)
ABOUT = Value("FILE", about, files=True, seen_from=file_seen_from)
PLACEMENTS = Value("FILE", placements, files=True, seen_from=file_seen_from)
FLEET = Value("FLEET", fleet, names=lambda: ["random"], files=True)
SEATED = Value("0|1=BOT", seated)
MOVE = Value("N|A|B|NA", move)
SIDE = Value("A|B", side, names=lambda: "AB")
BOT = Value("BOT", str, names=_bundled_names, files=True)


def _address(text: str) -> Address:
    from judge.join.address import address  # here, for one command has a server's address

    return address(text)


ADDRESS = Value("ADDRESS", _address, names=lambda: ["xbs://", "bsp://"])


def count(least: int = 1, most: int = 10**9) -> Value:
    """The type of an option that counts something."""
    return Value("N", whole(least, most))
