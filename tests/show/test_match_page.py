"""The page of a match, as text and in a real browser: what it says is what its games came to."""

from __future__ import annotations

import json
import re

import pytest

from browser import Browse, in_both_schemes
from changes import replace
from games import introduced, played
from judge.documents.game import GameRecord, OfMatch, Result, Termination
from judge.game.variants import contest
from judge.show.pages import match_page as match_page_module
from judge.show.pages.match_page import match_page
from judge.show.text import clean

RULES = contest(4)
NAMES = ("ann", "b<ob>")


def match(games: int, *, ends: bool = False) -> list[GameRecord]:
    """The games of a match; the last one ``ends`` it by an error of the second player."""
    found = []
    for number in range(1, games + 1):
        is_end = ends and number == games
        forfeit = {"forfeit": (1, Termination.BAD_OUTPUT), "detail": "said <i>no</i>"}
        record = played(
            RULES, seed=number, names=NAMES, game_id=f"m-{number}", **(forfeit if is_end else {})
        )
        of = OfMatch("m", number, games + 3 if ends else games)
        found.append(replace(record, match=of, number=10 + number))
    return found


def data(page: str) -> dict:
    return json.loads(re.search(r'id="match">(.*?)</script>', page)[1])


def test_the_counts_of_each_game_are_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of the board shot, ships killed, hits, misses and repeats, also of games that are
    too many to be drawn."""
    monkeypatch.setattr(match_page_module, "MOST_DRAWN", 3)
    records = match(6)
    page = match_page(records, links={4: "games/15.html"})
    rows = re.findall(r'<tr><th scope="row" class="n">(?:<a [^>]*>)?(\d+)(.*)', page)
    assert [int(number) for number, _ in rows] == [1, 2, 3, 4, 5, 6]
    for record, (_, row) in zip(records, rows, strict=True):
        told = re.findall(r'<td class="n">([0-9]+)%?', row)
        own = [[one for one in record.shots if one.seat == seat] for seat in (0, 1)]
        expected = [str(max(map(len, own)))]
        for shots in own:
            share = 100 * len({shot.cell for shot in shots}) / 16
            sunk, hits = (
                sum(shot.result is Result.SUNK for shot in shots),
                sum(s.is_hit for s in shots),
            )
            repeats = sum(shot.result is Result.REPEAT for shot in shots)
            counts = (sunk, hits, len(shots) - hits - repeats, repeats)
            expected += [f"{share:.0f}", *map(str, counts)]
        assert told == expected
    assert '<a href="games/15.html">5</a>' in page
    assert sorted(map(int, data(page)["games"])) == [4, 5, 6]
    assert "not on this page" in page


def test_who_has_won_the_match_is_its_headline() -> None:
    """By games, or by the error that ended it; of some of its games it is said that they are
    some."""
    records = match(7)
    wins = [sum(one.outcome.winner == seat for one in records) for seat in (0, 1)]
    assert wins[0] != wins[1]
    winner = NAMES[wins.index(max(wins))].replace("<", "&lt;").replace(">", "&gt;")
    assert f"\u2068{winner}\u2069 wins the match</h1>" in match_page(records)
    assert "3 games of 7</h1>" in match_page(records[::3])
    ended = match_page(match(5, ends=True), seconds=2.25)
    assert "\u2068ann\u2069 wins the match</h1>" in ended
    assert "5 of 8 games; the last one ended the match: said &lt;i&gt;no&lt;/i&gt;" in ended
    assert "It took 2.2 seconds" in ended


def test_a_stranger_cannot_put_anything_into_the_page() -> None:
    """Names and sentences are text, in the page and in its data."""
    hostile = "</script><img src=x onerror=alert(1)>"
    records = [
        replace(
            one,
            seats=tuple(
                replace(seat, name=f"{hostile}{at}", author=hostile, own_name=hostile)
                for at, seat in enumerate(one.seats)
            ),
            outcome=replace(one.outcome, detail=hostile),
        )
        for one in match(3, ends=True)
    ]
    page = match_page(records)
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert data(page)["names"][0].startswith(clean(hostile)[:20])


def test_a_match_says_who_plays_as_the_other_pages_do() -> None:
    """A name that is the file's stands there once, and one that nobody knows not at all."""
    games = [introduced(one, ann=("ann", ""), **{NAMES[1]: ("Salvo", "Bea")}) for one in match(3)]
    page = match_page(games)
    assert page.count('<small class="files">') == 1
    assert '<small class="files">“Salvo”, by Bea</small>' in page


# In a browser


def cells(page, seat: int, mark: str) -> int:
    return page.locator(f".side:nth-child({seat + 1}) .board td.{mark}").count()


def test_the_games_are_stepped_through(browse: Browse) -> None:
    """By keys, buttons and the strip, and from the address; the boards show the shots that each
    player received."""
    records = match(6)
    watched = browse(match_page(records))
    page = watched.page
    assert page.locator("#shown").inner_text() == "Game 6"
    widths = "side => side.querySelector('.board').offsetWidth / side.offsetWidth"
    assert page.locator(".side").first.evaluate(widths) == 1  # no text stands beside it
    for number in (6, 4):
        page = watched.goto(f"#game={number}")
        record = records[number - 1]
        shots = record.shots
        for seat in (0, 1):
            at_it = {one.cell for one in shots if one.target == seat}
            struck = {one.cell for one in shots if one.target == seat and one.is_hit}
            assert cells(page, seat, "m") == len(at_it - struck)
            assert cells(page, seat, "h") + cells(page, seat, "x") == len(struck)
    page.keyboard.press("Home")
    assert "Round 0 of" in page.locator("#at").inner_text()
    assert cells(page, 0, "m") + cells(page, 1, "m") == 0
    page.keyboard.press("ArrowRight")
    assert "Round 1 of" in page.locator("#at").inner_text()
    assert page.locator("td.last").count() == 2
    page.keyboard.press("ArrowDown")
    assert page.locator("#shown").inner_text() == "Game 5"
    assert "Round 1 of" in page.locator("#at").inner_text()
    page.locator(".games a").last.click()
    assert page.locator("#shown").inner_text() == "Game 6"
    assert page.locator(".games .shown").count() == 1
    page.get_by_text("Game before").click()
    assert page.locator("#shown").inner_text() == "Game 5"
    page = watched.goto("#game=9&step=9")  # the match lacks it
    assert page.locator("#shown").inner_text() == "Game 6"


@pytest.mark.whole
def test_the_page_is_fit_for_everyone(browse: Browse) -> None:
    """Who listens hears it, and who has a phone sees all of it."""
    watched = browse(match_page(match(40)), viewport={"width": 360, "height": 700})
    assert in_both_schemes(watched.page) == []
    width = watched.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360
