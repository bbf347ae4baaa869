"""The live page in a real browser: a whole game of three, a page that is loaded anew, a server that
is killed and started again, and hostile words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import accessibility, in_both_schemes
from server_process import Peer, Running, running

pytestmark = pytest.mark.whole

NAMES = ("ann", "bob", "cid")
TABLE = ("--min", "3", "--max", "3", "--auto-start", "--repeat", "--no-ledger", "--title", "Pond")
SMALL = ("--width", "8", "--height", "8", "--boats", "A3,B2")
BOARD = "AAA" + "." * 5 + "BB" + "." * 54
ROWS = ("AAAAA", "BBBB", "CCC", "DDD", "EE", "", "", "", "", "")
USUAL_BOARD = "".join(row.ljust(10, ".") for row in ROWS)
SHIPS = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]
WATER = [(column, 7) for column in range(8)]
ATTACK = "</script><img src=x onerror=alert(1)><b>bold</b> \u202etxet [31m "
BOXES = """[...document.querySelectorAll(".boards .board")]
    .map((board) => board.getBoundingClientRect())
    .map(({ left, top, right, bottom }) => [left, top, right, bottom])"""
CUT = re.compile(r"error: Failed to load resource: net::ERR_|error: .*ERR_INCOMPLETE_CHUNKED")


@dataclass
class Viewer:
    """A page, what it asked for and what its console said."""

    page: Page
    asked: list[str]
    said: list[str]


@contextmanager
def viewer(chromium: Browser, url: str, **options: object) -> Iterator[Viewer]:
    context = chromium.new_context(**options)
    context.set_default_timeout(30_000)
    page = context.new_page()
    one = Viewer(page, [], [])
    page.on("request", lambda request: one.asked.append(request.url))
    page.on("console", lambda message: one.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: one.said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (one.said.append(dialog.message), dialog.dismiss()))
    page.goto(url)
    expect(page.locator("#connection")).to_have_text("", timeout=30_000)
    yield one
    context.close()


def address(said: str) -> str:
    found = re.search(r"http://[0-9.:]+/", said)
    assert found, said
    return found[0]


def sit_down(server: Running, names: Sequence[str]) -> None:
    """Bring a player of each name; they have placed their ships and shoot at nobody."""
    for name in names:
        peer = server.connect()
        peer.until("G|")
        peer.say(f"J|{name}|{USUAL_BOARD}\n")


def seated(peers: list[Peer]) -> dict[str, Peer]:
    """Three that play, by name."""
    for peer, name in zip(peers, NAMES, strict=True):
        peer.until("G|")
        peer.say(f"J|{name}|{BOARD}\n")
    return dict(zip(NAMES, peers, strict=True))


class Game:
    """Has the three shoot in turn: the first hits what the last has, the others only water."""

    def __init__(self, players: dict[str, Peer]) -> None:
        self.players = players
        told = [peer.until("N|")[-2:] for peer in players.values()]
        start, turn = told[0]
        assert told == [[start, turn]] * len(players)
        self.order = start.split("|")[1:]
        assert turn == f"N|{self.order[0]}"

    def round(self, number: int) -> None:
        first, second, third = self.order
        for who, whom, (column, row) in (
            (first, third, SHIPS[number]),
            (second, third, WATER[number]),
            (third, second, WATER[number]),
        ):
            self.players[who].say(f"S|{whom}|{column + 1}|{row + 1}\n")
            is_over = (who, number) == (third, len(SHIPS) - 1)
            for peer in self.players.values():
                peer.until("F" if is_over else "N|")


def test_two_watch_a_whole_game_of_three(tmp_path: Path, chromium: Browser) -> None:
    """Both see every shot and no ship before the end, also who loads the page anew in the middle;
    then all ships, who has won, and a page to step through."""
    with running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server:
        url = address(server.said)
        with viewer(chromium, url) as one, viewer(chromium, f"{url}?big") as other:
            for page in (one.page, other.page):
                expect(page.locator("h1")).to_have_text("Pond")
                assert accessibility(page) == []
            players = seated([server.connect() for _ in NAMES])
            game = Game(players)
            first = game.order[0]
            for page in (one.page, other.page):
                expect(page.locator("#playing")).to_have_text(" – ".join(game.order))
                expect(page.locator(".side.up h3")).to_have_text(first)
                expect(page.locator(".side.up thead")).to_have_text(re.compile("^abc"))
                expect(page.locator(".side.up tbody th").first).to_have_text("1")
            for number in range(2):
                game.round(number)
            one.page.reload()
            for page in (one.page, other.page):
                expect(page.locator("td.h")).to_have_count(2)
                expect(page.locator(".count")).to_have_text(["not hit", "not hit", "hit 2 times"])
                expect(page.locator("td.m")).to_have_count(4)
                expect(page.locator("td.s:not(.x)")).to_have_count(0)
                assert accessibility(page) == []
            for number in range(2, len(SHIPS)):
                game.round(number)
            for page in (one.page, other.page):
                expect(page.locator("#ending")).to_contain_text(first)
                expect(page.locator("td.s.x")).to_have_count(len(SHIPS))
                expect(page.locator("td.s:not(.x)")).to_have_count(2 * len(SHIPS))
                expect(page.locator(".side.won h3")).to_have_text(first)
                expect(page.locator("#standings tbody tr").first).to_contain_text(first)
                assert accessibility(page) == []
            assert "at" in (one.page.locator("#aloud").text_content() or "")
            one.page.locator("#ending a").click()
            expect(one.page.locator("h1")).to_contain_text(first)
            expect(one.page.locator("#controls")).to_be_visible()
            for each in (one, other):
                assert each.said == []
                assert {
                    asked for asked in each.asked if not asked.startswith(("data:", url))
                } == set()


@pytest.mark.parametrize("players", [2, 3, 4, 5, 7, 9])
def test_a_projector_shows_all_boards_at_once(
    players: int, tmp_path: Path, chromium: Browser
) -> None:
    """On a screen of 1600×900 pixels no board of two to nine is out of sight, nor does one cover
    another."""
    seats = ["--min", str(players), "--max", str(players), "--auto-start", "--no-ledger"]
    size = {"width": 1600, "height": 900}
    with (
        running(tmp_path, "xbs", *seats, "--web", "0") as server,
        viewer(chromium, f"{address(server.said)}?big", viewport=size) as one,
    ):
        sit_down(server, [f"p{number}" for number in range(players)])
        expect(one.page.locator(".boards .board")).to_have_count(players)
        boxes = one.page.evaluate(BOXES)
    assert len(boxes) == players
    assert all(bottom <= 900 and right <= 1600 for _, _, right, bottom in boxes)
    for one_box, other in combinations(boxes, 2):
        left, top = (max(*pair) for pair in zip(one_box[:2], other[:2], strict=True))
        right, bottom = (min(*pair) for pair in zip(one_box[2:], other[2:], strict=True))
        assert left >= right or top >= bottom


def test_a_page_goes_on_when_its_server_does(tmp_path: Path, chromium: Browser) -> None:
    """The server is killed in mid-game, and another started: the page says so, and then shows what
    that one has, without being touched."""
    with running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server:
        url = address(server.said)
        with viewer(chromium, url) as one:
            game = Game(seated([server.connect() for _ in NAMES]))
            game.round(0)
            expect(one.page.locator("td.h")).to_have_count(1)
            assert one.said == []
            server.process.kill()
            expect(one.page.locator("#connection")).to_contain_text("does not answer")
            assert accessibility(one.page) == []
            place = url.removeprefix("http://").removesuffix("/")
            with running(tmp_path, "xbs", *TABLE, *SMALL, "--web", place) as again:
                expect(one.page.locator("#connection")).to_have_text("", timeout=60_000)
                expect(one.page.locator("#boards table")).to_have_count(0)
                peer = again.connect()
                peer.until("G|")
                peer.say(f"J|dan|{BOARD}\n")
                expect(one.page.locator("#waiting")).to_have_text("dan")
            # The browser itself says that there was nothing to connect to.
            assert [said for said in one.said if not CUT.match(said)] == []


def test_hostile_words_are_words(tmp_path: Path, chromium: Browser) -> None:
    """64 KB of chat that would be a page of its own is text, and the page shows its last lines."""
    with (
        running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server,
        viewer(chromium, address(server.said)) as one,
    ):
        players = seated([server.connect() for _ in NAMES])
        Game(players)
        for number in range(17):
            words = f"{number} " + 100 * ATTACK
            players["ann"].say(f"M||{words[:3900]}\n")
        expect(one.page.locator("#chat li").last).to_contain_text("16 </script><img src=x")
        expect(one.page.locator("#chat li")).to_have_count(17)
        expect(one.page.locator("#chat :is(img, b, script)")).to_have_count(0)
        assert accessibility(one.page) == []
        assert one.said == []


def test_the_page_fits_a_phone(tmp_path: Path, chromium: Browser) -> None:
    """Nothing is wider than a small screen, all can be reached by keys, and axe finds nothing in light
    or dark."""
    with running(tmp_path, "xbs", *TABLE, "--web", "0") as server:
        phone = {"width": 320, "height": 640}
        with viewer(chromium, address(server.said), viewport=phone) as one:
            sit_down(server, NAMES)
            expect(one.page.locator("#boards table")).to_have_count(3)
            assert one.page.evaluate("document.documentElement.scrollWidth") <= 320
            assert in_both_schemes(one.page) == []
            one.page.keyboard.press("Tab")
            assert one.page.evaluate("document.activeElement.className") == "skip"
            assert one.said == []
