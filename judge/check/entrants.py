"""The entrants' rules of the published broadsides challenge, each as a finding of `judge check`.

The original judge enforced some of them only. A player that breaks one of the others loses no game
by it: that is noted, and the player still conforms. What only people can judge is said to be so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from judge.check.conformance import Finding
from judge.documents.game import Limits
from judge.errors import BadOutput, BotError, IllegalFleet, IllegalMove, TimedOut, UsageError
from judge.play.asking import Reply
from judge.process.bots import files
from judge.process.bots.bot import Bot
from judge.process.bots.contents import parts
from judge.process.bots.data_file import DATA_BYTES, suffixes
from judge.process.bots.manifest import MANIFEST
from judge.wire.broadsides import LAST_WORD, Broadsides

ANSWER_SECONDS = 60

PLAIN_NAME = "rule: a Ruby file of a plain name"
INITIALS = "rule: its name begins with initials"
LIBRARIES = "rule: only what comes with Ruby"
FLUSHES = "rule: it flushes its output"
SHIPS = "rule: the ships that are asked for"
SHIPS_IN_PLACE = "rule: no ship off the board or on another"
SHOTS_ON_BOARD = "rule: no shot off the board"
SHOTS_DUE = "rule: the number of shots asked for"
FINISHES = f"rule: it answers FINISH with {LAST_WORD}"
FORM = "rule: answers in their form"
IN_TIME = f"rule: an answer within {ANSWER_SECONDS} s"
NOTHING_OUTSIDE = "rule: it does nothing outside of the game"
DATA = "rule: one data file of 10 MB at most"

CLAIMS = (
    PLAIN_NAME,
    INITIALS,
    LIBRARIES,
    FLUSHES,
    SHIPS,
    SHIPS_IN_PLACE,
    SHOTS_ON_BOARD,
    SHOTS_DUE,
    FINISHES,
    FORM,
    IN_TIME,
    NOTHING_OUTSIDE,
    DATA,
)
"""The rules as findings name them, in their order."""

_FOR_PEOPLE = "for people to judge"

_NAME = re.compile(r"\A\w+\.rb\Z", re.ASCII)
_LOADS = re.compile(
    r"\b(require|require_relative|load|gem)\b[ \t(]{0,9}"
    r"(?:\"([^\"\n]{0,99})\"|'([^'\n]{0,99})')?"
)

# The libraries that come with Ruby, by the first part of the name that a program requires.
_STANDARD = (
    " abbrev base64 benchmark bigdecimal cgi continuation coverage csv date delegate did_you_mean "
    "digest drb English enumerator erb etc expect fcntl fiber fiddle fileutils find forwardable "
    "getoptlong io ipaddr irb json kconv logger matrix minitest monitor mutex_m net nkf objspace "
    "observer open-uri open3 openssl optparse ostruct pathname pp prettyprint prime profile profiler "
    "pstore psych pty racc rational rdoc readline reline resolv rexml rinda ripper rss securerandom "
    "set shellwords singleton socket stringio strscan syslog tempfile test thread thwait time timeout "
    "tmpdir tracer tsort un uri weakref webrick xmlrpc yaml zlib "
)


def findings(bot: Bot, replies: Sequence[Reply], limits: Limits) -> Iterator[Finding]:
    """A finding for each rule; ``replies`` are those of whole games."""
    name, source = _program(bot)
    yield _of_name(name)
    yield Finding(INITIALS, None, f"the author's: {_FOR_PEOPLE}")
    yield _of_libraries(source)
    yield _of_flushing(replies)
    yield _held(SHIPS, replies, _says(IllegalFleet, "placed ships"))
    yield _held(SHIPS_IN_PLACE, replies, _lies_wrong)
    yield _held(SHOTS_ON_BOARD, replies, _says(IllegalMove, "outside"))
    yield _held(SHOTS_DUE, replies, _says(IllegalMove, "due"))
    yield _of_last_word(replies)
    yield _held(FORM, replies, _says(BadOutput))
    yield _of_time(replies, limits)
    yield Finding(
        NOTHING_OUTSIDE,
        None,
        f"to others or to the judge: {_FOR_PEOPLE}",
    )
    yield _of_data(bot)


def _program(bot: Bot) -> tuple[str, str]:
    """The name of the Ruby program that the player is, and its text; both empty if it is none."""
    named = [PurePosixPath(word).name for word in bot.command if word.endswith(".rb")]
    if not named:
        return "", ""
    try:
        read = parts(bot.files, bot.folder, shown=bot.name, most_bytes=max(bot.size, 1))
        for part in read:
            if not part.is_link and PurePosixPath(part.name).name == named[0]:
                return named[0], part.data.decode("utf-8", "replace")
    except UsageError:  # its files have changed since they were counted
        pass
    return named[0], ""


def _of_name(name: str) -> Finding:
    if not name:
        return _noted(PLAIN_NAME, "it is no Ruby file: here it plays all the same")
    if not _NAME.fullmatch(name):
        return _noted(
            PLAIN_NAME,
            f"{name} has more than letters, digits and _ before .rb; a game takes it under another "
            "name, NAME=FILE",
        )
    return Finding(PLAIN_NAME, True, name)


def _of_libraries(source: str) -> Finding:
    if not source:
        return Finding(LIBRARIES, None, f"no Ruby source is at hand: {_FOR_PEOPLE}")
    lines = (line.partition("#")[0] for line in source.splitlines())
    found = [match for line in lines for match in _LOADS.finditer(line)]
    loaded = {match[2] or match[3] or "" for match in found if match[1] == "require"}
    others = {match[2] or match[3] or "" for match in found if match[1] != "require"}
    foreign = sorted(
        others | {name for name in loaded if f" {name.partition('/')[0]} " not in _STANDARD}
    )
    if "" in foreign:
        return Finding(LIBRARIES, None, f"what it loads is not plain to see: {_FOR_PEOPLE}")
    if foreign:
        return _noted(LIBRARIES, f"it loads {', '.join(foreign)}")
    return Finding(
        LIBRARIES, True, f"it loads {', '.join(sorted(loaded))}" if loaded else "it loads nothing"
    )


def _held(claim: str, replies: Sequence[Reply], breaks: Callable[[Reply], bool]) -> Finding:
    """A rule that the original enforces: a game is lost by each breach."""
    failed = tuple(reply for reply in replies if breaks(reply))
    if failed:
        told = f"broken in {len(failed)} of {len(replies)} games"
        return Finding(claim, False, told, asked=len(replies), failed=failed)
    if all(isinstance(reply.fault, BotError) for reply in replies):
        return Finding(claim, None, "not tried: it has played no game to its end")
    return Finding(claim, True, f"in {len(replies)} games", asked=len(replies))


def _of_flushing(replies: Sequence[Reply]) -> Finding:
    found = _held(
        FLUSHES,
        replies,
        lambda reply: isinstance(reply.fault, TimedOut) and not _said(reply),
    )
    if found.passed is False:
        return replace(found, detail=f"{found.detail}, or it did not answer at all in them")
    return found


def _says(kind: type[BotError], *words: str) -> Callable[[Reply], bool]:
    return lambda reply: (
        isinstance(reply.fault, kind) and all(word in str(reply.fault) for word in words)
    )


def _lies_wrong(reply: Reply) -> bool:
    return isinstance(reply.fault, IllegalFleet) and "placed ships" not in str(reply.fault)


def _said(reply: Reply) -> bool:
    return any(one.received for one in reply.run.exchanges)


def _of_last_word(replies: Sequence[Reply]) -> Finding:
    ended = [reply for reply in replies if not reply.fault]
    if not ended:
        return Finding(FINISHES, None, "not tried: no game was played out")
    odd = sum(reply.run.exchanges[-1].received.strip() != LAST_WORD for reply in ended)
    if odd:
        return _noted(FINISHES, f"not in {odd} of {len(ended)} games, which cost it nothing")
    return Finding(FINISHES, True, f"in {len(ended)} games", asked=len(ended))


def _of_time(replies: Sequence[Reply], limits: Limits) -> Finding:
    late = tuple(reply for reply in replies if isinstance(reply.fault, TimedOut))
    allowed = limits.timeout_ms / 1000
    if late and allowed < ANSWER_SECONDS:
        return Finding(IN_TIME, None, f"not tried: the limit here was {allowed:g} s")
    if late:
        told = f"{len(late)} of {len(replies)} games were lost after {allowed:g} s"
        return Finding(IN_TIME, False, told, asked=len(replies), failed=late)
    worst = max(reply.answer_ms for reply in replies) / 1000
    if worst > ANSWER_SECONDS:
        return _noted(IN_TIME, f"one took {worst:.1f} s, for which the limit here leaves room")
    return Finding(IN_TIME, True, f"the longest took {worst:.1f} s", asked=len(replies))


def _of_data(bot: Bot) -> Finding:
    """Its data lie beside it, in a file of its own base name and another suffix."""
    name, _ = _program(bot)
    stem = PurePosixPath(name).stem
    try:
        there = files.names_in(bot.folder, bot.name) if name else []
    except UsageError:
        there = []
    data = [stem + suffix for suffix in suffixes(stem, name, there) if stem + suffix != MANIFEST]
    if len(data) > 1:
        return _noted(DATA, f"beside it lie {', '.join(data)}")
    if data and (size := _size(bot.folder / data[0])) > DATA_BYTES:
        return _noted(DATA, f"{data[0]} has {size:,} bytes")
    has = f"{data[0]} lies beside it" if data else "none lies beside it"
    return Finding(DATA, None, f"{has}; what it writes in a game is {_FOR_PEOPLE}")


def _size(path: Path) -> int:
    return path.lstat().st_size if files.is_file(path) else 0


def _noted(claim: str, detail: str) -> Finding:
    return Finding(claim, True, detail, warning=True)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The ``claims`` of a system's rules for entrants, and a finding for each."""

    claims: tuple[str, ...]
    findings: Callable[[Bot, Sequence[Reply], Limits], Iterator[Finding]]


RULEBOOKS = {Broadsides.name: Rulebook(CLAIMS, findings)}
"""By the name of a wire: the rules for the entrants of its system."""
