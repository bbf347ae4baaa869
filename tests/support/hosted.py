"""A ladder's pages in this process, and requests to them as a browser or a program sends them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from judge.contest.settings import PlaySettings
from judge.documents.game import Limits
from judge.game.variants import BRAINJAR
from judge.serve.host.entry import EntryPages
from judge.serve.host.folder import HostFolder
from judge.serve.host.gate import Gate, Hosting
from judge.serve.host.readers import Readers
from judge.serve.host.site import application
from judge.serve.host.stderr import StderrStore
from judge.serve.host.uploads import Uploads
from judge.serve.host.view import LedgerView
from judge.serve.live_page import Hub
from judge.serve.page_server import in_thread, serving
from judge.serve.rate_limits import ClientBounds
from judge.serve.server import Address
from judge.show.page_words import CONTEST
from judge.show.pages.host import Ladder

SETTINGS = PlaySettings(
    rules=BRAINJAR, limits=Limits(), isolation="bwrap", bot_size_bytes=2 * 2**20
)
BOUNDARY = "a-boundary"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Bell:
    """Stands in for the checks of uploads, and is told when one has come."""

    def __init__(self) -> None:
        self.rung = 0

    def wake(self) -> None:
        self.rung += 1


@dataclass
class Hosted:
    folder: HostFolder
    uploads: Uploads
    stderr: StderrStore
    port: int = 0
    view: Any = None
    readers: Any = None
    checks: Bell = field(default_factory=Bell)
    bugs: list[BaseException] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        host: str = "127.0.0.1",
        **headers: str,
    ) -> Answer:
        """An answer; an underscore in the name of a header is a hyphen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.connect()
            # A body that is too long is refused, and the connection closed, before it is read.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body, {"Host": f"{host}:{self.port}", **named})
            response = connection.getresponse()
            return Answer(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                response.read().decode(errors="replace"),
            )
        finally:
            connection.close()

    def streams(
        self, path: str, count: int, until: ExitStack | None = None, address: str = "127.0.0.1"
    ) -> list[int]:
        """The statuses of streams that a reader begins; they are open until then."""
        found = []
        with ExitStack() as now:
            for _ in range(count):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                (until or now).callback(connection.close)
                connection.request("GET", path, headers={"X-Forwarded-For": address})
                response = connection.getresponse()
                (until or now).callback(response.close)
                found.append(response.status)
        return found

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def send(self, path: str, *, cookie: str = "", origin: str = "", **fields: str) -> Answer:
        """A form as a browser sends it from a page of the ladder."""
        return self.ask(
            path,
            method="POST",
            body=urlencode(fields).encode(),
            Origin=origin or self.origin,
            Cookie=f"judge_token={cookie}",
            Content_Type="application/x-www-form-urlencoded",
        )

    def upload(self, token: str, called: str, data: bytes) -> Answer:
        """A file as the page sends it."""
        head = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="bot"; '
            f'filename="{called}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        )
        return self.ask(
            "/me/upload",
            method="POST",
            body=head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode(),
            Origin=self.origin,
            Cookie=f"judge_token={token}",
            Content_Type=f"multipart/form-data; boundary={BOUNDARY}",
        )

    def submit(self, token: str, called: str, data: bytes, **headers: str) -> Answer:
        """A file as `judge submit` sends it."""
        return self.ask(
            f"/api/uploads?name={called}",
            method="POST",
            body=data,
            Authorization=f"Bearer {token}",
            **headers,
        )


@contextmanager
def hosted(
    path: Path,
    *,
    is_open: bool = False,
    is_approving: bool = False,
    behind_proxy: bool = False,
    url: str = "http://ladder.example",
    title: str = "Pond",
    most_streams: int = 150,
) -> Iterator[Hosted]:
    """The pages of the ladder in a folder, without anything that plays or checks."""
    folder = HostFolder(path)
    folder.make()
    with ExitStack() as until:
        uploads = Uploads(folder.uploads, SETTINGS)
        found = Hosted(folder, uploads, StderrStore(folder.stderr))
        hub = Hub(title, CONTEST)
        view = found.view = LedgerView(folder, found.notes.append, found.bugs.append)
        where = Address("127.0.0.1", 0)
        hosting = Hosting(
            ladder=Ladder(title, is_open=is_open),
            where=where,
            url=url,
            is_approving=is_approving,
            behind_proxy=behind_proxy,
        )
        gate = Gate(hosting, view, most_streams)
        readers = found.readers = Readers(hosting.ladder, gate, view, hub)
        checks: Any = found.checks  # it is asked for nothing else
        entry = EntryPages(hosting.ladder, gate, view, folder, uploads, checks, found.stderr)
        app = application(readers, entry)
        bounds = ClientBounds(clients=300, per_address=300)
        serve = partial(
            serving,
            app,
            hub,
            where,
            bounds,
            bug=found.bugs.append,
            option="--host",
        )

        def ready(addresses: list[Address]) -> None:
            found.port = addresses[0].port

        until.enter_context(in_thread(serve, found.bugs.append, ready))
        found.view.follow(lambda: None)
        until.callback(found.view.close)
        yield found
    assert found.bugs == []
