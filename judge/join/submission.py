"""Sends a bot to a hosted ladder over HTTP, and asks for the state of an upload.

The reply is a stranger's, so at most `MOST_REPLY` bytes of it are read. No redirection is
followed, so the token goes only to the address that the user gave.
"""

from __future__ import annotations

import http.client
import io
import ssl
import tarfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

from judge.documents.codec import DocumentError, decode
from judge.documents.ladder import MOST_REPLY, Refusal, UploadReply
from judge.errors import JudgeFault, UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.files import quoted
from judge.process.bots.tree import Tree

SECONDS = 60.0  # seconds for a reply


class LadderClient:
    """A client of the ladder at an ``http`` or ``https`` address, with an entrant's token."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self._is_secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._token = token

    def submit(self, name: str, data: bytes) -> UploadReply:
        """Send ``data`` as a file called ``name``. Raises `UsageError` if the ladder refuses the
        upload. Raises `JudgeFault` if the ladder cannot be reached or its answer cannot be read."""
        return self._asked("POST", f"/api/uploads?name={quote(name)}", data)

    def state(self, number: int) -> UploadReply:
        """Ask for the state of the upload with this number. Raises as `submit`."""
        return self._asked("GET", f"/api/uploads/{number}")

    def _asked(self, method: str, path: str, data: bytes | None = None) -> UploadReply:
        headers = {"Authorization": f"Bearer {self._token}", "Connection": "close"}
        if self._is_secure:
            context = ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=SECONDS, context=context
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)
        try:
            connection.connect()
            # A ladder that refuses a long file may answer and close before it has read all.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, data, headers)
            response = connection.getresponse()
            body = response.read(MOST_REPLY)
            if response.length and len(body) < MOST_REPLY:
                raise ConnectionError("its answer broke off")
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise JudgeFault(f"the ladder at {self._host} cannot be reached: {why}") from None
        finally:
            connection.close()
        try:
            if response.status >= 400:
                raise UsageError(f"the ladder refuses: {decode(Refusal, body, 'it').error[:2000]}")
            return decode(UploadReply, body, "it")
        except DocumentError:
            raise JudgeFault(
                f"what answers at {self._host} is not a ladder (status {response.status})"
            ) from None


def packed(bot: Bot) -> tuple[str, bytes]:
    """The name and the bytes of a bot's upload: its single file, or its folder as ``.tar.gz``.
    Raises `UsageError` for a bot that is not one file or folder, and for a folder with a link."""
    if len(bot.files) != 1:
        raise UsageError(f"{bot.name} is a command line; send a file, or a folder with a bot.json")
    (path,) = bot.files
    if not path.is_dir():
        return path.name, path.read_bytes()
    tree = Tree.of(path, quoted(path))
    if link := next((name for name, entry in tree.entries.items() if entry.target), None):
        raise UsageError(f"{quoted(path / link)} is a link, which a ladder does not take")
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        for name in sorted(tree.entries):
            info = tarfile.TarInfo(name)  # the owner and the times of a file are not sent
            data = Path(tree.root, name).read_bytes()
            info.size, info.mode = len(data), tree.entries[name].mode & 0o777
            archive.addfile(info, io.BytesIO(data))
    return f"{bot.name}.tar.gz", into.getvalue()
