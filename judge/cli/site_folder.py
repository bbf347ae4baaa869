"""Writes the folder of a site. The pages of a new site are written in their places. The pages of a
later run are written into a temporary folder, and replace the old ones at the end.

The file ``.judge-site.json`` names the site's ledger. A folder is refused if it has other files but
not this one, or if this one is damaged or names another ledger. The judge replaces ``index.html``,
the style sheets and scripts, and the folders of pages. It leaves all other files. The folder that
the user names may be a link; no link inside it is followed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from judge import writing
from judge.documents.codec import DocumentError, decode, encode
from judge.documents.site import SiteOrigin
from judge.errors import JudgeFault, UsageError
from judge.show.pages import html
from judge.signals import look

LIST = ".judge-site.json"
FOLDERS = ("bots", "games", "matches")
_NEW, _OLD = ".judge-site.new", ".judge-site.old"


class Pages(NamedTuple):
    """The place where pages are written: ``site``, or the folder ``below`` in it. ``below`` is
    empty or ends in a slash."""

    site: Path
    below: str

    def put(self, page: str, text: str) -> None:
        writing.replace(self.site, f"{self.below}{page}", text.encode())


class Folder:
    """A site that is being written. The site ``is_first`` if the folder had no pages before."""

    def __init__(self, pages: Pages, *, is_first: bool) -> None:
        self.pages = pages
        self.is_first = is_first
        self.written = 0  # number of pages, without style sheets and scripts

    def put(self, page: str, text: str) -> None:
        look()
        self.pages.put(page, text)
        self.written += page.endswith(".html")


@contextlib.contextmanager
def opened(path: Path, origin: str) -> Iterator[Folder]:
    """Open the folder of a site, made if need be, for one judge at a time. ``origin`` is the id of
    the ledger (`judge.contest.standings.history.History`).

    New pages take the place of old ones when the context ends without an error. Raises `UsageError`
    if the path is a file or has no parent folder, or if the folder holds anything but a site of
    this ledger. Raises `JudgeFault` if the folder cannot be used or another judge writes there.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; name a folder for the site")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    with contextlib.ExitStack() as until:
        with _faults(path):
            path.mkdir(exist_ok=True)
            fd = until.enter_context(writing.held(path))
        if fd is None:
            raise JudgeFault(f"another judge is writing the site in {path} just now")
        _require_ours(path, origin)
        with _faults(path):
            writing.replace(path, LIST, encode(SiteOrigin(ledger=origin)) + b"\n")
            _clear(path)  # what a judge that was killed has left
            is_first = not {*FOLDERS, "index.html"} & {one.name for one in path.iterdir()}
            for name in () if is_first else (_NEW, _OLD):
                (path / name).mkdir()
            pages = Pages(path, "" if is_first else f"{_NEW}/")
            try:
                for name in FOLDERS:
                    (path / pages.below / name).mkdir()
                yield Folder(pages, is_first=is_first)
                if not is_first:
                    _replace(path, fd)
            finally:
                _clear(path)


def _replace(path: Path, fd: int) -> None:
    """Put the new pages in the place of the old ones; ``fd`` is the folder's descriptor."""
    with (
        writing.folder_of(path, f"{_NEW}/any") as (new, _),
        writing.folder_of(path, f"{_OLD}/any") as (old, _),
    ):
        for name in os.listdir(fd):
            if name in (*FOLDERS, "index.html") or html.is_shared(name):
                os.rename(name, name, src_dir_fd=fd, dst_dir_fd=old)
        for name in os.listdir(new):  # noqa: PTH208 - a Path has no descriptor
            os.rename(name, name, src_dir_fd=new, dst_dir_fd=fd)


def _clear(path: Path) -> None:
    """Remove the temporary folders of new and old pages."""
    for place in (path / _NEW, path / _OLD):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)  # rmtree follows no link
        else:
            place.unlink(missing_ok=True)


def _require_ours(path: Path, origin: str) -> None:
    """Raise `UsageError` if the folder is not empty and its file `LIST` is missing, damaged or of
    another ledger."""
    try:
        text = writing.read(path, LIST, SiteOrigin.MOST_BYTES + 1)
    except FileNotFoundError:
        if any(path.iterdir()):
            raise UsageError(
                f"{path} holds other things than a site by the judge; name a new or empty folder"
            ) from None
        return
    except OSError as error:
        raise JudgeFault(f"{path / LIST} cannot be read: {error.strerror}") from error
    try:
        ledger = decode(SiteOrigin, text, LIST).ledger
    except DocumentError:
        raise UsageError(
            f"{path / LIST} is damaged, so whose site it is, is not known; name a new folder, or "
            "remove this one"
        ) from None
    if ledger not in ("", origin):
        raise UsageError(
            f"{path} has the pages of another ledger; name a new folder for these, or the other "
            "ledger by --ledger"
        )


@contextlib.contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = error.filename2 or error.filename or path
        raise JudgeFault(f"{what} cannot be written: {error.strerror}") from error
