"""Receives, keeps and checks the uploads of a ladder. Uploads are checked one at a time. The
entrant whose checks took the least time so far comes first.

An upload has a folder under ``uploads``, named by the upload's number, with ``upload.json``. Unless
the upload was rejected or replaced, the folder also holds the file as it was sent, and the bot that
was unpacked from it. The folder gets its number by one rename, after the file is on the disk and
before the entrant is answered. An entrant's newest accepted upload is the bot that plays.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from judge import writing
from judge.check.examination import examine
from judge.contest.seeds import DRAWN_BITS
from judge.contest.settings import PlaySettings
from judge.contest.setup import Setup
from judge.documents.codec import encode
from judge.documents.host import LONGEST_REPORT, Upload, UploadState
from judge.errors import Interrupted, UsageError
from judge.play.proof import Proofs
from judge.play.run import Run
from judge.process.bots.bot import Bot, lying_at
from judge.serve.host.folder import now, read_document
from judge.serve.host.unpacking import program_in, unpack
from judge.show.check import text

_DOCUMENT, _ARCHIVE, _BOT, _NEW = "upload.json", "archive", "bot", ".new-"
SLACK = 2**20  # bytes by which a sent file may be longer than a bot
CHECK_SECONDS = 600.0  # seconds after which a check is broken off; most bots take less
MOST_KEPT = 20  # newest uploads of an entrant that are kept
LONGEST_FILE = 200  # characters of the name of a sent file that are kept
CUT = 60  # characters of a long path that a sentence may have kept
BUSY_SECONDS = 5.0  # seconds until a check that the judge could not finish is tried again


class Uploads:
    """The uploads in a folder. Any thread may call the methods. The constructor raises `JudgeFault`
    if an upload cannot be read."""

    def __init__(self, root: Path, settings: PlaySettings) -> None:
        self.settings = settings
        self.most_bytes = settings.bot_size_bytes + SLACK  # that a sent file may have
        self.proofs = Proofs()  # that bots may be forked: those of the checks hold for games
        self._root = root
        self._lock = threading.Lock()
        self._bots: dict[int, Bot] = {}
        for folder in root.glob(f"{_NEW}*"):  # left by a killed judge; the entrant got no answer
            shutil.rmtree(folder)
        self._known = {one.number: one for sent in uploads_in(root).values() for one in sent}

    def by_name(self) -> dict[str, list[Upload]]:
        """Return each entrant's uploads by the entrant's name, the newest first."""
        with self._lock:
            return _by_name([*self._known.values()])

    def number(self, number: int) -> Upload | None:
        return self._known.get(number)

    def receive(self, name: str, file_name: str, data: bytes) -> Upload:
        """Unpack and keep a file that an entrant sent, and return its upload. The upload is on the
        disk when this returns. If the entrant's newest upload has the same bot and is waiting or
        accepted, that upload is returned instead. Raises `UsageError` with a sentence for the
        entrant if the file is unfit, and OSError if the upload cannot be kept."""
        file_name = file_name[-LONGEST_FILE:]  # the end says how the file is unpacked
        new = self._root / f"{_NEW}{secrets.token_hex(8)}"
        new.mkdir()
        try:
            digest = self._unpacked(data, file_name, new).digest
            writing.replace(new, _ARCHIVE, data, durable=True)
            with self._lock:
                last = next(iter(_by_name(self._known.values()).get(name, ())), None)
                if last and last.digest == digest and last.state in ("waiting", "accepted"):
                    return last
                upload = Upload(
                    number=max(self._known, default=0) + 1,
                    name=name,
                    file=file_name,
                    digest=digest,
                    received=now(),
                )
                writing.replace(new, _DOCUMENT, encode(upload), durable=True)
                new.rename(self._root / str(upload.number))
                writing.sync_folder(self._root)
                self._known[upload.number] = upload
            return upload
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def waiting(self, spent: Mapping[str, float]) -> Upload | None:
        """Return the next upload to check, or None. ``spent`` has the seconds that each entrant's
        checks took; the entrant with the fewest comes first. A waiting upload is settled as
        superseded, without a check, if its entrant has sent a newer one."""
        found: list[Upload] = []
        for last, *others in self.by_name().values():
            found += [last] if last.state == "waiting" else []
            for upload in others:
                if upload.state == "waiting":
                    self.settle(upload, "superseded", "A later upload has taken its place.")
        return min(found, key=lambda one: (spent.get(one.name, 0.0), one.number), default=None)

    def settle(self, upload: Upload, state: UploadState, report: str) -> Upload:
        """Write the state and the report of an upload to the disk, and return the changed upload.
        Unless the upload is accepted, its bot and its archive are removed. Raises OSError if the
        state cannot be written."""
        settled = structs.replace(upload, state=state, report=report[:LONGEST_REPORT])
        folder = self._root / str(upload.number)
        writing.replace(folder, _DOCUMENT, encode(settled), durable=True)
        with self._lock:
            self._known[upload.number] = settled
        if state != "accepted":
            self._remove_files(settled)
        return settled

    def tidy(self, playing: Collection[int], entrants: Collection[str]) -> None:
        """Remove the files of accepted uploads that a newer accepted one has replaced. Settle the
        accepted uploads of names that are not in ``entrants`` as superseded. Remove all uploads of
        a name but the newest `MOST_KEPT`. Uploads that play, that wait, or whose numbers are in
        ``playing`` stay."""
        for name, uploads in self.by_name().items():
            current = playing_of(uploads) if name in entrants else None
            for place, upload in enumerate(uploads):
                if upload == current or upload.state == "waiting" or upload.number in playing:
                    continue
                self._bots.pop(upload.number, None)
                if place >= MOST_KEPT:
                    with self._lock:
                        del self._known[upload.number]
                    # Renamed first, so that a crash leaves no half of an upload.
                    gone = self._root / f"{_NEW}{upload.number}"
                    (self._root / str(upload.number)).rename(gone)
                    shutil.rmtree(gone)
                elif upload.state == "accepted" and name in entrants:
                    self._remove_files(upload)
                elif upload.state == "accepted":  # a later entrant of this name sends a bot anew
                    self.settle(upload, "superseded", upload.report)

    def _remove_files(self, upload: Upload) -> None:
        folder = self._root / str(upload.number)
        shutil.rmtree(folder / _BOT, ignore_errors=True)
        (folder / _ARCHIVE).unlink(missing_ok=True)

    def bot(self, upload: Upload) -> Bot:
        """Return the bot of an upload, under its entrant's name. The first call for an upload
        unpacks the archive again, since a crash may have damaged the bot's files; later calls
        return the same bot. Raises `UsageError` if the archive holds no bot that can be started,
        and OSError if the archive cannot be read."""
        if known := self._bots.get(upload.number):
            return known
        folder = self._root / str(upload.number)
        shutil.rmtree(folder / _BOT, ignore_errors=True)
        bot = self._unpacked((folder / _ARCHIVE).read_bytes(), upload.file, folder)
        self._bots[upload.number] = bot = replace(bot, name=upload.name)
        return bot

    def _unpacked(self, data: bytes, file_name: str, folder: Path) -> Bot:
        path, most_bytes = folder / _BOT, self.settings.bot_size_bytes
        unpack(data, file_name, path, most_bytes)
        try:
            return lying_at(program_in(path), most_bytes=most_bytes)
        except UsageError as error:  # the path on this machine is private
            said = str(error)
            for shown in (str(path), os.path.relpath(path)):  # a long path may have been cut
                said = said.replace(f"{shown}/", "").replace(shown[:CUT], "the upload")
            raise UsageError(said) from None


def playing_of(uploads: Iterable[Upload]) -> Upload | None:
    """Return the upload that plays for an entrant: the newest accepted one, or None. ``uploads``
    are all of the entrant's, the newest first."""
    return next((upload for upload in uploads if upload.state == "accepted"), None)


def _by_name(uploads: Iterable[Upload]) -> dict[str, list[Upload]]:
    """Group uploads by the names of their entrants, the newest first."""
    found: dict[str, list[Upload]] = {}
    for upload in sorted(uploads, key=lambda one: -one.number):
        found.setdefault(upload.name, []).append(upload)
    return found


def uploads_in(root: Path) -> dict[str, list[Upload]]:
    """Return each entrant's uploads in the folder ``root`` by the entrant's name, the newest first.
    Raises `JudgeFault` if an upload cannot be read."""
    return _by_name(read_document(Upload, folder, _DOCUMENT) for folder in root.glob("[0-9]*"))


@dataclass(slots=True)
class UploadChecks:
    """Checks waiting uploads in a thread of its own, until `close`. The thread calls ``changed``
    with each checked upload. It calls ``bug`` with an error of a check, which is tried again."""

    uploads: Uploads
    changed: Callable[[Upload], None]
    bug: Callable[[BaseException], None]
    _run: Run | None = None
    _spent: dict[str, float] = field(default_factory=dict)  # seconds, by entrant
    _closed: threading.Event = field(default_factory=threading.Event)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "checks"))

    def __post_init__(self) -> None:
        self.wake()

    def wake(self) -> None:
        """Have the thread check an upload that waits."""
        self._thread.submit(self._work)

    def close(self) -> None:
        self._closed.set()
        if run := self._run:
            run.interrupt()
        self._thread.shutdown(cancel_futures=True)

    def _work(self) -> None:
        try:
            if upload := self.uploads.waiting(self._spent):
                self.changed(self._check(upload))
                self.wake()
        except Interrupted:
            return
        except Exception as error:  # noqa: BLE001 - the ladder plays on, and the upload waits
            if not self._closed.is_set():
                self.bug(error)
            if not self._closed.wait(BUSY_SECONDS):
                self.wake()

    def _check(self, upload: Upload) -> Upload:
        # Counted before the attempt: an upload that cannot be checked must let others go first.
        self._spent[upload.name] = self._spent.get(upload.name, 0.0) + BUSY_SECONDS
        begin = time.monotonic()

        def tell_progress(*_: object) -> None:
            if time.monotonic() > begin + CHECK_SECONDS:
                raise UsageError(f"it takes over {CHECK_SECONDS:g} seconds; have it reply sooner")

        state: UploadState = "rejected"
        try:
            bot = self.uploads.bot(upload)
            setup = Setup.holding((bot,), self.uploads.settings)
            setup = replace(setup, proofs=self.uploads.proofs)
            self._run = run = setup.run()
            seed = secrets.randbits(DRAWN_BITS)
            report = examine(setup.bots[0], run, seed=seed, jobs=1, tell_progress=tell_progress)
            state = "accepted" if report.conforms else "rejected"
            again = f"judge check {upload.name} --seed {report.seed}"
            said = text(report, again=again, colour=False)
        except UsageError as error:
            said = f"It cannot be checked: {str(error).removesuffix('.')}."
        finally:
            self._run = None
            self._spent[upload.name] += time.monotonic() - begin
        return self.uploads.settle(upload, state, said)
