"""The log of what a client sends and receives, in the form of the published client of BSP.

A line is ``2030-01-02 03:04:05,678 - INFO - Received message: "TURN B".``, with the local time and
without control characters. Lines are added only to a file that is new, is empty or begins with a
line of this form.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from judge import writing
from judge.errors import UsageError
from judge.show.text import clean

MOST = 64 * 2**20  # bytes that one run adds at most: a server may send lines for ever
_LINE = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - [A-Z]+ - ")


class TrafficLog:
    """Writes lines to a file, or nowhere if ``path`` is None. If the file cannot be written any
    more, or has got `MOST` bytes of this run, the game goes on and ``failure`` says why nothing is
    logged. Raises `UsageError` for a file that cannot be opened or is not such a log."""

    def __init__(self, path: Path | None) -> None:
        self._fd: int | None = None
        self._room = MOST
        self.failure = ""
        if path is not None:
            try:
                self._fd = writing.opened_log(path, _LINE)
            except OSError as error:
                raise UsageError(f"--log {path} cannot be written: {error.strerror}") from None

    def say(self, sentence: str, level: str = "INFO") -> None:
        if self._fd is None:
            return
        now = datetime.now().astimezone()
        stamp = f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}"
        data = f"{stamp} - {level} - {clean(sentence)}\n".encode("utf-8", "backslashreplace")
        if len(data) > self._room:
            self.failure = f"the log has had {MOST // 2**20} MiB of this run, and gets no more"
            self.close()
            return
        self._room -= len(data)
        try:
            while data:
                data = data[os.write(self._fd, data) :]
        except OSError as error:
            self.failure = f"the log cannot be written any more: {error.strerror}"
            self.close()

    def sent(self, data: bytes) -> None:
        self._lines("Sent", data)

    def received(self, line: bytes) -> None:
        self._lines("Received", line)

    def _lines(self, direction: str, data: bytes) -> None:
        for line in data.decode("utf-8", "replace").split("\n"):
            if line:
                self.say(f'{direction} message: "{line}".')

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
