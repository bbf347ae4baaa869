"""The server of the live page on real sockets: what browsers are sent, and what they cannot do."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from changes import replace
from games import played
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell
from judge.errors import UsageError
from judge.game.events import Shot
from judge.game.variants import BRAINJAR, XBS
from judge.serve import live_page, page_server
from judge.serve.bsp import Matchmaking, dealer
from judge.serve.ledger_store import GameStore, LedgerStore
from judge.serve.live_page import Hub
from judge.serve.log import Log
from judge.serve.page_server import page_in_thread, serving, serving_page
from judge.serve.rate_limits import ClientBounds
from judge.serve.server import Address
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import Options
from judge.show.live_game import Document, LiveGame
from judge.show.page_words import FIGHT
from serving import PATIENCE, Serving, later, run

pytestmark = pytest.mark.whole

HERE = Address("127.0.0.1", 0)
WORDS = 500 * "…"  # six bytes each where they are sent


@dataclass
class Browser:
    """One connection, that reads events."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    buffer: str = ""

    async def event(self) -> tuple[str, Document]:
        """The next event that says something."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while "\n\n" not in self.buffer:
                    size = int(await self.reader.readline() or b"0", 16)
                    if not size:
                        return "nothing more", {}
                    self.buffer += (await self.reader.readexactly(size)).decode()
                    await self.reader.readline()
                text, _, self.buffer = self.buffer.partition("\n\n")
                if text != ":":
                    name, data = text.split("\n", 1)
                    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))

    async def hears(self, word: str) -> list[str]:
        """The names of the events up to the one that ends with this word being said."""
        names = []
        while True:
            name, what = await self.event()
            names.append(name)
            assert name in ("state", "change")
            if what.get("chat") and what["chat"][-1][1].split()[0] == word:
                return names

    async def closed(self) -> bytes:
        """The bytes that are sent up to the end of the connection."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""


@dataclass
class Site:
    hub: Hub
    port: int
    browsers: list[Browser] = field(default_factory=list)

    async def connect(self, holds: int | None = None) -> Browser:
        connection = socket.socket()
        connection.setblocking(False)
        if holds:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, holds)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self.port))
        streams = await asyncio.open_connection(sock=connection, limit=holds or 2**16)
        self.browsers.append(Browser(*streams))
        return self.browsers[-1]

    async def ask(
        self, path: str, *headers: str, host: str = "127.0.0.1", method: str = "GET"
    ) -> tuple[int, str, str]:
        """The status, the head and the body of an answer."""
        browser = await self.connect()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]
        browser.writer.write("\r\n".join(lines).encode())
        head, _, body = (await browser.closed()).decode().partition("\r\n\r\n")
        browser.writer.close()
        return int(head.split(" ")[1]), head, body

    async def follow(self, game: str = "", holds: int | None = None) -> Browser:
        browser = await self.connect(holds)
        browser.writer.write(f"GET /events{game} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        async with asyncio.timeout(PATIENCE):
            head = await browser.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        return browser


@asynccontextmanager
async def site(bounds: ClientBounds | None = None) -> AsyncIterator[Site]:
    hub = Hub("An evening")
    bugs: list[BaseException] = []
    async with serving_page(hub, HERE, bounds or ClientBounds(), bug=bugs.append) as (address,):
        one = Site(hub, address.port)
        yield one
        for browser in one.browsers:
            browser.writer.close()
    for browser in one.browsers:
        with suppress(ConnectionError):
            await browser.writer.wait_closed()
    assert bugs == []


def watching(test: Callable[[Site], Awaitable[None]], bounds: ClientBounds | None = None) -> None:
    async def main() -> None:
        async with site(bounds) as one:
            await test(one)

    run(main())


def begun(hub: Hub, names: tuple[str, ...] = ("ann", "bob")) -> LiveGame:
    game = LiveGame(names, XBS)
    hub.live.begin(game)
    return game


def shot(column: int) -> Shot:
    return Shot(0, 1, Cell(column, 0), Result.MISS)


def test_who_comes_gets_all_and_then_what_changes() -> None:
    """The first event is the whole state, whenever one comes; then shots come as they fall, and
    the end of the server is told."""

    async def test(one: Site) -> None:
        early = await one.follow()
        assert (await early.event())[1]["game"] is None
        game = begun(one.hub)
        one.hub.live.fire(game, [shot(0)], [1])
        name, change = await early.event()
        assert (name, change["game"]["names"]) == ("change", ["ann", "bob"])
        late = await one.follow()
        name, state = await late.event()
        assert (name, state["game"]["boards"]) == ("state", [[], [[0, 0, "m"]]])
        one.hub.live.fire(game, [shot(1)], [1])
        for browser in (early, late):
            name, change = await browser.event()
            assert (name, change["move"][-1]["marks"]) == ("change", [[1, 1, 0, "m"]])
        one.hub.close()
        for browser in (early, late):
            assert (await browser.event())[0] == "end"
            assert (await browser.event())[0] == "nothing more"

    watching(test)


def test_who_follows_one_game_is_told_of_no_shot_in_others() -> None:
    """Without a choice one follows the game that is shown, the first; others can be chosen."""

    async def test(one: Site) -> None:
        first, second = begun(one.hub), begun(one.hub, ("eve", "joe"))
        shown, chosen = await one.follow(), await one.follow("?game=2")
        assert (await shown.event())[1]["game"]["number"] == 1
        assert (await chosen.event())[1]["game"]["number"] == 2
        one.hub.live.fire(first, [shot(0)], [1])
        one.hub.live.fire(second, [shot(5)], [1])
        for browser, column in ((shown, 0), (chosen, 5)):
            (move,) = (await browser.event())[1]["move"]
            assert move["marks"] == [[1, column, 0, "m"]]

    watching(test)


async def much_is_said(one: Site) -> Browser:
    """Say so much that browsers which do not read fall behind; returns one that has heard all."""
    quick = await one.follow()
    for count in range(300):
        one.hub.live.say("ann", f"{count} {WORDS}")
        await later(0.05)
        await quick.hears(str(count))
    return quick


def test_who_has_fallen_behind_gets_all_anew() -> None:
    """A browser that reads slowly is sent the state again, not what it has missed."""

    async def test(one: Site) -> None:
        slow = await one.follow(holds=4096)
        await much_is_said(one)
        names = await slow.hears("299")
        assert names[0] == "state"
        assert "state" in names[1:]
        assert len(names) < 300

    watching(test)


def test_who_never_reads_is_dropped_and_harms_nobody() -> None:
    """The data that wait for it are bounded; it goes, and the others have been told everything."""

    async def test(one: Site) -> None:
        deaf = await one.follow(holds=4096)
        quick = await much_is_said(one)
        await later(page_server.UNTAKEN + 1)
        rest = await deaf.closed()
        assert len(rest) < 300 * len(WORDS) * 6 / 2
        one.hub.live.say("ann", "still here")
        await quick.hears("still")

    watching(test)


def test_who_asks_for_nothing_is_dropped() -> None:
    """A connection has ten seconds for its request."""

    async def test(one: Site) -> None:
        silent = await one.connect()
        silent.writer.write(b"GET / HTTP/1.1\r\nHost: local")
        follower = await one.follow()
        await follower.event()
        await later(page_server.REQUEST + 1)
        assert await silent.closed() == b""
        begun(one.hub)
        assert (await follower.event())[0] == "change"

    watching(test)


@pytest.mark.parametrize(
    "bounds", [ClientBounds(clients=3), ClientBounds(clients=100, per_address=3)]
)
def test_there_are_so_many_browsers_and_no_more(bounds: ClientBounds) -> None:
    """One more is turned away at once; when one goes there is room again."""

    async def test(one: Site) -> None:
        browsers = [await one.follow() for _ in range(3)]
        turned_away = await one.connect()
        assert await turned_away.closed() == b""
        browsers[0].writer.close()
        await browsers[0].writer.wait_closed()
        for _ in range(1000):
            await asyncio.sleep(0.001)
            again = await one.connect()
            again.writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if (await again.closed()).startswith(b"HTTP/1.1 200 "):
                return
        pytest.fail("there is no room")

    watching(test, bounds)


@pytest.mark.parametrize(
    ("host", "headers", "status"),
    [
        ("127.0.0.1", (), 200),
        ("127.0.0.1:8000", (), 200),
        ("[::1]:8000", (), 200),
        ("LocalHost", (), 200),
        ("localhost:80", ("Origin: http://localhost:80",), 200),
        ("evil.example", (), 421),
        ("localhost.evil.example", (), 421),
        ("127.0.0.1.evil.example:80", (), 421),
        ("", (), 421),
        ("a" * 5000, (), 421),
        ("127.0.0.1", ("Origin: http://evil.example",), 403),
        ("127.0.0.1", ("Origin: null",), 403),
        ("127.0.0.1", ("Origin: https://127.0.0.1",), 403),
    ],
)
def test_the_page_is_for_itself_alone(host: str, headers: tuple[str, ...], status: int) -> None:
    """A reader who asks by another name, or from another page, gets nothing."""

    async def test(one: Site) -> None:
        found, head, body = await one.ask("/", *headers, host=host)
        assert found == status
        assert ("An evening" in body) == (status == 200)
        assert "content-security-policy: frame-ancestors 'none'" in head

    watching(test)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/events", "/games/1"])
def test_the_page_takes_no_orders(method: str, path: str) -> None:
    """There is nothing but GET."""

    async def test(one: Site) -> None:
        assert (await one.ask(path, method=method))[0] == 405

    watching(test)


def test_head_of_the_events_is_answered_at_once() -> None:
    """Who asks for the head alone follows nothing, and its connection ends."""

    async def test(one: Site) -> None:
        status, head, body = await one.ask("/events", method="HEAD")
        assert (status, body) == (200, "")
        assert "content-type: text/event-stream" in head

    watching(test)


def test_the_page_of_a_game_is_there_once_it_is_kept() -> None:
    """Before that there is no such page, and it is not a page that is remembered."""

    async def test(one: Site) -> None:
        record = played(BRAINJAR)
        game = LiveGame(("ann", "bob"), BRAINJAR)
        assert (await one.ask("/games/1"))[0] == 404
        one.hub.live.begin(game)
        one.hub.live.end(game, Outcome(0, 1, Termination.FLEET_DESTROYED), (None, None))
        assert (await one.ask("/games/1"))[0] == 404
        one.hub.live.keep(game, record)
        status, _, body = await one.ask("/games/1")
        assert (status, "Score sheet" in body) == (200, True)
        assert (await one.ask("/games/x"))[0] == 404

    watching(test)


@pytest.mark.parametrize("digits", [10, 5000])
def test_a_number_that_no_game_has(digits: int) -> None:
    """However long it is, there is no such page, and that is not a bug of the judge."""

    async def test(one: Site) -> None:
        assert (await one.ask(f"/games/{'9' * digits}"))[0] == 404

    watching(test)


@pytest.mark.parametrize("path", ["/", "/events"])
def test_what_is_no_http_behind_a_request(path: str) -> None:
    """Who sends it is dropped, and that is not a bug of the judge."""

    async def test(one: Site) -> None:
        failed: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: failed.append(what))
        browser = await one.connect()
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        browser.writer.write(head.encode())
        async with asyncio.timeout(PATIENCE):
            await browser.reader.readuntil(b"\r\n\r\n")
        with suppress(ConnectionError):
            browser.writer.write(b"no chunk\r\n")
            await browser.writer.drain()
        await browser.closed()
        assert failed == []

    watching(test)


SERVED = """
import os, resource, sys
from judge.serve.page_server import page_in_thread
from judge.serve.server import Address
from judge.show.page_words import FIGHT

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
ready = lambda addresses: print(addresses[0].port, flush=True)
with page_in_thread("x", Address("127.0.0.1", 0), FIGHT, bug=print, ready=ready):
    sys.stdin.readline()
    print(len([os.pipe() for _ in range(20)]))
"""


def test_browsers_leave_files_for_the_bots() -> None:
    """However many come, the judge that plays games beside the page can still open its own."""
    judge = subprocess.Popen(
        [sys.executable, "-c", SERVED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with judge, ExitStack() as browsers:
        assert judge.stdout
        port = int(judge.stdout.readline())
        for _ in range(100):  # as many as may come from one address
            browser = browsers.enter_context(socket.create_connection(("127.0.0.1", port)))
            browser.settimeout(PATIENCE)
            with suppress(ConnectionError):  # there is no room for it
                browser.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                browser.recv(1)
        said, _ = judge.communicate("go on\n", PATIENCE)
    assert said == "20\n"


def test_errors_of_the_loop_beside_games_are_bugs_unless_a_browser_made_them(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An error in the thread of the page is told as a bug, without a traceback; that a browser has
    gone, or that there are too many, is told to nobody. The page goes on."""

    def fail(error: BaseException) -> None:
        raise error

    bugs: list[BaseException] = []
    heard = threading.Event()
    errors = (ConnectionResetError(), OSError(errno.EMFILE, "too many"), ZeroDivisionError("ours"))
    with page_in_thread("x", HERE, FIGHT, bug=bugs.append, ready=lambda _: None) as (_, post):
        for error in errors:
            post(partial(fail, error))
        post(heard.set)
        assert heard.wait(PATIENCE)
    assert [str(error) for error in bugs] == ["ours"]
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_said() -> None:
    """It is what was typed that is wrong."""

    async def main() -> None:
        async with site() as one:
            taken = Address("127.0.0.1", one.port)
            with pytest.raises(UsageError, match="--web names another"):
                async with serving_page(Hub("x"), taken, ClientBounds(), bug=print):
                    pass

    run(main())
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(UsageError, match="--web names another"),
        page_in_thread(
            "x", Address("127.0.0.1", other.getsockname()[1]), FIGHT, bug=print, ready=print
        ),
    ):
        pass


def test_a_table_shows_its_lobby_its_chat_and_who_is_gone() -> None:
    """Private words and addresses are not shown, nor is a ship before the game is over."""
    rules = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=None)
    options = Options(title="Pond", rules=rules, letters="AB", most=2, auto_start=True)
    boards = ["AAA" + "." * 5 + "BB" + "." * 54, "." * 8 + "AAA" + "." * 51 + "BB"]
    hub: list[Hub] = []

    async def main() -> None:
        hub.append(Hub("Pond"))
        live = hub[0].live

        def table(log: Log, store: object) -> XbsTable:
            return XbsTable(log, store, options, over=lambda: None, luck=Random(0), live=live)

        async with Serving(table) as serving:
            ann, bob = [await serving.connect() for _ in range(2)]
            await ann.say(f"J|ann|{boards[0]}\n")
            await serving.until(lambda: live.document()["lobby"]["waiting"] == ["ann"])
            await bob.say(f"J|bob|{boards[1]}\n")
            await serving.until(lambda: live.document()["game"] is not None)
            assert live.document()["lobby"]["waiting"] == []
            names = live.document()["game"]["names"]
            assert len(live.document()["game"]["up"]) == 1
            await ann.say("M|bob|a secret\nM||hello all\n")
            await serving.until(lambda: bool(live.document()["chat"]))
            assert live.document()["chat"] == [("ann", "hello all")]
            bob.close()
            await serving.until(lambda: live.document()["game"]["gone"] == [names.index("bob")])
            document = json.dumps(live.document())
            assert "secret" not in document
            assert "127.0.0.1" not in document
            assert live.document()["game"]["over"] is None
            serving.server.stop()
            await serving.until(lambda: live.document()["game"]["over"] is not None)
        assert live.document()["game"]["over"]["ending"].startswith("Unfinished")

    run(main())


def test_a_game_has_one_number_in_the_log_and_on_the_page(tmp_path: Path) -> None:
    """The second game that a server begins is its game 2 and that of ``?game=2``, even if it is the
    first in the ledger; once it is kept, the page has its number there beside it."""

    async def main() -> None:
        live = Hub("An evening").live

        def hall(log: Log, store: GameStore) -> Matchmaking:
            return Matchmaking(log, store, dealer(1), live=live)

        async with Serving(hall, store=LedgerStore(tmp_path / "x.json")) as serving:
            for name in ("ann", "bob", "cid", "dan"):
                client = await serving.connect()
                await client.say(f"JOIN {name}\n")
                await client.line()
            await serving.until(lambda: len(live.document()["games"]["playing"]) == 2)
            assert live.document(2)["game"]["names"] == ["cid", "dan"]
            await client.say("SURRENDER\n")
            await serving.until(lambda: bool(live.document()["games"]["over"]))
            await serving.until(lambda: live.record(2) is not None)
        said = [line for line in serving.said.lines if "begins" in line or "is over" in line]
        assert "game 1 begins: ann against bob" in said[0]
        assert "game 2 begins: cid against dan" in said[1]
        assert "game 2 is over, #1 in the ledger" in said[2]
        assert "Game 2, #1: " in live.document()["games"]["over"][0][1]

    run(main())


def test_a_browser_that_has_gone_is_not_worth_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is logged of what is still written to its connection."""
    gone = threading.Event()

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        gone.wait(PATIENCE)
        for _ in range(20):
            await send({"type": "http.response.body", "body": b"more", "more_body": True})

    def browse(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as browser:
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            browser.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            browser.recv(1)
        gone.set()

    async def main() -> None:
        hub, bugs = Hub("x"), list[BaseException]()
        bounds = ClientBounds()
        async with serving(app, hub, HERE, bounds, bug=bugs.append, option="--web") as (address,):
            await asyncio.to_thread(browse, address.port)
            await asyncio.sleep(0)
        assert bugs == []

    run(main())
    assert gone.is_set()
    assert caplog.records == []


def test_messages_that_are_kept_are_bounded() -> None:
    """No more than `MOST_KEPT` bytes and one message is kept, whatever is said, and whoever
    reads."""

    async def test(one: Site) -> None:
        follower = await one.follow()
        await follower.event()
        for count in range(300):
            one.hub.live.say("ann", f"{count} {WORDS}")
            await later(0.05)
            await asyncio.sleep(0)
        (topic,) = one.hub._topics.values()
        assert topic._size <= live_page.MOST_KEPT
        assert topic.begin > 0

    watching(test)
