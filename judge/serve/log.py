"""What a server says while it runs: lines, written by a thread of their own.

Who reads them may stop reading, and a disk may be slow: no game waits for that. Where too many
lines wait already, new ones are dropped and counted. What came from clients is cleaned of control
characters.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from judge.documents.codec import builtins
from judge.documents.reports import ServerEvent, ServerEventKind
from judge.play.referee import stamp
from judge.quoting import json_text
from judge.show.text import clean

MOST_WAITING = 10_000  # lines
PATIENCE = 0.5  # seconds for the last lines, when the server ends


class ServerLogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class Writer(Protocol):
    def write(self, line: str) -> None:
        """Take a line, without its end."""


class LineWriter:
    """Writes lines to a file descriptor, in order; a daemon thread does it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self.dropped = 0
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Wait a moment for what is not written yet."""
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)
            self._thread.join(PATIENCE)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            data = line.encode("utf-8", "backslashreplace") + b"\n"
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                return  # nobody reads the log any more, and the games go on


class Log:
    """The events of a server, as sentences or as one JSON object a line."""

    def __init__(self, writer: Writer, form: ServerLogFormat = ServerLogFormat.TEXT) -> None:
        self._writer = writer
        self._form = form

    def say(self, event: str, sentence: str, **more: Any) -> None:
        """Tell an event; ``sentence`` says all of it, ``more`` are its values."""
        now = datetime.now(UTC)
        if self._form is ServerLogFormat.JSON:
            kind = ServerEventKind(event)
            document = ServerEvent(event=kind, time=stamp(now), text=sentence, **more)
            self._writer.write(json_text(json.dumps(builtins(document), separators=(",", ":"))))
        else:
            self._writer.write(f"{now.astimezone():%H:%M:%S} {clean(sentence)}")
