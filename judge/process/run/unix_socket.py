"""The connection to a program that lives for a match, over a Unix socket of its own.

The socket takes one connection and is then removed, so that nobody else can take the program's
place. Other users can read the socket's path in the command line, but the socket belongs to the
bot's user, and the kernel lets nobody else connect. If the judge is killed, the next judge removes
the socket (`judge.process.run.scratch`). A read gets at most one message. stdin is closed, and the
program's stdout is kept for evidence.

Everything else is as in `judge.process.run.pipes`.
"""

from __future__ import annotations

import os
import re
import select
import socket
from contextlib import closing, suppress
from pathlib import Path

from judge.errors import LaunchFault, TimedOut
from judge.process.run.connection import text_of
from judge.process.run.launch import LiveProgram, MeetingPlace
from judge.process.run.limits import GRACE_SECONDS, MOST_STDERR_BYTES
from judge.process.run.listening import TwoEnds, read_now
from judge.process.run.pipes import Pipes
from judge.wire.contest import FRAME_BYTES

NAME = "battleships.socket"
LONGEST_PATH = 107  # bytes, in Linux
# A program that reads half a message may fail, so each is written whole.
_WRITTEN_AT_ONCE = 16 * FRAME_BYTES  # bytes that the kernel takes whole or not at all

_PADDING = re.compile(rb"\0+")


class UnixSocket(Pipes):
    """The connection to a process for a match, over a Unix socket; see
    `judge.process.run.pipes.Pipes`."""

    parting_seconds = 2.0
    read_bytes = FRAME_BYTES  # further bytes belong to the next answer

    _listening: socket.socket | None = None  # open until the program has connected
    _socket: socket.socket | None = None  # open once the program has connected
    _to_it = _from_it = -1

    def finish(self) -> None:
        if not self._is_late:
            super().finish()

    def send(self, data: bytes) -> None:
        if self._socket is None or self._queue or self.is_deaf:
            super().send(data)
            return
        self._log.send(data)
        try:
            written = self._socket.send(data)
        except OSError:
            written = 0
        if written < len(data):
            self._queue += data[written:]
            self._flush()

    def receive(self, deadline: float) -> bytes:
        if self._fetched is None and (data := self._taken()):
            return data
        return super().receive(deadline)

    def fetch(self, deadline: float) -> None:
        self._fetched = self._taken()
        if self._fetched is None:
            super().fetch(deadline)

    def _taken(self) -> bytes | None:
        """The bytes of an answer that is there already, read without a wait, or None if no answer
        is there."""
        if self._socket is None or self._fault or self._has_ended:
            return None
        try:
            data = self._socket.recv(FRAME_BYTES)
        except OSError:
            return None
        if data:
            self._log.look()
            self._log.received += data
        return data or None

    def _late(self) -> TimedOut:
        what = "sent no message" if self._socket else "did not connect to its socket"
        seconds = self._overdue - self._log.asked
        return TimedOut(f"{what} within {seconds:.3g} s")

    @property
    def _when(self) -> str:
        if self._socket is None:
            return " before it connected to its socket"
        return " before it was asked" if self.is_deaf else " before it replied"

    @property
    def gone(self) -> str:
        ended = "exited with status 0" if self._has_exited else "closed its connection"
        return f"{ended}{self._when}"

    def _launched(self) -> LiveProgram:
        self._stdout = TwoEnds(MOST_STDERR_BYTES)
        place = self._kept.enter_context(self._launcher.meeting_place())
        try:
            self._listening = self._kept.enter_context(closing(_listening(place)))
        except OSError as error:
            raise LaunchFault(f"no socket could be made: {error.strerror or error}") from error
        self._path = Path(place.folder, NAME)
        self._kept.callback(self._path.unlink, missing_ok=True)
        path = f"{place.seen}/{NAME}"
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise LaunchFault(
                f"no socket could be made: its path, {path}, is longer than {LONGEST_PATH} bytes; set "
                "TMPDIR to a folder with a shorter path"
            )
        return self._launcher.start(self._luck, self._workplace, (path,))

    def _listen_to(self, program: LiveProgram) -> None:
        assert self._listening, "it is there before the program"
        program.streams.close_stdin()
        for fd in (program.streams.stdout, self._listening.fileno()):
            self._ready.register(fd, select.EPOLLIN)

    def _look_at(self, fd: int) -> None:
        assert self._program, "it is there to be heard"
        if fd == self._program.streams.stdout:
            printed = read_now(fd)
            self._stdout.add(printed or b"")
            if printed == b"":
                self._ready.unregister(fd)
        else:
            self._accept()

    def _accept(self) -> None:
        """Accept the one connection."""
        assert self._listening, "nothing else is listened to"
        try:
            connected, _ = self._listening.accept()
        except (BlockingIOError, ConnectionError):  # the program has closed it again
            return
        except OSError as error:
            raise LaunchFault(f"a program could not be listened to: {error.strerror}") from error
        self._socket = self._kept.enter_context(closing(connected))
        connected.setblocking(False)
        self._ready.unregister(self._listening)
        self._listening.close()
        self._path.unlink(missing_ok=True)
        self._to_it = self._from_it = connected.fileno()
        self._watch(connected.fileno(), select.EPOLLIN)
        self._is_stdin_watched = False
        self._flush()

    @property
    def _grace(self) -> float:
        return super()._grace if self._socket else GRACE_SECONDS

    def _read(self, most: int) -> bytes | None:
        if self._queue:
            self._flush()
        try:
            return super()._read(most)
        except ConnectionResetError:  # the program has closed its end with unread bytes in it
            self._ready.unregister(self._from_it)
            return b""

    def _write(self, data: bytearray) -> int:
        if self._socket is None:
            raise BlockingIOError
        return os.write(self._to_it, data[:_WRITTEN_AT_ONCE])

    def _watch_for_room(self, is_wanted: bool) -> None:
        if self._socket and not self._has_ended:
            wanted = select.EPOLLIN | select.EPOLLOUT if is_wanted else select.EPOLLIN
            with suppress(OSError):  # the socket is not watched any more
                self._ready.modify(self._to_it, wanted)

    def _end_of_questions(self, program: LiveProgram) -> None:
        if self._socket:
            with suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_WR)

    def _conclude(self) -> None:
        if self._program and (printed := read_now(self._program.streams.stdout)):
            self._stdout.add(printed)
        super()._conclude()

    @property
    def _printed(self) -> bytes:
        return self._stdout.whole()

    @staticmethod
    def _text(data: bytes) -> str:
        return text_of(_PADDING.sub(b"\n", data))


def _listening(place: MeetingPlace) -> socket.socket:
    """A listening socket in this place, to which one program of the bot's user may connect.

    Only a user who may write to the socket can connect. The socket's owner and permissions are set
    before it listens, so no other user can connect first.
    """
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(place.folder, os.O_PATH | os.O_DIRECTORY)
    try:
        path = f"/proc/self/fd/{folder}/{NAME}"  # short, even if the folder's path is long
        Path(path).unlink(missing_ok=True)
        made.setblocking(False)
        made.bind(path)
        Path(path).chmod(0o600)
        if place.user is not None:
            os.chown(path, place.user, place.user)
        made.listen(1)
    except BaseException:
        made.close()
        raise
    finally:
        os.close(folder)
    return made
