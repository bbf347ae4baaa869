"""The statistics of an XBS table, in the files that the published server keeps.

``game.TITLE.ini`` and ``player.NAME.ini`` hold ``key=value`` lines, sorted by key; a key that is
repeated is a list. Counters add up over games and runs. Each file is replaced whole, so that none
is ever half written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from judge import writing
from judge.errors import JudgeFault
from judge.game.record import GameRecord
from judge.serve.worker import Worker

LONGEST = 2**20  # bytes of a file
MOST_PLAYERS = 1000  # in the file of a table, so that it stays far below that
Fields = dict[str, list[str]]

_UNFIT = re.compile(r"[/%\x00-\x1f\x7f]|^\.")  # in the name of a file
_UNFIT_IN_KEY = re.compile(r"[%=]")


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who had a seat: from which address, and how it was there in the end, empty if it was."""

    name: str
    address: str
    status: str


@dataclass(frozen=True, slots=True)
class TableSetting:
    """What a table plays, beside its rules."""

    title: str
    least: int
    most: int
    letters: str


@dataclass(frozen=True, slots=True)
class _Result:
    score: int
    skips: int
    turns: int
    is_first: bool
    is_last: bool
    hit: int  # on the own board
    missed: int


class Statistics:
    """The files of a table in ``folder``, which a thread of its own writes."""

    def __init__(self, folder: Path, setting: TableSetting) -> None:
        self._folder = folder
        self._setting = setting
        self._thread = Worker("statistics")

    async def add(self, record: GameRecord, sittings: Sequence[Sitting]) -> None:
        """Add a game; raises `JudgeFault` where a file cannot be read or written."""
        await self._thread.do(_add, self._folder, self._setting, record, sittings)


def _add(
    folder: Path, setting: TableSetting, record: GameRecord, sittings: Sequence[Sitting]
) -> None:
    results = _results(record)
    players = {one.name: result for one, result in zip(sittings, results, strict=True)}
    try:
        folder.mkdir(exist_ok=True)
        name = f"game.{fit(setting.title)}.ini"
        _write(folder, name, game(_read(folder / name), setting, record, players))
        for one in sittings:
            name = f"player.{fit(one.name)}.ini"
            fields = player(_read(folder / name), one, players[one.name], len(players) - 1)
            _write(folder, name, fields)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise JudgeFault(f"the statistics in {folder} cannot be kept: {why}") from error


def fit(name: str) -> str:
    """A name as part of the name of a file."""
    return _UNFIT.sub(_escaped, name)


def _escaped(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def game(
    fields: Fields, setting: TableSetting, record: GameRecord, players: Mapping[str, _Result]
) -> Fields:
    """The file of a table, after one more game."""
    rules, results = record.rules, list(players.values())
    top = max(one.score for one in results)
    ms = _milliseconds(record)
    ships = [
        f"{letter}{length}" for letter, length in zip(setting.letters, rules.lengths, strict=True)
    ]
    fields |= {
        "name": [setting.title],
        "minPlayers": [str(setting.least)],
        "maxPlayers": [str(setting.most)],
        "pointGoal": [str(rules.points_goal)],
        "width": [str(rules.columns)],
        "height": [str(rules.rows)],
        "ship": ships,
    }
    games = _count(fields, "gameCount", 1)
    counts = {
        "turnCount": results[0].turns,
        "playerCount": len(results),
        "hits": sum(one.score for one in results),
        "ties": sum(one.score == top for one in results) - 1,
        "timeMS": ms,
    }
    for what, number in counts.items():
        _both(fields, what, number)
    is_aborted = record.outcome.termination == "aborted"
    _both(fields, "aborted", is_aborted)
    total = int(fields["total.timeMS"][0])
    times = {"total.time": total, "last.time": ms, "averageTime": total // games}
    fields |= {what: [_clock(number)] for what, number in times.items()}
    keys = [_UNFIT_IN_KEY.sub(_escaped, name) for name in players]
    for key, one in zip(keys, results, strict=True):
        _standing(fields, f"player.{key}.", one, last_place="lastPlace")
    return _bounded(fields, keys)


def _bounded(fields: Fields, here: Sequence[str]) -> Fields:
    """The same without the players of the fewest turns, where there are more than `MOST_PLAYERS`;
    those that are ``here`` stay."""
    of = {key: name for key in fields if (name := _player_of(key)) is not None}
    others = sorted(set(of.values()).difference(here), key=lambda one: (_turns(fields, one), one))
    gone = set(others[: max(0, len(others) + len(here) - MOST_PLAYERS)])
    return {key: values for key, values in fields.items() if of.get(key) not in gone}


def _player_of(key: str) -> str | None:
    """The player of which a key tells something, such as ``player.NAME.total.turns``."""
    head, which, _ = key.rsplit(".", 2) if key.count(".") > 1 else ("", "", "")
    is_one = head.startswith("player.") and which in ("total", "last")
    return head.removeprefix("player.") if is_one else None


def _turns(fields: Fields, player: str) -> int:
    return _count(fields, f"player.{player}.total.turns", 0)


def player(fields: Fields, sitting: Sitting, result: _Result, opponents: int) -> Fields:
    """The file of a player, after one more game."""
    fields |= {
        "playerName": [sitting.name],
        "lastAddress": [sitting.address],
        "lastStatus": [sitting.status],
    }
    _count(fields, "gamesPlayed", 1)
    _standing(fields, "", result, last_place="lasPlace")  # so the published server spells it
    _both(fields, "opponents", opponents)
    _both(fields, "hitCount", result.hit)
    _both(fields, "missCount", result.missed)
    return fields


def _standing(fields: Fields, of: str, one: _Result, *, last_place: str) -> None:
    _both(fields, "firstPlace", one.is_first, of)
    _count(fields, f"{of}total.lastPlace", one.is_last)
    fields[f"{of}last.{last_place}"] = [_word(one.is_last)]
    for what, number in (("score", one.score), ("skips", one.skips), ("turns", one.turns)):
        _both(fields, what, number, of)


def _both(fields: Fields, what: str, number: int, of: str = "") -> None:
    """Add to the total, and say what it was last."""
    _count(fields, f"{of}total.{what}", number)
    fields[f"{of}last.{what}"] = [_word(number)]


def _word(number: int) -> str:
    return str(number).lower()


def _count(fields: Fields, key: str, more: int) -> int:
    """Add to a counter, and return what it then is; raises ValueError if it was no number."""
    total = int(fields.get(key, ["0"])[0]) + more
    fields[key] = [str(total)]
    return total


def _results(record: GameRecord) -> list[_Result]:
    shots = [one.shot for one in record.shots]
    seats = range(len(record.seats))
    scores = [sum(shot.is_hit for shot in shots if shot.seat == seat) for seat in seats]
    skips = [
        sum(one.seat == seat and one.what == "skip" for one in record.asides) for seat in seats
    ]
    return [
        _Result(
            score=scores[seat],
            skips=skips[seat],
            turns=skips[seat] + sum(shot.seat == seat for shot in shots),
            is_first=scores[seat] == max(scores),
            is_last=scores[seat] == min(scores),
            hit=sum(shot.is_hit for shot in shots if shot.target == seat),
            missed=sum(not shot.is_hit for shot in shots if shot.target == seat),
        )
        for seat in seats
    ]


def _milliseconds(record: GameRecord) -> int:
    began, ended = map(datetime.fromisoformat, (record.started, record.finished))
    return max(0, round((ended - began).total_seconds() * 1000))


def _clock(ms: int) -> str:
    minutes, ms = divmod(ms, 60_000)
    return f"{minutes // 60}:{minutes % 60:02}:{ms // 1000:02}.{ms % 1000:03}"


def _read(path: Path) -> Fields:
    try:
        with os.fdopen(writing.opened(path, os.O_RDONLY), "rb") as file:
            data = file.read(LONGEST + 1)
    except FileNotFoundError:
        return {}
    if len(data) > LONGEST:
        raise ValueError(f"{path.name} is longer than {LONGEST:,} bytes")
    fields: Fields = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        key, equals, value = line.strip().partition("=")
        if equals and not key.startswith("#"):
            fields.setdefault(key.strip(), []).append(value.strip())
    return fields


def _write(folder: Path, name: str, fields: Fields) -> None:
    lines = [f"{key}={value}\n" for key in sorted(fields) for value in fields[key]]
    writing.replace(folder, name, "".join(lines).encode("utf-8", "surrogateescape"), durable=True)
