"""The live page in a real browser: a whole game of three, a lobby, a contest, a projector, a phone, a
page that is loaded anew, a server that is killed and started again, and hostile words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

from browser import Watched, Windows, accessibility, in_both_schemes
from games import introduced, played
from judge.documents.rules import Rules
from judge.game.events import Back, Gone
from judge.game.fleets import random_fleet
from judge.game.game import Game as Engine
from judge.game.variants import BRAINJAR, CONTEST, XBS
from judge.serve.page_server import Post, page_in_thread
from judge.serve.server import Address
from judge.show.live import GameWatch, Live
from judge.show.live_game import LiveGame, LiveMatch
from judge.show.page_words import CONTEST as A_CONTEST
from judge.show.page_words import SERVER, PageWords
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
# The elements of the page that are out of sight, or have text that is.
HIDDEN = """[...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && !one.matches(".skip, .aloud, .board span, .board span *"))
    .filter((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const isOut = left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
        if (left === right || top === bottom) return false;
        return isOut || (one.clientWidth && one.scrollWidth > one.clientWidth + 1);
    })
    .map((one) => one.outerHTML.slice(0, 200))"""
WOLF = "“<b>Wolf”, by Jane Doe"
# Whether each player's own name and author are in sight.
IN_SIGHT = """[...document.querySelectorAll(".boards small")].map((one) => one.checkVisibility()
    && one.getBoundingClientRect().top < one.parentElement.getBoundingClientRect().bottom - 1)"""
SCREENS = ((1920, 1080), (1600, 1200), (1280, 720), (1024, 768))
CUT = re.compile(r"error: Failed to load resource: net::ERR_|error: .*ERR_INCOMPLETE_CHUNKED")


@contextmanager
def viewer(windows: Windows, url: str, **options: object) -> Iterator[Watched]:
    """A tab that shows the page, what it has asked for and what its console has said."""
    with windows.tab(options) as one:
        one.begin(Path(), None)
        one.page.set_default_timeout(30_000)
        one.page.goto(url)
        expect(one.page.locator("#connection")).to_have_text("", timeout=30_000)
        yield one


@contextmanager
def page_of(occasion: PageWords) -> Iterator[tuple[str, Live, Post]]:
    """The address of a page, what it shows, and what has a function called where that is."""
    found: list[Address] = []
    bugs: list[BaseException] = []
    where = Address("127.0.0.1", 0)
    with page_in_thread("Pond", where, occasion, bug=bugs.append, ready=found.extend) as (
        hub,
        post,
    ):
        yield f"http://{found[0]}/", hub.live, post
    assert bugs == []


def shoot(live: Live, names: Sequence[str], rules: Rules, shots: int) -> None:
    """Play the beginning of a game with drawn shots."""
    luck = Random(5)
    game = Engine(rules, len(names))
    match = LiveMatch([2, 1], rules.match, 3) if rules.match > 1 else None
    watch = GameWatch(live, names, match=match, limits=[90.0] * len(names))
    while game.is_placing:
        for event in game.place(seat := game.to_move[0], random_fleet(rules, luck)):
            watch(game, event)
    for _ in range(shots):
        seat = game.to_move[0]
        for event in game.shoot(seat, luck.sample(game.legal_shots(seat), game.shots_due(seat))):
            watch(game, event)


def standing(live: Live, bots: int) -> None:
    """Show the table of a contest. The names of its first bots are long, and most say who they are."""
    headings = ["#", "Bot", "Points", "Games", "Won", "Elo ± 95%"]
    rows = [
        [f"{n}", 40 * "W" if n < 4 else f"bot-{n}", "10.00", "1,234", "1,234", "+1234 ± 123"]
        for n in range(1, bots + 1)
    ]
    about = ["“Wolf”, by Jane Doe" if n % 4 else "" for n in range(bots)]
    live.hold((headings, rows, about), None, "12,345 of 123,456 games. About 12 h 34 min left.")


def introduce(live: Live, names: Sequence[str]) -> None:
    """Show a game that is over, in whose record each player has an own name and an author."""
    record = introduced(
        played(XBS, names=tuple(names)), **dict.fromkeys(names, ("<b>Wolf", "Jane Doe"))
    )
    game = LiveGame(tuple(names), XBS)
    live.begin(game)
    live.end(game, record.outcome, [None] * len(names))
    live.keep(game, record)


def resized(page: Page, width: int, height: int) -> None:
    """Show the page on a screen of this size, and wait until it has noticed."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("new Promise(requestAnimationFrame)")


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


def test_two_watch_a_whole_game_of_three(tmp_path: Path, windows: Windows) -> None:
    """Both see every shot and no ship before the end, also who loads the page anew in the middle;
    then all ships, who has won, and a page to step through."""
    with running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server:
        url = address(server.said)
        with viewer(windows, url) as one, viewer(windows, f"{url}?big") as other:
            for page in (one.page, other.page):
                expect(page.locator("h1")).to_have_text("Pond")
            players = seated([server.connect() for _ in NAMES])
            game = Game(players)
            first = game.order[0]
            for page in (one.page, other.page):
                expect(page.locator("#playing")).to_have_text(f"{first} is to shoot")
                expect(page.locator("#score li")).to_have_text([f"{n}0 points" for n in game.order])
                expect(page.locator("#lobby-at")).to_contain_text("the lobby opens again")
                expect(page.locator(".side.up h3")).to_have_text(first)
                expect(page.locator(".side.up thead")).to_have_text(re.compile("^abc"))
                expect(page.locator(".side.up tbody th").first).to_have_text("1")
            for number in range(2):
                game.round(number)
            one.page.reload()
            for page in (one.page, other.page):
                expect(page.locator("td.h")).to_have_count(2)
                expect(page.locator(".count")).to_have_text(["not hit", "not hit", "hit 2 times"])
                expect(page.locator("#score li").first).to_have_text(f"{first}2 points")
                expect(page.locator("td.m")).to_have_count(4)
                expect(page.locator("td.s:not(.x)")).to_have_count(0)
            for number in range(2, len(SHIPS)):
                game.round(number)
            for page in (one.page, other.page):
                expect(page.locator("#playing")).to_contain_text(first)
                expect(page.locator("#next")).to_contain_text("0 of 3 players. 3 more")
                expect(page.locator("td.s.x")).to_have_count(len(SHIPS))
                expect(page.locator("td.s:not(.x)")).to_have_count(2 * len(SHIPS))
                expect(page.locator(".side.won h3")).to_have_text(first)
                expect(page.locator("#standings tbody tr").first).to_contain_text(first)
                assert accessibility(page) == []
            assert "at" in (one.page.locator("#aloud").text_content() or "")
            one.page.locator("#playing a").click()
            expect(one.page.locator("h1")).to_contain_text(first)
            expect(one.page.locator("#controls")).to_be_visible()
            for each in (one, other):
                assert each.said == []
                assert {
                    asked for asked in each.requests if not asked.startswith(("data:", url))
                } == set()


@pytest.mark.parametrize("players", [2, 3, 4, 6, 9])  # 5 stand as 6 do, and 7 and 8 as 9
def test_a_projector_shows_all_boards_at_once(players: int, windows: Windows) -> None:
    """No board of two to nine is out of sight or covers another, no name or word is cut, and nothing
    scrolls, on wide screens and narrow ones, with a table that has no room."""
    names = [f"Mariette-{letter}" for letter in "ABCDEFGHI"[:players]]
    with page_of(SERVER) as (url, live, post):
        post(partial(standing, live, 40))
        post(partial(introduce, live, names))
        post(partial(shoot, live, names, XBS, 12 * players))
        with viewer(windows, f"{url}?big") as one:
            expect(one.page.locator(".boards .board")).to_have_count(players)
            for width, height in SCREENS:
                resized(one.page, width, height)
                boxes = one.page.evaluate(BOXES)
                assert one.page.evaluate(HIDDEN) == []
                for box, other in combinations(boxes, 2):
                    left, top = (max(*pair) for pair in zip(box[:2], other[:2], strict=True))
                    right, bottom = (min(*pair) for pair in zip(box[2:], other[2:], strict=True))
                    assert left >= right or top >= bottom
                if (width, height) == (1920, 1080):
                    sizes = [min(right - left, bottom - top) for left, top, right, bottom in boxes]
                    assert min(sizes) >= 300
            assert one.said == []


def test_a_lobby_says_how_to_join_and_who_is_missing(tmp_path: Path, windows: Windows) -> None:
    """The commands have the address of the server; who is there, the board and the players that are
    missing stand below them, on a projector without a scroll bar."""
    with running(tmp_path, "xbs", *TABLE, "--web", "0") as server:
        url = address(server.said)
        with viewer(windows, url) as one, viewer(windows, f"{url}?big") as big:
            sit_down(server, NAMES[:2])
            for page in (one.page, big.page):
                expect(page.locator("#commands code")).to_have_text(
                    [
                        f"judge join xbs://127.0.0.1:{server.port} --name YOU",
                        f"client -h 127.0.0.1 -p {server.port} -u YOU",
                    ]
                )
                expect(page.locator("#waiting li")).to_have_text(NAMES[:2])
                expect(page.locator("#next")).to_have_text("2 of 3 players. 1 more, and it begins.")
                expect(page.locator("#about")).to_contain_text("10 × 10 squares, ships of 5, 4")
                assert in_both_schemes(page) == []
            assert big.page.evaluate(HIDDEN) == []


def test_a_page_of_any_address_is_joined_by_the_name_of_the_machine(windows: Windows) -> None:
    """A browser of the machine itself does not name an address that is no use to others, and one
    elsewhere names the address by which it has come."""
    door = {"commands": ["judge join xbs://HOST:7948"], "host": None, "machine": "pond.example"}
    with page_of(SERVER) as (url, live, post):
        post(partial(live.opens, door))
        post(partial(live.waits, ["ann"], "1 of 2 players.", "A board."))
        with viewer(windows, url) as one:
            expect(one.page.locator("#commands")).to_have_text("judge join xbs://pond.example:7948")
        near = url.replace("127.0.0.1", "0.0.0.0")
        with viewer(windows, near) as one:
            expect(one.page.locator("#commands")).to_have_text("judge join xbs://0.0.0.0:7948")


def test_a_contest_shows_its_table_and_how_far_it_is(windows: Windows) -> None:
    """Before the first game and while one is played, on a projector too, where the last rows of the
    table make room for the others."""
    with page_of(A_CONTEST) as (url, live, post):
        post(partial(standing, live, 40))
        with viewer(windows, url) as one, viewer(windows, f"{url}?big") as big:
            for page in (one.page, big.page):
                expect(page.locator("#playing")).to_have_text("The next games are about to begin")
                expect(page.locator("#progress")).to_contain_text("12,345 of 123,456 games.")
                rows = page.locator("#standings tbody tr:visible").count()
                expect(page.locator("#more")).to_have_text(f"and {40 - rows} more")
                assert accessibility(page) == []
            for rules in (BRAINJAR, CONTEST.drawn(Random(5))):
                post(partial(shoot, live, ["hunter", "exact"], rules, 30))
            back = one.page.locator("#whole a")  # to the page that this one is
            expect(back).to_be_hidden()
            one.page.goto(f"{url}?game=2")
            expect(back).to_be_visible()
            expect(one.page.locator("#score li")).to_have_text(
                [
                    re.compile(r"^hunter2 games won\d+ ships afloat$"),
                    re.compile(r"^exact1 game won\d+ ships afloat$"),
                ]
            )
            expect(one.page.locator("#clock")).to_have_text(re.compile(r"1:[0-3]\d left"))
            for width, height in SCREENS:
                resized(big.page, width, height)
                assert big.page.evaluate(HIDDEN) == []
                assert 1 <= big.page.locator("#standings tbody tr:visible").count() < 30
            big.page.goto(f"{url}?big&game=2")
            for page in (one.page, big.page):
                expect(page.locator("#match")).to_have_text("3 of 500 games of the match played")
                assert in_both_schemes(page) == []
            assert big.page.evaluate(HIDDEN) == []
            assert one.said == big.said == []


@pytest.mark.parametrize(("width", "players"), [(1280, 2), (390, 9)])
def test_own_names_and_authors_stand_below_the_names(
    width: int, players: int, windows: Windows
) -> None:
    """In the table and on the boards, as text; on a phone on the board that is open, and nothing is
    wider than the screen."""
    names = [f"Mariette-Charlotte-{n}" for n in range(players)]
    with page_of(A_CONTEST) as (url, live, post):
        post(partial(standing, live, 3))
        post(partial(introduce, live, names))
        post(partial(shoot, live, names, XBS, 2 * players))
        with viewer(windows, url, viewport={"width": width, "height": 800}) as one:
            page = one.page
            expect(page.locator(".boards small")).to_have_text([WOLF] * players)
            shown = page.evaluate(IN_SIGHT)
            assert shown == page.evaluate(
                '[...document.querySelectorAll(".side")].map((one) => one.open)'
            )
            assert sum(shown) == (players if width > 390 else 1)
            about = page.locator("#standings .about-bot")
            expect(about).to_have_text(["“Wolf”, by Jane Doe"] * 2)
            expect(about.first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert in_both_schemes(page) == []
            assert one.said == []


@pytest.mark.parametrize(("name", "seen"), [("exact", True), (40 * "W", False)])
def test_a_projector_shows_own_names_and_authors_if_there_is_room(
    name: str, seen: bool, windows: Windows
) -> None:
    """They stand whole beside the name of a board, or not at all, and take no room from the board."""
    with page_of(A_CONTEST) as (url, live, post):
        post(partial(introduce, live, [name, "hunter"]))
        post(partial(shoot, live, [name, "hunter"], XBS, 4))
        with viewer(windows, f"{url}?big", viewport={"width": 1920, "height": 1080}) as one:
            expect(one.page.locator(".boards small")).to_have_text([WOLF] * 2)
            assert one.page.evaluate(IN_SIGHT) == [seen, True]
            heads = one.page.locator(".boards summary").evaluate_all(
                "all => all.map((one) => one.offsetHeight)"
            )
            assert heads == [46, 46]


def test_the_end_of_a_contest_is_its_page_s_news(windows: Windows) -> None:
    """Not the end of the game that happened to be shown last."""
    with ExitStack() as served:
        url, live, post = served.enter_context(page_of(A_CONTEST))
        post(partial(standing, live, 3))
        post(partial(shoot, live, ["hunter", "exact"], BRAINJAR, 5))
        with viewer(windows, url) as one:
            expect(one.page.locator("#playing")).to_contain_text("is to shoot")
            served.close()
            ended = "The contest is over; this is how it ended."
            expect(one.page.locator("#playing")).to_have_text(ended)
            expect(one.page.locator("#connection")).to_have_text("")


def test_a_turn_that_waits_for_its_player_says_so(windows: Windows) -> None:
    """While the player to shoot is gone, the page does not say that it is to shoot, and no time runs
    out."""
    with page_of(SERVER) as (url, live, post):
        game = LiveGame(("ann", "bob"), XBS, limits=(90, 90))
        post(partial(live.begin, game))
        post(partial(live.fire, game, [], (0,)))
        post(partial(live.happen, game, Gone(0, None, ""), (0,)))
        with viewer(windows, url) as one:
            expect(one.page.locator("#playing")).to_have_text("ann is gone, and its turn waits")
            expect(one.page.locator("#clock")).to_be_hidden()
            post(partial(live.happen, game, Back(0), (0,)))
            expect(one.page.locator("#playing")).to_have_text("ann is to shoot")
            expect(one.page.locator("#clock")).to_contain_text("left")
            assert one.said == []


def test_a_phone_unfolds_the_board_that_is_shot_at(windows: Windows) -> None:
    """The score comes first, then that board alone; another that was opened by hand stays open."""
    phone = {"width": 390, "height": 844}
    with page_of(SERVER) as (url, live, post), viewer(windows, url, viewport=phone) as one:
        post(partial(shoot, live, NAMES, XBS, 3))
        expect(one.page.locator(".side[open]")).to_have_count(1)
        target = one.page.locator(".side:has(.last)")
        expect(target).to_have_attribute("open", "")
        score, board = (one.page.locator(at).bounding_box() for at in ("#score", ".board:visible"))
        assert score
        assert board
        assert score["y"] + score["height"] < board["y"] < board["y"] + board["height"] < 844
        one.page.locator(".side:not([open]) summary").first.press("Enter")
        expect(one.page.locator(".side[open]")).to_have_count(2)
        assert in_both_schemes(one.page) == []
        one.page.set_viewport_size({"width": 1280, "height": 800})
        expect(one.page.locator(".side[open]")).to_have_count(3)


def test_a_page_goes_on_when_its_server_does(tmp_path: Path, windows: Windows) -> None:
    """The server is killed in mid-game, and another started: the page says so, and then shows what
    that one has, without being touched."""
    with running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server:
        url = address(server.said)
        with viewer(windows, url) as one:
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


def test_hostile_words_are_words(tmp_path: Path, windows: Windows) -> None:
    """64 KB of chat that would be a page of its own is text, and the page shows its last lines."""
    with (
        running(tmp_path, "xbs", *TABLE, *SMALL, "--web", "0") as server,
        viewer(windows, address(server.said)) as one,
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


def test_the_page_fits_a_phone(tmp_path: Path, windows: Windows) -> None:
    """Nothing is wider than a small screen, all can be reached by keys, and axe finds nothing in light
    or dark."""
    with running(tmp_path, "xbs", *TABLE, "--web", "0") as server:
        phone = {"width": 320, "height": 640}
        with viewer(windows, address(server.said), viewport=phone) as one:
            sit_down(server, NAMES)
            expect(one.page.locator("#boards table")).to_have_count(3)
            assert one.page.evaluate("document.documentElement.scrollWidth") <= 320
            assert in_both_schemes(one.page) == []
            one.page.keyboard.press("Tab")
            assert one.page.evaluate("document.activeElement.className") == "skip"
            assert one.said == []
