"""A contest by its format on the page of the standings, as text and in a real browser."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from browser import Browse, assert_open_to_all
from changes import replace
from format_pages import contest, page_of
from games import ATTACK
from judge.contest.formats.format import BracketMatch
from judge.contest.formats.registry import FORMATS
from judge.contest.people import Person
from judge.contest.standings.standings import Standings
from judge.contest.standings.time_series import TimeSeries
from judge.show.columns import markdown_table, on_page
from judge.show.contest import contest_lines, how_it_stands, place_columns
from judge.show.pages.bracket import listed
from judge.show.pages.format_page import format_page
from judge.show.pages.site import LedgerPages, bot_pages
from judge.show.standings import as_markdown, columns, table, total, two_leaders
from judge.show.text import cells, clean
from strategies import examples

NUMBERED = tuple(f"bot {number}" for number in range(1, 38))
OWN = [name for name, row in FORMATS.items() if row.has_places]


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
def test_no_two_columns_of_a_contest_are_called_alike(format_: str) -> None:
    """The points that a format ranks by have another name than those of the percentage rule."""
    found = contest(format_)
    assert found.contest is not None
    own = {column.page_heading for column in place_columns(found.contest)}
    both = own & {column.page_heading for column in on_page(columns(found))}
    assert both <= {"#", "Bot", "Won"}
    lower = [column.heading.rpartition("|")[2].strip() for column in columns(found)]
    assert lower.count("points") == 1


@pytest.mark.parametrize("format_", OWN)
def test_every_form_names_both_leaders_and_what_ranks(format_: str) -> None:
    """Points and Elo that disagree on the first place stand behind what the format says; Markdown
    has the numbers by which the format ranks, and page and Markdown say what ranks a table."""
    found = contest(format_, names=NUMBERED[:5])
    assert found.contest is not None
    last = min(found.rows, key=lambda row: row.points)
    rows = tuple(structs.replace(row, elo=float(row is last)) for row in found.rows)
    found = replace(found, document=structs.replace(found.document, bots=rows))
    split = two_leaders(found, clean)
    assert split.endswith(f", {last.name} by Elo")
    stands, ranks = how_it_stands(found.contest), found.contest.format.ranked_by
    markdown = as_markdown(found)
    for text in (table(found, width=None), markdown):
        assert text.index(stands) < text.index(f"\n{split}.\n")
    assert f" {ranks}</p>" in page_of(found)
    assert facts(found)[0].endswith(f"; {split}")
    places = markdown_table(place_columns(found.contest), found.contest.places)
    assert markdown.startswith(f"{places}\n\n{stands}\n\n| # | Bot | Points |")
    assert f"|\n\n{ranks}\n\n" in markdown
    by_elo = replace(found, document=structs.replace(found.document, ranked_by="elo"))
    assert "<p>Ranked by Elo, and not by points.</p>" in page_of(by_elo)
    ledger = LedgerPages("cup.json", by_elo, None, TimeSeries(by_elo.document.games))
    (_, page), *_ = bot_pages(ledger, 0, [])
    assert ". Ranked by Elo, and not by points.</p>" in page
    empty = replace(found, document=structs.replace(found.document, bots=()))
    assert as_markdown(empty) == f"{total(empty)}."


def facts(found: Standings) -> tuple[str, str]:
    """The headline of the page, and what stands below it."""
    page = page_of(found)
    told = re.search('<h1>(.*?)</h1>\n<p class="lead">(.*?)</p>', page)
    assert told is not None
    headline, lead = (one.replace("\u2068", "").replace("\u2069", "") for one in told.groups())
    return headline, lead


def test_a_contest_under_way_has_no_leader_by_name_alone() -> None:
    """The page says how many are still in it, or who share the first place, of many how many; and
    nothing to the organiser alone."""
    for format_ in ("knockout", "lives"):
        found = contest(format_, names=NUMBERED[:8], most=12)
        assert found.contest is not None
        left = sum(place.out is None for place in found.contest.places)
        assert (0 < left < 9, found.contest.is_over) == (True, False)
        assert facts(found)[0].split("; ")[0] == f"{left} of 8 bots are still in it"
    for count, told in ((30, "30 bots"), (4, "bot 1, bot 2, bot 3 and bot 4")):
        found = contest("swiss", names=NUMBERED[:count], most=2, is_tied=True)
        assert facts(found) == ("No game counts so far", f"{total(found)}.")
        found = replace(found, document=structs.replace(found.document, games=1))
        assert facts(found) == (f"{told} share the first place", f"{total(found)}.")
        assert "The contest is not over. Ranked" in page_of(found).replace("</bdi>", "")
        assert "same command" not in page_of(found)
        assert "The same command goes on with it." in table(found)


def test_the_winner_of_a_bracket_stands_first() -> None:
    """Above the bracket, and in each match of the list that a narrow terminal has instead."""
    found = contest("knockout", names=NUMBERED[:8])
    assert found.contest is not None
    assert contest_lines(found.contest, 120, False)[0] == f"{found.contest.winner} has won."
    rounds = dict(listed(found.contest.bracket, {}, 40))
    assert [len(matches) for matches in rounds.values()] == [4, 2, 1]
    for matches, of_round in zip(rounds.values(), found.contest.bracket, strict=True):
        for line, match in zip(matches, of_round.matches, strict=True):
            (winner,) = (side.name for side in match if side and side.is_winner)
            assert line.strip().startswith(f"{winner} ")


def test_who_the_bots_of_a_bracket_are_stands_in_it() -> None:
    """Below each name in the drawing of a terminal and of a page, as text; behind it in the list
    that a narrow terminal has instead."""
    found = contest("knockout", names=NUMBERED[:5])
    assert found.contest is not None
    people = {"bot 2": Person(f"Salvo {ATTACK}", "Ada"), "bot 3": Person("", "Bo")}
    named = replace(found.contest, people=people)
    lines = contest_lines(named, 100, False)
    assert max(map(cells, lines)) <= 100
    for name, said in (("bot 2", "“Salvo <"), ("bot 3", "by Bo")):
        at = [(row, line.index(name)) for row, line in enumerate(lines) if f" {name}" in line[1:]]
        drawn = [(row, column) for row, column in at if "─" in lines[row]]
        assert drawn
        assert all(lines[row + 1][column:].startswith(said) for row, column in drawn)
    narrow = "\n".join(contest_lines(named, 34, False))
    assert "bot 3 by Bo" in narrow
    assert max(map(cells, narrow.split("\n"))) <= 34
    rows = [replace(row, **people.get(row.name, Person())._asdict()) for row in found.document.bots]
    document = replace(found.document, bots=tuple(rows))
    page = page_of(replace(found, document=document, contest=named))
    (bracket,) = re.findall('<ol class="bracket.*?</div>\n<', page, re.DOTALL)
    assert ATTACK not in page
    assert bracket.count("by Bo") == bracket.count("<bdi>bot 3</bdi>")


def test_more_games_are_not_promised_of_a_contest_that_is_over() -> None:
    """The games do not show who is stronger, and none will."""
    for games, is_over in ((1, False), (6, True)):
        found = contest("swiss", names=NUMBERED[:2], most=games)
        assert found.contest is not None
        assert found.contest.is_over == is_over
        lead = facts(found)[1]
        assert ("more games will tell" in lead, "They do not show" in lead) == (
            not is_over,
            is_over,
        )


def test_who_lost_their_last_lives_in_several_ties_is_listed() -> None:
    """Four bots lose them in two ties."""
    found = contest("lives", names=NUMBERED[:4], most=90, is_tied=True)
    told = "Nobody has won: bot 1, bot 2, bot 3 and bot 4 lost their last lives in the same round."
    assert told in page_of(found)
    assert told in " ".join(table(found).split())


def test_who_goes_on_as_the_higher_seed_is_explained() -> None:
    """On the page and in the terminal, where that has happened; where the terminal has no room for
    the drawing it has no seeds either."""
    rule = "After 3 tied deciders the higher seed goes on."
    seeds = f"{rule} The number before a name is its seed; 1 is the highest."
    tied = contest("knockout", names=NUMBERED[:4], most=90, is_tied=True)
    assert tied.contest is not None
    assert tied.contest.winner == "bot 1"
    drawn, below = (" ".join(table(tied, width=width).split()) for width in (100, 30))
    assert seeds in page_of(tied)
    assert seeds in drawn
    assert (rule in below, seeds in below) == (True, False)
    plain = contest("knockout", names=NUMBERED[:2], most=90)
    assert rule not in page_of(plain) + table(plain, width=100)


@pytest.mark.parametrize("format_", [*OWN, "gauntlet"])
def test_a_contest_in_a_browser(browse: Browse, format_: str) -> None:
    """No request, no complaint, nothing that axe finds; nothing is wider than the screen, and no
    round of a bracket is out of sight."""
    page = browse(page_of(contest(format_)), name="c.html").page
    assert page.locator("#gauntlet" if format_ == "gauntlet" else "#contest").is_visible()
    brackets = page.locator(".frame", has=page.locator(".bracket"))
    assert brackets.count() == (format_ == "knockout")
    wider = "frames => frames.filter(one => one.scrollWidth > one.clientWidth).length"
    assert brackets.evaluate_all(wider) == 0
    assert_open_to_all(page)
    assert brackets.evaluate_all(wider) == 0, "on a narrow screen"


@examples(20)
@given(bots=st.integers(2, 37), games=st.integers(0, 60))
def test_a_bracket_has_all_its_rounds_from_the_start(bots: int, games: int) -> None:
    """However far it has come: every bot stands in the first round, each round has half as many
    matches, its places are those who have won the matches before, and who is named goes on with
    more points, or with more in the deciders, or by the higher seed."""
    standings = contest("knockout", names=NUMBERED[:bots], share=1, most=games).contest
    if standings is None:  # no game, no table
        return
    rounds = standings.bracket
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
        lines = contest_lines(standings, width, colour=False)
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
    page = browse(text, viewport={"width": 1440, "height": 900}).page
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
    """The page is as ever if the percentage rule ranks."""
    assert format_page(None) is None
