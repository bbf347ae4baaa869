"""The folder of a hosted ladder: the list of entrants, and the paths of all files.

``host.json`` has the entrants and the ladder's URL. The organiser's commands and the running ladder
replace the whole file, under a lock. The running ladder soon notices a change. The file holds the
hash of a token, never the token.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from judge import writing
from judge.contest.ledger.files import locked
from judge.documents.codec import D, decode, encode
from judge.documents.host import MOST_ENTRANTS, Entrant, Host
from judge.errors import JudgeFault, UsageError
from judge.likeness import did_you_mean
from judge.process.bots.bot import contestants
from judge.process.bots.names import clean, look, mixed_scripts

TOKEN_BYTES = 32  # 256 bits
# The most entrants while strangers may register. The other places are for invited entrants.
MOST_REGISTERED = MOST_ENTRANTS - 200
UNUSED = timedelta(days=1)  # age at which a registered entrant without a bot may be removed
_FILE = "host.json"
_NAME = re.compile(r"[^\W_][\w.-]{0,39}")
# Letters and digits that look like other Latin letters in some font: Cyrillic, Greek, Latin.
_TWINS = str.maketrans(
    "авекмнорстухіјѕԁһԛԝԍαβεζηικμνορτυχ01i",
    "abekmhopctyxljsdhqwgabezhlkmnoptyxoll",
)


class HostFolder:
    """A ladder's folder. Methods that cannot read or write ``host.json`` raise `JudgeFault`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.ledger = self.path / "ledger.json"
        self.bots = self.path / "bots"
        self.uploads = self.path / "uploads"
        self.stderr = self.path / "stderr"

    def make(self) -> None:
        """Make the folders that are missing. Other users of the machine cannot enter them, since
        they hold bots, fleets and seeds. Raises `UsageError` if a folder cannot be made."""
        try:
            for folder in (self.path, self.bots, self.uploads, self.stderr):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{error.filename} cannot be made: {error.strerror}") from None

    def require(self) -> None:
        """Raise `UsageError` unless the folder has a list of entrants, as a ladder's folder has."""
        if not (self.path / _FILE).is_file():
            raise UsageError(
                f"{self.path} is not a ladder's folder: it has no {_FILE}; `judge host {self.path}` makes it"
            )

    @property
    def stamp(self) -> tuple[int, ...]:
        """A stamp that changes with ``host.json``, and with the names in the folder of the
        organiser's bots. It is empty if either cannot be read."""
        try:
            stats = [(self.path / _FILE).stat(), self.bots.stat()]
        except OSError:
            return ()
        return tuple(number for one in stats for number in (one.st_ino, one.st_mtime_ns))

    def read(self) -> Host:
        return read_document(Host, self.path, _FILE, missing=Host())

    @contextmanager
    def changing(self, *, url: str = "", most: int = MOST_ENTRANTS) -> Iterator[dict[str, Entrant]]:
        """Lock ``host.json`` within a ``with`` block, and yield the entrants by name. The block may
        change them; after it, the file is replaced, and is on the disk when this returns. ``url``
        is a new URL of the ladder. Raises `UsageError`, with nothing changed, if the block leaves
        more than ``most`` entrants."""
        path = self.path / _FILE
        with locked(path):
            host = self.read()
            entrants = {entrant.name: entrant for entrant in host.entrants}
            yield entrants
            if len(entrants) > most:
                raise UsageError(f"the ladder has {most:,} entrants, and takes no more")
            host = replace(host, url=url or host.url, entrants=tuple(entrants.values()))
            try:
                writing.replace(self.path, _FILE, encode(host), durable=True, mode=0o600)
            except OSError as error:
                raise JudgeFault(f"{path} cannot be written: {error.strerror}") from error

    def invite(self, name: str, email: str = "") -> str:
        """Add an entrant, or give a known entrant a new token. Returns the token. Raises
        `UsageError` if a new entrant's name is taken or unfit, or the ladder is full."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self.changing() as entrants:
            known = entrants.get(name)
            if known is None:
                self._require_free(name, entrants)
                known = Entrant(name=name, token=None, since=now())
            entrants[name] = replace(
                known, token=hashed(token), email=email or known.email, registered=False
            )
        return token

    def register(self, name: str, *, approved: bool, known: Collection[str] = ()) -> str:
        """Add a stranger as an entrant, and return the token. If the ladder has `MOST_REGISTERED`
        entrants, those who registered at least `UNUSED` ago and are not ``known`` are removed
        first. ``known`` are the bots that have played or were uploaded. Raises `UsageError` if the
        ladder is still full, the name is unfit, or it looks like that of an entrant, of a known bot
        or of one of the organiser's."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self.changing(most=MOST_REGISTERED) as entrants:
            self._require_free(name, [*entrants, *known])
            if len(entrants) >= MOST_REGISTERED:
                old = now(ago=UNUSED)
                for one in [*entrants.values()]:
                    if one.registered and one.since <= old and one.name not in known:
                        del entrants[one.name]
            entrants[name] = Entrant(
                name=name, token=hashed(token), approved=approved, registered=True, since=now()
            )
        return token

    def set(self, name: str, **changed: object) -> None:
        """Change fields of an entrant. Raises `UsageError` if nobody has that name."""
        with self.changing() as entrants:
            entrants[name] = replace(self._entrant(entrants, name), **changed)

    def remove(self, names: Collection[str]) -> None:
        """Remove entrants from the list. Raises `UsageError`, with nothing changed, if a name
        belongs to no entrant, or to a hidden one: public pages would show that bot again."""
        with self.changing() as entrants:
            for name in {*names}:
                if self._entrant(entrants, name).hidden:
                    raise UsageError(
                        f"{name} is hidden, and public pages would show its games again; `revoke` and "
                        "`retire` it"
                    )
                del entrants[name]

    def _entrant(self, entrants: Mapping[str, Entrant], name: str) -> Entrant:
        if name not in entrants:
            near = did_you_mean(name, entrants)
            raise UsageError(f"{self.path}: there is no entrant {name}.{near}")
        return entrants[name]

    def _require_free(self, name: str, taken: Iterable[str]) -> None:
        taken = [*taken]
        if flaw := name_flaw(name):
            raise UsageError(flaw)
        if self.bots.is_dir():
            taken += [bot.name for bot in contestants(self.bots)[0]]
        if alike := next((one for one in taken if _seen(one) == _seen(name)), None):
            raise UsageError(f"the name {name} is taken, or looks like {alike}; choose another")


def read_document(kind: type[D], root: Path, name: str, missing: D | None = None) -> D:
    """Read the document in the file ``name`` of the folder ``root``. Returns ``missing`` if there is
    no such file. Raises `JudgeFault` if the file cannot be read or does not hold the document."""
    try:
        data = writing.read(root, name, kind.MOST_BYTES + 1)
    except OSError as error:
        if missing is not None and isinstance(error, FileNotFoundError):
            return missing
        raise JudgeFault(f"{root / name} cannot be read: {error.strerror}") from error
    return decode(kind, data, str(root / name))


def _seen(name: str) -> str:
    """Return a form of a name that is the same for all names that look alike."""
    return look(name).translate(_TWINS)


def name_flaw(name: str) -> str:
    """Return the reason why an entrant cannot have this name; empty if the name is fit."""
    if not _NAME.fullmatch(name) or clean(name) != name:
        return (
            f"{clean(name) or 'an empty name'}: a name is 1 to 40 letters, digits, dots, hyphens and "
            "underscores, and begins with a letter or a digit"
        )
    if scripts := mixed_scripts(name):
        return f"{name} has letters of {' and '.join(scripts)}, which look alike; use one script"
    return ""


def hashed(token: str) -> str:
    """Return the hash of a token, as ``host.json`` holds it. A token has 256 random bits, so one
    round of SHA-256 is enough."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def entrant_of(host: Host, token: str) -> Entrant | None:
    """Return the entrant that a token belongs to, or None."""
    wanted = hashed(token)
    return next((entrant for entrant in host.entrants if entrant.token == wanted), None)


def now(*, ago: timedelta = timedelta()) -> str:
    return (datetime.now(UTC) - ago).isoformat(timespec="seconds")
