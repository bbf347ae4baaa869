"""A contest by its format on the page of the standings, as text and in a real browser."""

from __future__ import annotations

import random

import pytest

from browser import Browse, accessibility
from games import played
from judge.contest.formats.kept import entry_of
from judge.contest.formats.plan import Plan
from judge.contest.formats.table import FORMATS, Progress
from judge.contest.games import places_of
from judge.contest.standings import Standings, standings
from judge.contest.tally import Tally
from judge.contest.time_series import Course
from judge.show.format_page import format_page
from judge.show.site import LedgerPages, standings_page
from judge.show.standings import table
from judge.show.text import cells

ATTACK = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
NAMES = ("ada", f"{ATTACK}\u202eevil", "שלום 🚢 مرحبا", "x" * 120, "__proto__")
CALLED = "brainjar:abcdefghijkl"
OWN = [name for name, row in FORMATS.items() if row.scoring is not None]


def contest(format_: str, *, share: float = 1.0) -> Standings:
    """The standings of a contest of which about that share has been played, by luck."""
    plan = Plan(
        format=format_,
        bots=NAMES if FORMATS[format_].is_closed else (),
        units=2,
        rounds=3,
        lives=3 if format_ == "lives" else 0,
    )
    tally, luck = Tally(), random.Random(3)
    tally.enter(entry_of(plan, CALLED, "7"))
    playing = Plan(**{**{f: getattr(plan, f) for f in plan.__slots__}, "bots": NAMES})
    number = 0
    while number < 40 * share:
        assert tally.results is not None
        progress = Progress(playing, tally.results)
        if progress.is_over:
            break
        meeting = next(progress.missing)
        bots = f"{meeting.one}:{meeting.other}" if ":" not in meeting.one + meeting.other else "a:b"
        (place,) = places_of(meeting, bots, CALLED, playing, both=False)
        number += 1
        record = played(
            seed=number,
            names=(meeting.one, meeting.other)[:: luck.choice((1, -1))],
            game_id=f"{bots}:{CALLED}:{place.round}.{place.first + 1}",
        )
        tally.enter(record.to_json())
    return standings(tally)


def page_of(found: Standings) -> str:
    return standings_page(
        LedgerPages("cup.json", found, None, Course(found.games, found.conditions)),
        [],
        linked=False,
    )


@pytest.mark.parametrize("format_", OWN)
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_a_page_and_a_terminal_say_the_same(format_: str, share: float) -> None:
    """Every bot has its place on the page; what is said of the contest stands in both; and no
    name leaves the text that it is."""
    found = contest(format_, share=share)
    assert found.contest is not None
    shown = format_page(found.contest)
    assert shown is not None
    assert sorted(row[1] for row in shown.rows) == sorted(
        place.name for place in found.contest.places
    )
    assert [row[0] for row in shown.rows] == [str(place.rank) for place in found.contest.places]
    text = " ".join(table(found).split())
    assert " ".join(shown.stands.split()) in text
    assert ATTACK not in page_of(found)
    assert max(map(cells, table(found, width=60).splitlines())) <= 60


@pytest.mark.parametrize("format_", OWN)
def test_a_contest_in_a_browser(browse: Browse, format_: str) -> None:
    """No request, no complaint, nothing that axe finds; nothing is wider than the screen, and no
    round of a bracket is out of sight."""
    text = page_of(contest(format_))
    for scheme, width in (("light", 1280), ("dark", 390)):
        viewport = {"width": width, "height": 900}
        watched = browse(text, name="c.html", color_scheme=scheme, viewport=viewport)
        assert accessibility(watched.page) == []
        assert watched.page.evaluate("document.documentElement.scrollWidth") == width
        assert watched.page.locator("#contest").is_visible()
        brackets = watched.page.locator(".frame", has=watched.page.locator(".bracket"))
        assert brackets.count() == (format_ == "knockout")
        wider = "frames => frames.filter(one => one.scrollWidth > one.clientWidth).length"
        assert brackets.evaluate_all(wider) == 0


def test_rounds_have_no_such_section() -> None:
    """Where the percentage rule ranks, the page is as ever."""
    assert format_page(None) is None
