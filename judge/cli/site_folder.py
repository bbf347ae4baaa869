"""The folder of a site: every page whole, written only where something has changed.

A list in the folder, ``.judge-site.json``, says of which ledger the site is, and names the pages
and the files for their looks that the judge wrote there, each with a digest of what it was made
from and one of its bytes. A site of another ledger is not written into: nobody would get it back. A
folder that holds anything and no such list is not the judge's to write into; what is not on the
list is never touched, and what is, is kept or removed only if it still has the bytes that it was
given. The folder that the user names may be a link; in it no link is followed. Should a run end
before the list is written, its pages are written again: the list may know less than is true, never
more."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from judge import writing
from judge.documents import json_files
from judge.errors import JudgeFault, UsageError
from judge.show.pages import html

LIST = ".judge-site.json"
VERSION = 1
FOLDERS = ("bots", "games", "matches")

LONGEST = 2**28  # bytes of a list: some millions of pages
_PAGE = re.compile(r"(?:(?:bots|games|matches)/)?[a-z0-9][a-z0-9.-]*+")


class PageBytes(NamedTuple):
    """A page as it was written: its length and the digest of its bytes."""

    size: int
    digest: str


class Written(NamedTuple):
    """A page on the list: the digest of what it was made from, and what it then was."""

    digest: str
    page: PageBytes


class Folder:
    """A site's folder, open for writing; made by `opened`."""

    def __init__(self, path: Path, origin: str, known: dict[str, Written]) -> None:
        self.path = path
        self._origin = origin
        self.written = self.kept = self.removed = 0
        self._known = known  # as the list has it
        self._pages: dict[str, Written] = {}  # of this run

    def has(self, page: str, digest: str) -> bool:
        """Whether the page is there, made from the same; it then stays as it is."""
        known = self._known.get(page)
        if known is None or known.digest != digest or not known.page.digest:
            return False
        if not self._is_as_written(page):
            return False
        self._pages[page] = known
        self.kept += _is_page(page)
        return True

    def add(self, page: str, digest: str, written: PageBytes) -> None:
        """Take down that the page has been written."""
        self._pages[page] = Written(digest, written)
        self.written += _is_page(page)

    def put(self, page: str, text: str) -> None:
        """Write a page, unless it is there already."""
        digest = digest_of(text.encode())
        if not self.has(page, digest):
            self.put_made_from(page, digest, text)

    def put_made_from(self, page: str, digest: str, text: str) -> None:
        """Write a page that is made from what has this digest."""
        self.add(page, digest, write(self.path, page, text))

    def remove_others(self) -> None:
        """Remove the pages on the list that this run has no place for any more."""
        for page in self._known.keys() - self._pages.keys():
            if self._is_as_written(page):
                writing.remove(self.path, page)
                self.removed += _is_page(page)
        self._known = {}

    def save(self) -> None:
        """Write the list: the pages of this run, and those of earlier ones that are left."""
        pages = {page: [one.digest, *one.page] for page, one in (self._known | self._pages).items()}
        document = {
            "version": VERSION,
            "kind": "site",
            "ledger": self._origin,
            "pages": dict(sorted(pages.items())),
        }
        write(self.path, LIST, json.dumps(document, separators=(",", ":")) + "\n", durable=True)

    def _is_as_written(self, page: str) -> bool:
        size, digest = self._known[page].page
        return writing.size(self.path, page) == size and writing.digest(self.path, page) == digest


@contextlib.contextmanager
def opened(path: Path, origin: str, beginning: str) -> Iterator[Folder]:
    """The folder of a site, made if need be, for one judge at a time; ``origin`` and ``beginning``
    are those of the ledger (`judge.contest.standings.history.History`).

    However it is left, the list then has all that was written. Raises `UsageError` for a folder
    that is not the judge's, or another ledger's, and `JudgeFault` where nothing can be written.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; name a folder for the site")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    with _faults(path):
        path.mkdir(exist_ok=True)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # gone with this process, leaves nothing
        except BlockingIOError:
            raise JudgeFault(f"another judge is writing the site in {path} just now") from None
        folder = Folder(path, origin, _known(path, origin, beginning))
        with _faults(path):
            folder.save()  # from here on the folder is ours, whatever comes between
            for name in FOLDERS:
                writing.make_folder(path, name)
            try:
                yield folder
            finally:
                folder.save()
    finally:
        os.close(fd)


def write(folder: Path, page: str, text: str, *, durable: bool = False) -> PageBytes:
    """Put a file into the folder, whole."""
    data = text.encode()
    writing.replace(folder, page, data, durable=durable)
    return PageBytes(len(data), hashlib.sha256(data).hexdigest())


def digest_of(*parts: bytes) -> str:
    """A digest of these bytes, the parts of which cannot be mistaken for others."""
    found = hashlib.sha256()
    for part in parts:
        found.update(b"%d:" % len(part))
        found.update(part)
    return found.hexdigest()[:32]


def _known(path: Path, origin: str, beginning: str) -> dict[str, Written]:
    """The pages on the list. Raises `UsageError` if the folder is not the judge's, or holds the
    site of another ledger. A list names the ledger's ``beginning`` if it was written before the
    first game."""
    try:
        with os.fdopen(writing.opened(path / LIST, os.O_RDONLY), "rb") as file:
            text = file.read(LONGEST + 1)
    except FileNotFoundError:
        if any(path.iterdir()):
            raise UsageError(
                f"{path} holds other things than a site by the judge; name a new or empty folder"
            ) from None
        return {}
    except OSError as error:
        raise JudgeFault(f"{path / LIST} cannot be read: {error.strerror}") from error
    try:
        document: Any = (
            json_files.parse(text, json_files.MOST_OF_GAMES) if len(text) <= LONGEST else None
        )
        if document["version"] > VERSION:
            raise UsageError(f"{path} was written by a newer judge than this; name a new folder")
        if document["ledger"] not in ("", origin, beginning):
            raise UsageError(
                f"{path} has the pages of another ledger; name a new folder for these, or the other "
                "ledger by --ledger"
            )
        pages = {
            page: Written(made_from, PageBytes(*rest))
            for page, (made_from, *rest) in document["pages"].items()
        }
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UsageError(
            f"{path / LIST} is damaged, so what is the judge's there is not known; "
            "name a new folder, or remove this one"
        ) from None
    # A list that was tampered with must not lead out of the folder.
    return {page: one for page, one in pages.items() if _may_be_ours(page)}


def _is_page(name: str) -> bool:
    """Whether it is one of the pages, which are counted, and no file for their looks."""
    return name.endswith(".html")


def _may_be_ours(name: str) -> bool:
    return html.is_shared(name) or (_is_page(name) and _PAGE.fullmatch(name) is not None)


@contextlib.contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = error.filename2 or error.filename or path
        raise JudgeFault(f"{what} cannot be written: {error.strerror}") from error
