"""A contest by its format on the page of the standings, as text and in a real browser."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser import Browse, accessibility
from games import played
from judge.contest.formats.kept import entry_of
from judge.contest.formats.plan import Plan
from judge.contest.formats.table import FORMATS, Progress
from judge.contest.games import places_of
from judge.contest.standings import Standings, standings
from judge.contest.tally import Tally
from judge.contest.time_series import Course
from judge.show.bracket import BracketMatch, bracket_rounds
from judge.show.contest import contest_lines
from judge.show.format_page import format_page
from judge.show.site import LedgerPages, standings_page
from judge.show.standings import table
from judge.show.text import cells

ATTACK = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
NUMBERED = tuple(f"bot {number}" for number in range(1, 38))
NAMES = ("ada", f"{ATTACK}\u202eevil", "שלום 🚢 مرحبا", "x" * 120, "__proto__")
CALLED = "brainjar:abcdefghijkl"
OWN = [name for name, row in FORMATS.items() if row.scoring is not None]


def contest(
    format_: str, *, share: float = 1.0, names: tuple[str, ...] = NAMES, most: int = 40
) -> Standings:
    """The standings of a contest of which that share of ``most`` games has been played, by luck."""
    plan = Plan(
        format=format_,
        bots=names if FORMATS[format_].is_closed else (),
        units=2,
        rounds=3,
        lives=3 if format_ == "lives" else 0,
    )
    tally, luck = Tally(), random.Random(3)
    tally.enter(entry_of(plan, CALLED, "7"))
    playing = Plan(**{**{f: getattr(plan, f) for f in plan.__slots__}, "bots": names})
    number = 0
    while number < most * share:
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
    ranks = [place.rank for place in found.contest.places]
    assert [row[0] for row in shown.rows] == [
        f"{rank}{'=' * (ranks.count(rank) > 1)}" for rank in ranks
    ]
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


@settings(max_examples=20, deadline=None)
@given(bots=st.integers(2, 37), games=st.integers(0, 60))
def test_a_bracket_has_all_its_rounds_from_the_start(bots: int, games: int) -> None:
    """However far it has come: every bot stands in the first round, each round has half as many
    matches, its places are those who have won the matches before, and who is named goes on with
    more points, or with more in the deciders, or by the higher seed."""
    table = contest("knockout", names=NUMBERED[:bots], share=1, most=games).contest
    if table is None:  # no game, no table
        return
    rounds = bracket_rounds(table)
    first = [side.name for one in rounds[0].matches for side in one if side]
    assert sorted(map(str, first)) == sorted(NUMBERED[:bots])
    assert len(rounds[-1].matches) == 1
    for before, after in pairwise(rounds):
        assert len(after.matches) * 2 == len(before.matches)
        ahead = [winner_of(match) for match in before.matches]
        assert [side and side.name for match in after.matches for side in match] == ahead
    for one, other in (match for each in rounds for match in each.matches if match.other):
        assert other is not None
        if one.is_winner or other.is_winner:
            won, lost = (one, other) if one.is_winner else (other, one)
            keys = [
                (VALUE[side.points], VALUE[side.decider], -(side.seed or 0)) for side in (won, lost)
            ]
            assert keys[0] > keys[1]
    for width in (40, 80, 200):
        lines = contest_lines(table, width, colour=False)
        assert max(map(cells, lines)) <= width


VALUE = {"": -1.0, **{f"{n or ''}½": n + 0.5 for n in range(5)}, **{str(n): n for n in range(5)}}


def winner_of(match: BracketMatch) -> str | None:
    """Who goes on from a match of a bracket."""
    if match.other is None:
        return match.one.name
    return next((side.name for side in match if side and side.is_winner), None)


@pytest.mark.parametrize("bots", [3, 8, 16, 37])
def test_lines_join_the_matches_of_a_bracket(browse: Browse, bots: int) -> None:
    """Each match stands at the middle of the two that lead to it, as far as there is room for all
    rounds beside each other; elsewhere the rounds stand below each other."""
    text = page_of(contest("knockout", names=NUMBERED[:bots], most=30))
    page = browse(text, viewport={"width": 1280, "height": 900}).page
    rounds = page.locator(".bracket > li").evaluate_all(
        """rounds => rounds.map(one => [...one.querySelectorAll("ol > li")].map(match => {
            const box = match.querySelector(".meeting").getBoundingClientRect();
            return (box.top + box.bottom) / 2;
        }))"""
    )
    for before, after in pairwise(rounds):
        middles = [(one + other) / 2 for one, other in zip(before[::2], before[1::2], strict=True)]
        assert after == pytest.approx(middles, abs=1.5)
    page.set_viewport_size({"width": 390, "height": 900})
    tops = page.locator(".bracket > li").evaluate_all(
        "rounds => rounds.map(one => one.getBoundingClientRect().top)"
    )
    assert tops == sorted(set(tops))


@pytest.mark.parametrize("format_", ["swiss", "lives"])
def test_on_paper_no_round_is_folded_away(browse: Browse, format_: str) -> None:
    """All pairs of all rounds are seen, in the width of a sheet."""
    page = browse(page_of(contest(format_)), viewport={"width": 718, "height": 1000}).page
    rounds = page.locator("details.rounds .pairs")
    assert rounds.count() > 1
    assert not rounds.first.is_visible()
    page.emulate_media(media="print")
    for number in range(rounds.count()):
        assert rounds.nth(number).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 718


def test_rounds_have_no_such_section() -> None:
    """Where the percentage rule ranks, the page is as ever."""
    assert format_page(None) is None
