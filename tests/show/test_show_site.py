"""The pages of a ledger, as text and in a real browser: curves, tables, filters, links."""

from __future__ import annotations

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from browser import Browse, assert_open_to_all
from changes import replace
from commands import judge
from games import ATTACK, played, strange_texts, void
from judge.contest.ledger import order_entries
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import entry_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.results import result_of
from judge.contest.standings.history import PastGame
from judge.contest.standings.standings import standings
from judge.contest.standings.time_series import Curve, TimeSeries
from judge.documents.game import Termination
from judge.game.variants import VARIANTS
from judge.show.pages import chart
from judge.show.pages.chart import BOTTOM, FINE, LABELLED, LEFT, RIGHT, TOP
from judge.show.pages.site import CROSS, FORFEITS, bot_pages, standings_page
from judge.show.pages.site import LedgerPages as Pages
from judge.show.text import clean
from strategies import examples
from tallies import CONDITIONS, game

NAMES = ("ada", f"{ATTACK}\u202eevil", "שלום 🚢 مرحبا", "x" * 120, "__proto__")


# Curves


def curves(bots: st.SearchStrategy[int]) -> st.SearchStrategy[list[tuple[str, Curve]]]:
    values = st.floats(-2000, 5000) | st.just(10.0)
    curve = st.lists(
        st.tuples(st.integers(0, 500), values), max_size=60, unique_by=lambda at: at[0]
    )
    return bots.flatmap(
        lambda count: st.tuples(*(curve.map(sorted) for _ in range(count))).map(
            lambda drawn: [(f"bot {number}", points) for number, points in enumerate(drawn)]
        )
    )


def places(path: str) -> list[tuple[float, float]]:
    """The points of an SVG path of steps, in units of the picture."""
    numbers = [int(number) for number in re.findall(r"-?\d+", path.removesuffix("h1"))]
    x, y = 0, 0
    found = []
    for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + dx, y + dy
        found.append((x / FINE, y / FINE))
    return found


@given(curves(st.integers(0, 12)))
@examples(100)
def test_a_curve_is_drawn_where_it_was(drawn: list[tuple[str, Curve]]) -> None:
    """Every line keeps within its frame, has a point for each of the curve, and the higher value
    is never below the lower one; the grid covers them all."""
    found = chart.chart(drawn, 500)
    if found is None:
        assert all(len(curve) < 2 for _, curve in drawn)
        return
    lines = {line.name: places(line.path) for line in (*found.labelled, *found.others)}
    assert lines.keys() == {name for name, curve in drawn if curve}
    seen = []
    for name, curve in drawn:
        assert len(lines.get(name, [])) == len(curve)
        for (now, value), (x, y) in zip(curve, lines.get(name, []), strict=True):
            assert abs(x - (LEFT + (RIGHT - LEFT) * now / 500)) <= 1 / FINE
            assert TOP - 1 <= y <= BOTTOM + 1
            seen.append((value, -y))
    seen.sort()
    heights = [height for _, height in seen]
    assert all(after >= before - 1e-9 for before, after in pairwise(heights))
    assert 2 <= len(found.up) <= 12
    assert {found.up[0].at, found.up[-1].at} == {BOTTOM, TOP}


@given(st.integers(0, 499), st.integers(1, 60))
@examples(100)
def test_a_bots_own_chart_begins_with_its_first_game(first: int, games: int) -> None:
    """Its line goes from one side of the picture to the other, and the ticks are games of its."""
    curve = [(first + number, 10.0 + number) for number in range(games + 1)]
    found = chart.chart([("late", curve)], first + games, first=first)
    assert found is not None
    line = places(found.labelled[0].path)
    assert (line[0][0], line[-1][0]) == (LEFT, RIGHT)
    ticks = [int(tick.label.replace(",", "")) for tick in found.across]
    assert all(first <= tick <= first + games for tick in ticks)
    assert all(LEFT <= tick.at <= RIGHT for tick in found.across)


@given(curves(st.integers(1, 12)))
@examples(100)
def test_labels_do_not_run_into_each_other(drawn: list[tuple[str, Curve]]) -> None:
    """The first few bots have one, each as near to the end of its line as the others let it."""
    found = chart.chart(drawn, 500)
    if found is None:
        return
    labelled = found.labelled
    assert [line.index for line in labelled] == [
        place for place, (_, curve) in enumerate(drawn[:LABELLED]) if curve
    ]
    heights = sorted(line.label or 0 for line in labelled)
    assert all(below - above >= 14.8 for above, below in pairwise(heights))
    assert all(TOP - 0.1 <= height <= BOTTOM + 0.1 for height in heights)


def test_many_bots_are_a_small_picture() -> None:
    """The lines of 200 bots take no more than 60 KB, and each still ends where its bot stands."""
    drawn = [
        (f"bot {number}", [(now, 10 + number + now % 7) for now in range(0, 100_001, 1000)])
        for number in range(200)
    ]
    found = chart.chart(drawn, 100_000)
    assert found is not None
    lines = [*found.labelled, *found.others]
    assert len(lines) == 200
    assert sum(len(line.path) for line in lines) < 60_000
    assert all(places(line.path)[-1][0] == RIGHT for line in lines)


# The page as text


def pages_of(games: list[tuple[str, str, str]]) -> tuple[Pages, list[PastGame]]:
    """The data that pages are made of, after these games."""
    tally, series, past_games = Tally(), TimeSeries(len(games)), []
    for number, (first, second, how) in enumerate(games):
        entry = game(number, first, second, how)
        tally.enter(entry, CONDITIONS)
        series.look(tally)
        points = (10.0, 10.0)
        past_games.append(PastGame(number + 1, entry.result, (1, 1), 80, None, points, points))
    return Pages("ledger.json", standings(tally), tally.table, series), past_games


@given(st.lists(strange_texts().filter(bool), min_size=3, max_size=3, unique=True))
@examples(50)
def test_names_are_text_whatever_is_in_them(names: list[str]) -> None:
    """The page can be written, and its elements are those of the same games between other bots."""
    a, b, c = (f"{name}{ATTACK}" for name in names)
    texts = [
        standings_page(*pages_of([(x, y, "0"), (y, z, "1 crash"), (z, x, "void")]), linked=True)
        for x, y, z in ((a, b, c), ("a", "b", "c"))
    ]
    assert texts[0].encode()
    found, plain = (re.findall(r"<(/?[a-z]+)", text) for text in texts)
    assert found == plain


def pages_of_four(names: tuple[str, ...]) -> tuple[Pages, list[PastGame]]:
    """The data that pages are made of after three games of four bots, when one bot is taken out."""
    rules = VARIANTS["xbs"]
    tally, past_games = Tally(), []
    for number, forfeit in enumerate([None, None, "void"], 1):
        record = played(rules, seed=number, names=names, game_id=str(number))
        tally.enter(entry_of(record), ConditionSet.of(record))
        points = (10.0,) * 4
        why = None if forfeit is None else "a mistake"
        past_games.append(PastGame(number, result_of(record), (1,) * 4, 80, why, points, points))
    return Pages("l.json", standings(tally), tally.table, TimeSeries(len(past_games))), past_games


def test_a_game_of_several_names_all_its_players() -> None:
    """Among the latest games and those that do not count, whoever has won, if anyone; the newest is
    on top, and the others say why they do not count."""
    names = ("ada", "bob", "cyd", "dan")
    pages, past_games = pages_of_four(names)
    text = " ".join(re.sub("<[^>]*>", " ", standings_page(pages, past_games, linked=True)).split())
    latest = text.partition("The latest games Game Won by How it ended Against Shots ")[2]
    won = past_games[0].game.winner
    assert won is not None
    others = [name for name in names if name != names[won]]
    against = f"{others[0]} , {others[1]} and {others[2]}"
    assert f"#1 {names[won]} {past_games[0].game.termination} {against} " in latest
    assert [one.group() for one in re.finditer("#[0-9]", latest)] == ["#2", "#1", "#3"]
    assert latest.index("Games that do not count") < latest.index("#3 ada , bob , cyd and dan ")
    assert "taken out: \u2068a mistake\u2069" in latest
    assert text.index("The table") < text.index("The latest games") < text.index("Who beat whom")


def test_the_cross_table_and_the_forfeits_have_a_limit() -> None:
    """The page shows the first and the worst of very many bots, and says that it does."""
    names = [f"bot{number}" for number in range(CROSS + 20)]
    games = [(one, other, "0 crash") for one in names for other in names[:2] if one != other]
    text = standings_page(*pages_of(games), linked=False)
    assert text.count('<th scope="col"><span>') == CROSS
    assert f"These are the first {CROSS} of {len(names)} bots." in text
    assert text.count('class="f-crash"') == FORFEITS
    assert f"And {len(names) - FORFEITS} bots with fewer" in text


def test_who_leads_is_said_with_how_sure_that_is() -> None:
    """In words that need no statistics."""
    clear = standings_page(*pages_of([("ada", "bob", "0")] * 30), linked=False)
    close = standings_page(*pages_of([("ada", "bob", "0")] * 2), linked=False)
    assert "ada\u2069 leads</h1>" in clear
    assert "They show that \u2068ada\u2069 is stronger than \u2068bob\u2069" in clear
    assert "ada\u2069 leads, for now</h1>" in close
    assert "They do not yet show that \u2068ada\u2069 is stronger" in close
    assert ("not shown yet" in clear, "not shown yet, down to 2" in close) == (False, True)


def test_neighbours_that_are_not_told_apart_are_marked_once() -> None:
    """A group of several is said in its first row and has one line beside it."""
    names = [f"bot{number}" for number in range(6)]
    even = [(one, other, "0") for one in names for other in names if one != other]
    text = standings_page(*pages_of(even), linked=False)
    assert text.count("not shown yet, down to ") == 1
    assert text.count('class="open') == len(names)
    assert (text.count('class="open first"'), text.count('class="open last"')) == (1, 1)


def test_a_constant_chart_is_a_sentence() -> None:
    """Points that nobody has won or lost, and those of a bot that never had others."""
    pages, past_games = pages_of([("ada", "bob", "0")] * 3)
    (_, text), *_ = bot_pages(pages, 1, past_games)
    assert "<p>10 all the time.</p>" in text
    still, past_games = pages_of([("ada", "bob", "void")] * 3)
    assert "<p>10 all the time, for every bot.</p>" in standings_page(
        still, past_games, linked=False
    )


def test_a_bots_page_has_its_results_against_each_opponent() -> None:
    """Ties, void games and the bot's own forfeits have a column if there are any. A game that was
    taken out of the count is in no column."""

    def opponents(*games: tuple[str, str, str], voided: int = 0) -> list[str]:
        pages, past_games = pages_of([*games])
        out = [replace(one, voided="a mistake") for one in past_games[:1]] * voided
        (_, text), *_ = bot_pages(pages, pages.names.index("ada"), [*out, *past_games])
        table = text.partition('<h2 id="opponents">')[2].partition("</table>")[0]
        return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in table.split("<tr>")[1:]]

    crash = ("ada", "bob", "0 crash")
    assert opponents(crash, *[("bob", "ada", "1")] * 3, voided=2) == [
        "# Opponent Games Won Lost Forfeits Win rate 95%",
        "2 bob 4 3 1 1 75% 30%–95%",
    ]
    assert opponents(("cyd", "ada", "tie"), ("ada", "bob", "0"), ("ada", "cyd", "void")) == [
        "# Opponent Games Won Lost Tied Void Forfeits Win rate 95%",
        "2 bob 1 1 0 0 0 0 100% 21%–100%",
        "2 cyd 1 0 0 1 1 1 50% 5%–95%",
    ]


def test_a_bot_has_one_colour_on_all_pages() -> None:
    """Its line on its own page looks as it does among the others."""
    names = [f"bot{number}" for number in range(LABELLED + 1)]
    pages, past_games = pages_of(
        [(one, other, "0") for one in names for other in names[:2] if one != other]
    )
    shown = standings_page(pages, past_games, linked=True)
    for place in (0, 4):
        own = [one for one in past_games if pages.names[place] in one.game.names]
        (_, text), *_ = bot_pages(pages, place, own)
        colour = f'<text class="c{place + 1}"'
        assert re.findall('<text class="c[0-9]+"', text) == [colour, colour]
        assert f'{colour} data-bot="{place}"' in shown


def test_nobody_leads_where_no_game_counts() -> None:
    """Ranks that rest on nothing are not told as a result."""
    text = standings_page(*pages_of([("ada", "bob", "void")] * 2), linked=False)
    assert "<h1>No game counts so far</h1>" in text
    assert "share the first place" not in text


def test_who_wrote_a_bot_stands_with_it() -> None:
    """In the table and on the page of the bot, with the name that it reports, as text."""
    pages, past_games = pages_of([("ada", "bob", "0")] * 2)
    ada, bob = pages.standings.rows
    bob = replace(bob, own_name=f"Bob {ATTACK}", author="Bea & Bo")
    found = replace(pages.standings, document=replace(pages.standings.document, bots=(ada, bob)))
    pages = replace(pages, standings=found)
    (_, page), *_ = bot_pages(pages, 1, past_games)
    for text in (page, standings_page(pages, past_games, linked=True)):
        assert "by Bea &amp; Bo" in text
        assert "“Bob " in text
        assert ATTACK not in text


def test_an_outlier_does_not_crush_the_intervals_of_the_others() -> None:
    """A bot that loses every game is drawn at the edge; the others keep most of the scale."""
    names = [f"bot{number}" for number in range(8)]
    even = [
        (one, other, str((first + second) % 2))
        for first, one in enumerate(names)
        for second, other in enumerate(names)
        if one != other
    ]
    lost = [(name, "hopeless", "0") for name in names for _ in range(40)]
    text = standings_page(*pages_of(3 * even + lost), linked=False)
    found = re.findall(r'<path d="M([\d.]+) 8h([\d.]+)"/><path class="at" d="M([\d.]+)', text)
    *others, last = [tuple(map(float, one)) for one in found]
    (edge,) = {last[0], last[2]}
    assert len(others) == len(names)
    assert min(length for _, length, _ in others) > 20
    assert all(edge <= start <= middle for start, _, middle in others)


# In a browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of thirty games between bots whose authors mean no good."""
    base = tmp_path_factory.mktemp("cup")
    path, folder = base / "ledger.json", base / "site"
    couples = [(one, other) for one in NAMES for other in NAMES if one != other]
    with Ledger(path) as ledger:
        ledger.contest_seed(7)
        for number in range(30):
            forfeit = (number % 2, Termination.CRASH) if number % 9 == 8 else None
            names = couples[number % len(couples)]
            id_ = f"{names[0]}:{names[1]}:brainjar:7:{number}.1"
            ledger.add(
                played(seed=number, names=names, forfeit=forfeit, game_id=id_, stderr=ATTACK)
            )
        ledger.add(void(99, names=("ada", "__proto__")))
        ledger.order(partial(order_entries.void, games=[30], reason=f"a dispute {ATTACK}"))
    about = base / "about.md"
    about.write_text(f"# Two rounds\n\n- **{ATTACK}**\n- [the rules](https://example.org)\n")
    said = ("--title", f"The cup {ATTACK}", "--about", str(about))
    done = judge("site", str(folder), "--ledger", str(path), "--jobs", "1", *said)
    assert done.status == 0, done.stderr
    return folder


def names(page: Page) -> list[str]:
    """The bots of the table, as they are seen."""
    rows = page.locator("#standings tbody tr:visible")
    return rows.locator("th").all_inner_texts()


def test_every_page_is_quiet_and_open_to_all(browse: Browse, site: Path) -> None:
    """No request, no complaint, nothing that axe finds, in light and in dark, wide and narrow;
    nothing is wider than the screen."""
    bots = sorted(f"bots/{path.name}" for path in site.glob("bots/*.html"))
    for page in ("index.html", bots[0], "games/1.html"):
        assert_open_to_all(browse(page, site=site).page)


def test_a_contest_of_four_at_a_table_is_open_to_all(browse: Browse) -> None:
    """The page of its standings, as those of others."""
    pages, past_games = pages_of_four(NAMES[:4])
    assert_open_to_all(browse(standings_page(pages, past_games, linked=False)).page)


def test_links_lead_from_the_table_to_a_game_and_back(browse: Browse, site: Path) -> None:
    """From the index to a bot, from there to a game, and back; from disk, with no request to
    elsewhere."""
    watched = browse("index.html", site=site)
    page = watched.page
    for name in NAMES:
        page.locator("#standings").get_by_role(
            "link", name=clean(name)[:60], exact=False
        ).first.click()
        expect(page.locator("h1")).to_have_text(clean(name))
        page.locator("#played tbody td a").first.click()
        expect(page.locator("table.board").first).to_be_visible()
        page.get_by_role("link", name="all games").click()
        expect(page.locator("#standings")).to_be_visible()
    asked = {url.partition("#")[0] for url in watched.requests if not url.startswith("data:")}
    assert all(url.startswith(site.as_uri()) for url in asked)
    assert {url.rpartition(".")[2] for url in asked} == {"html", "css", "js"}
    watched.requests.clear()


def test_a_site_runs_its_own_script_and_no_other(browse: Browse, site: Path) -> None:
    """A name that escaped all escaping would still load nothing, not even a file of the site."""
    (script,) = set(re.findall(r"script-\w+\.js", (site / "games/1.html").read_text("utf-8")))
    page = (site / "bots/ada.html").read_text(encoding="utf-8")
    attack = f'<script src="../{script}"></script><script>document.title = "theirs"</script>'
    (site / "bots/zeus.html").write_text(page.replace("</h1>", f"</h1>{attack}"), "utf-8")
    watched = browse("bots/zeus.html", site=site)
    expect(watched.page.get_by_label("Filter by opponent")).to_be_visible()  # ours has run
    assert watched.page.title() != "theirs"
    refused = [said for said in watched.said if "Content Security Policy" in said]
    assert len(refused) == len(watched.said) == 2
    watched.said.clear()


def test_a_site_works_from_a_file_server(browse: Browse, site: Path) -> None:
    """A game steps on there as it does from disk, with its style and nothing refused."""
    handler = partial(QuietHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            watched = browse("games/1.html", site=site)
            watched.page.goto(f"http://127.0.0.1:{server.server_port}/games/1.html#move=2")
            expect(watched.page.locator("#step")).to_contain_text("Move 2 of")
            expect(watched.page.locator("#moves tr.current")).to_have_count(1)
            display = "one => getComputedStyle(one).display"
            assert watched.page.locator(".boards").evaluate(display) == "grid"
        finally:
            server.shutdown()
    asked = [url.partition("#")[0] for url in watched.requests if not url.startswith("data:")]
    assert {url.rpartition(".")[2] for url in asked} == {"html", "css", "js"}
    watched.requests.clear()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing of it."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_the_table_is_sorted_by_any_column(browse: Browse, site: Path) -> None:
    """Up and down, by number and by name; the mark between neighbours holds for the table's own
    order alone, and is there again with it."""
    page = browse("index.html", site=site).page
    own = names(page)
    page.get_by_role("button", name="Bot", exact=True).click()
    assert names(page) != own
    assert names(page)[:3] == ["__proto__", clean(NAMES[1]), "ada"]
    expect(page.locator("#standings")).to_have_class(re.compile("resorted"))
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Bot")
    page.get_by_role("button", name="Points", exact=True).click()
    assert names(page) == own
    expect(page.locator("#standings")).not_to_have_class(re.compile("resorted"))
    page.get_by_role("button", name="Points", exact=True).click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Points")
    points = page.locator("#standings tbody td:nth-child(3)").all_inner_texts()
    assert [float(one) for one in points] == sorted(float(one) for one in points)


def test_the_table_is_filtered(browse: Browse, site: Path) -> None:
    """By name, and to those who forfeited; how many are left is said."""
    page = browse("index.html", site=site).page
    page.get_by_label("Filter by name", exact=True).fill("PROTO")
    assert names(page) == ["__proto__"]
    expect(page.locator("output")).to_have_text("1 of 5")
    page.get_by_label("Filter by name", exact=True).fill("")
    assert len(names(page)) == 5
    page.get_by_label("only bots that forfeited").check()
    forfeits = page.locator("#standings tbody tr:visible").evaluate_all(
        "rows => rows.map(row => row.dataset.forfeits)"
    )
    assert forfeits
    assert "0" not in forfeits


def test_a_bots_games_are_filtered(browse: Browse, site: Path) -> None:
    """By opponent and by result; the newest is on top, and a void game is in a table below."""
    page = browse("bots/ada.html", site=site).page
    rows = page.locator("#played tbody tr:visible")
    page.get_by_label("Filter by opponent").fill("proto")
    assert set(rows.locator("th").all_inner_texts()) == {"__proto__"}
    expect(page.locator("section", has=page.locator("#voids"))).to_contain_text("both forfeited")
    page.get_by_label("Filter by opponent").fill("")
    page.get_by_label("Result").select_option("won")
    assert set(rows.locator("td:nth-child(3)").all_inner_texts()) == {"won"}
    numbers = [int(one[1:]) for one in rows.locator("td:first-child").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)


def test_void_games_are_marked(browse: Browse, site: Path) -> None:
    """In the list of those that do not count, with why, as text."""
    page = browse("index.html", site=site).page
    listed = page.locator("section", has=page.locator("#voids"))
    assert listed.locator("tbody tr").count() == 2
    expect(listed).to_contain_text(f"taken out: \u2068a dispute {ATTACK}")
    expect(listed).to_contain_text("both forfeited")


def test_a_row_shows_its_line(browse: Browse, site: Path) -> None:
    """Who points at a bot in the table sees which line is its."""
    page = browse("index.html", site=site).page
    row = page.locator("#standings tbody tr").nth(1)
    row.hover()
    assert page.locator(".lines .lit").evaluate_all("all => all.map(one => one.dataset.bot)") == [
        "1",
        "1",
    ]
    page.locator("h1").hover()
    assert page.locator(".lit").count() == 0


def test_it_is_all_there_without_a_script(browse: Browse, site: Path) -> None:
    """The table, the curves and the links; what only a script can do is not offered."""
    page = browse("index.html", site=site, java_script_enabled=False).page
    assert page.locator("#standings tbody tr").count() == 5
    assert page.locator(".lines path").count() == 10
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)


def test_it_prints(browse: Browse, site: Path) -> None:
    """On paper there are the tables, as wide as a sheet, and nothing to be typed into or
    scrolled."""
    sheet = {"width": 718, "height": 1000}  # A4 less its margins, in pixels of CSS
    page = browse("index.html", site=site).page
    page.set_viewport_size(sheet)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    expect(page.locator("#standings")).to_be_visible()
    expect(page.locator(".filters")).to_be_hidden()
    assert (
        page.locator(".frame").first.evaluate("one => getComputedStyle(one).overflowX") == "visible"
    )
