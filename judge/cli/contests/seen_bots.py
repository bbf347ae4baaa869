"""A file of the user's own that remembers where bots lay when they last played.

``judge/bots.json`` in ``$XDG_STATE_HOME`` (or ``~/.local/state``) has the path of a bot's folder or
file by the digest of its files. No ledger and no record holds a path, so one that comes from a
stranger brings none. The file is a help and no more: where it is not there, cannot be written or is
not the user's alone, a bot has to be named. The digest says whether a path still holds that bot.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judge import schemas, writing
from judge.documents import json_files
from judge.process.bots.bot import Bot
from judge.process.bots.specs import bundled_folders

VERSION = 1
MOST = 1000  # bots; of more, the last
LONGEST = 2**20
LONGEST_PATH, LONGEST_DIGEST = 4096, 100  # as in the schema
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def place() -> Path | None:
    """The file, whether or not it is there; None for a user who has no home."""
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    if given.is_absolute():  # the XDG specification has any other ignored
        return given / "judge" / "bots.json"
    with contextlib.suppress(RuntimeError):  # nobody of that name has a home
        home = Path("~").expanduser()
        if home.is_absolute():
            return home / ".local" / "state" / "judge" / "bots.json"
    return None


def path_of(digest: str) -> Path | None:
    """Where a bot with files of that digest last was, if the user's file says so."""
    file = place()
    found = _read(file).get(digest) if file else None
    return Path(found) if found else None


def remember(bots: Iterable[Bot]) -> None:
    """Take down where these bots are; nothing where that cannot be.

    Two judges at once may lose what the other has just taken down.
    """
    bundled = bundled_folders()
    new = {
        bot.digest: str(one)
        for bot in bots
        if bundled.get(bot.name) != bot.folder
        and (one := _one(bot)) is not None
        and _is_sound(bot.digest, str(one))
    }
    file = place()
    if file is None or not new:
        return
    with contextlib.suppress(OSError):  # a home that is read-only, full or another's
        known = _read(file)
        if new.items() <= known.items():
            return
        known = {digest: path for digest, path in known.items() if digest not in new} | new
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        data = _written([*known.items()][-MOST:])
        writing.replace(file.parent, file.name, data, shared=True, mode=0o600)


def _one(bot: Bot) -> Path | None:
    """What a bot is made of, if that is one folder or one file."""
    return bot.files[0] if len(bot.files) == 1 else None


def _read(file: Path) -> Mapping[str, str]:
    """The paths by their digests; none where the file is not the user's alone, or damaged."""
    try:
        fd = writing.opened(file, os.O_RDONLY)
    except OSError:
        return {}
    with os.fdopen(fd, "rb") as opened:
        status = os.fstat(fd)
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
            return {}
        data = opened.read(LONGEST + 1)
    if len(data) > LONGEST:
        return {}
    try:
        document = json_files.parse(data)
    except ValueError:
        return {}
    bots = document.get("bots") if isinstance(document, dict) else None
    if not isinstance(bots, dict) or schemas.problem("seen-bots", {**document, "bots": {}}):
        return {}
    return {digest: path for digest, path in bots.items() if _is_sound(digest, path)}


def _is_sound(digest: str, path: Any) -> bool:
    """Whether this may stand in the file: a path with bytes that are no UTF-8 may not."""
    try:
        is_a_path = isinstance(path, str) and len(path.encode()) <= LONGEST_PATH
    except UnicodeEncodeError:
        return False
    return is_a_path and path.startswith("/") and 0 < len(digest) <= LONGEST_DIGEST


def _written(bots: Sequence[tuple[str, str]]) -> bytes:
    """The file with as many of these bots as its length allows; of more, the last."""
    while True:
        document = {"version": VERSION, "kind": "seen-bots", "bots": dict(bots)}
        data = json.dumps(document, indent=0).encode() + b"\n"
        if len(data) <= LONGEST:
            return data
        bots = bots[len(bots) // 10 + 1 :]
