"""The log of a server's events, and the log of its clients' lines. A thread for each log writes it.

So no game waits for a slow disk, or for a reader of the log that stops reading. If too many lines
wait already, new ones are dropped and counted. Clients' control characters are removed or escaped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import re
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from judge.documents.codec import builtins
from judge.documents.reports import ServerEvent, ServerEventKind
from judge.errors import BadOutput
from judge.play.referee import stamp
from judge.quoting import json_text
from judge.serve.rate_limits import Allowance
from judge.show.text import clean, many
from judge.wire.lines import LineBuffer

if TYPE_CHECKING:
    from judge.serve.core import Client

MOST_WAITING = 10_000  # lines
LONGEST = 4096  # bytes of a client's line that are logged
PATIENCE = 0.5  # seconds for the last lines, when the server ends
FLOODING = ("refused", "dropped")  # events that strangers can cause without end
FEW, COUNTED_SECONDS = 20, 5.0  # such events are logged one by one; then one each 5 s, and a count


class ServerLogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class Writer(Protocol):
    def write(self, line: str) -> None:
        """Write a line, given without its line end."""


class LineWriter:
    """Writes lines to a file descriptor, in order, in a daemon thread."""

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
        """Wait at most `PATIENCE` seconds for the last lines. If the queue is full, do not wait."""
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
                return  # the log has no reader any more, and the games go on


DAY = "%Y-%m-%d "
BEGIN = {
    ServerLogFormat.TEXT: re.compile(
        rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+:\d+ (?:said|was told|wrote)"
    ),
    ServerLogFormat.JSON: re.compile(rb'\{"version":1,"event":"(?:sent|received)"'),
}
"""The pattern with which a file of clients' lines begins, for each format of the log. In the text
format each line of such a file begins with the date."""


class Log:
    """The log of a server's events, as sentences or as one JSON object a line. ``day`` is the
    format of the date before the time of a sentence. Events in `FLOODING` are logged one by one
    while they are few. Beyond that they are counted, and the count is logged every few seconds."""

    def __init__(
        self, writer: Writer, form: ServerLogFormat = ServerLogFormat.TEXT, day: str = ""
    ) -> None:
        self._writer = writer
        self._form = form
        self._times = f"{day}%H:%M:%S"
        self._floods = Allowance(FEW, COUNTED_SECONDS)  # uses of each flooding event
        self._untold = dict.fromkeys(FLOODING, 0)

    def say(self, event: str, sentence: str, *, again: bool = False, **more: Any) -> None:
        """Log an event. ``sentence`` is the whole event as text, and ``more`` has the event's
        values for JSON. A text log leaves out an event that is marked with ``again``."""
        if again and self._form is ServerLogFormat.TEXT:
            return
        if event in FLOODING and not self._floods.take(event):
            if not self._untold[event]:
                loop = asyncio.get_running_loop()
                loop.call_later(COUNTED_SECONDS, self.say_untold, event)
            self._untold[event] += 1
        else:
            self._tell(event, sentence, more)

    def say_untold(self, event: str) -> None:
        """Log how many events of this kind were counted since the last call, if there are any."""
        count, self._untold[event] = self._untold[event], 0
        if count:
            clients = many(count, "more client")
            self._tell(event, f"{clients} {'was' if count == 1 else 'were'} {event}", {})

    def _tell(self, event: str, sentence: str, more: Mapping[str, Any]) -> None:
        now = datetime.now(UTC)
        if self._form is ServerLogFormat.JSON:
            kind = ServerEventKind(event)
            document = ServerEvent(event=kind, time=stamp(now), text=sentence, **more)
            self._writer.write(json_text(json.dumps(builtins(document), separators=(",", ":"))))
        else:
            self._writer.write(f"{now.astimezone():{self._times}} {clean(sentence)}")


class MessageLog:
    """Logs the lines to and from clients as events. A received line that is too long is not
    quoted."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._coming: WeakKeyDictionary[Client, LineBuffer] = WeakKeyDictionary()

    def sent(self, client: Client, data: bytes) -> None:
        for line in data.split(b"\n")[:-1]:
            self._say("sent", client, "was told", line)

    def received(self, client: Client, data: bytes) -> None:
        """Log each line that ``data`` completes. ``b""`` is the end of the stream."""
        lines = self._coming.setdefault(client, LineBuffer(LONGEST))
        lines.add(data)
        while True:
            try:
                line = lines.take()
            except BadOutput as error:
                self._log.say("received", f"{client.label} {error}", client=client.label)
                continue
            if line is None:
                return
            self._say("received", client, "said", line)

    def _say(self, event: str, client: Client, what: str, line: bytes) -> None:
        message = line.decode("utf-8", "replace")
        self._log.say(
            event, f"{client.label} {what}: {message}", client=client.label, message=message
        )
