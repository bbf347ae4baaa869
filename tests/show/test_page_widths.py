"""Tables of pages on screens of usual widths: nothing of them is cut off."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from browser import Browse
from changes import replace
from commands import judge
from format_pages import contest, page_of
from games import played
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import entry_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import standings
from judge.contest.standings.time_series import TimeSeries
from judge.documents.game import OfMatch, Termination
from judge.game.variants import VARIANTS
from judge.show.pages.site import LedgerPages, standings_page

NAMES = ("hunter", "probability", "parity-hunter", "random")
MORE = ("The Kraken", "monte-carlo-42", "dreadnought", "alice & bob")
HIDDEN = """frames => frames.filter(one => one.scrollWidth > one.clientWidth)
    .map(one => one.getAttribute("aria-labelledby") || one.getAttribute("aria-label"))"""
BROKEN = """all => all.flatMap(one => {
    const range = document.createRange(), node = one.firstChild;
    return one.textContent.split(/[^\\w#.]+/).filter(Boolean).filter(word => {
        const from = one.textContent.indexOf(word);
        range.setStart(node, from);
        range.setEnd(node, from + word.length);
        return range.getClientRects().length > 1;
    });
})"""
"""The words of these elements, each with a text alone, that stand on more than one line."""


@pytest.fixture(scope="module")
def salvos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a salvo contest of eight bots, with ties and forfeits."""
    folder = tmp_path_factory.mktemp("widths")
    rules = replace(VARIANTS["broadsides"], round_limit=17)
    with Ledger(folder / "ledger.json") as ledger:
        for number, names in enumerate(combinations(NAMES + MORE, 2)):
            forfeit = (number % 2, Termination.ILLEGAL_MOVE) if number % 9 == 8 else None
            ledger.add(
                played(rules, seed=number, names=names, forfeit=forfeit, game_id=str(number))
            )
    done = judge("site", str(folder / "site"), "--ledger", str(folder / "ledger.json"))
    assert done.status == 0, done.stderr
    index = (folder / "site" / "index.html").read_text()
    assert ">Tied<" in index
    assert "Volleys to win</th>" in index
    return folder / "site"


@pytest.fixture(scope="module")
def crowded() -> str:
    """The page of 30 bots with long names; every two of them have played a match of two games,
    and neighbours two dozen: scores have two digits, and some are forfeits."""
    rules = replace(VARIANTS["contest"], match=2)
    names = [f"{MORE[number % 4]} the {number}th of its kind" for number in range(30)]
    models = [
        played(rules, seed=seed, forfeit=(seed % 2, Termination.ILLEGAL_MOVE) if seed > 6 else None)
        for seed in range(8)
    ]
    tally, luck = Tally(), Random(5)
    for one, other in combinations(names, 2):
        for number in range(24 if names.index(other) == names.index(one) + 1 else 1):
            model = luck.choice(models)
            seats = tuple(
                replace(seat, name=name)
                for seat, name in zip(model.seats, (one, other), strict=True)
            )
            for game in (1, 2):
                of = OfMatch(f"{one} {other} {number}", game, 2)
                game_id = f"{one} {other} {number} {game}"
                record = replace(model, seats=seats, match=of, id=game_id)
                tally.enter(entry_of(record), ConditionSet.of(record))
    found = standings(tally)
    assert found.counts_matches
    pages = LedgerPages("l.json", found, tally.table, TimeSeries(found.document.games))
    return standings_page(pages, [], linked=False)


def test_no_table_of_many_bots_is_cut_on_a_wide_screen(browse: Browse, crowded: str) -> None:
    """The table and who beat whom, of 30 bots with long names and of matches; no score runs out
    of its cell."""
    page = browse(crowded).page
    assert page.locator(".cross td").count() == 30 * 30 + 1
    over = "cells => cells.filter(one => one.scrollWidth > one.clientWidth).length"
    for width in (1024, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator(".frame").evaluate_all(HIDDEN) == []
        assert page.locator(".cross td").evaluate_all(over) == 0
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_no_table_is_cut_on_a_wide_screen(browse: Browse, salvos: Path) -> None:
    """The tables are those of the standings, a bot or a game, with ties, salvos and forfeits."""
    for name in ("index.html", "bots/hunter.html", "games/9.html"):
        page = browse(name, site=salvos).page
        page.wait_for_load_state()
        for width in (1024, 1280, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.locator(".frame").evaluate_all(HIDDEN) == [], (name, width)


@pytest.mark.parametrize("bots", [9, 17, 33, 65])
def test_names_in_a_bracket_are_whole_words(browse: Browse, bots: int) -> None:
    """The brackets have four rounds and more, at the widths at which rounds begin to stand beside
    each other, and on paper; at the greatest of these widths the rounds of up to 64 bots do."""
    names = tuple(f"{(NAMES + MORE)[number % 8]} {number}" for number in range(bots))
    text = page_of(contest("knockout", names=names, most=4 * bots))
    page = browse(text).page
    page.set_viewport_size({"width": 1281, "height": 900})
    shown = page.locator(".bracket bdi")
    tops = "rounds => new Set(rounds.map(one => one.getBoundingClientRect().top)).size"
    assert (page.locator(".bracket > li").evaluate_all(tops) == 1) == (bots < 65)
    for width in (1281, 1280, 1089, 1088, 929, 928):
        page.set_viewport_size({"width": width, "height": 900})
        assert shown.evaluate_all(BROKEN) == [], width
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    assert shown.evaluate_all(BROKEN) == []


def test_names_and_ids_are_whole_words_on_a_phone(browse: Browse, salvos: Path) -> None:
    """None is broken but where it has a space or a hyphen."""
    for name in ("index.html", "bots/hunter.html", "games/9.html"):
        page = browse(name, site=salvos).page
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_load_state()
        shown = page.locator("table bdi:visible, table a:visible, dl.facts dd:visible")
        texts = shown.and_(page.locator(":not(:has(*))"))
        assert texts.count() > 5
        assert texts.evaluate_all(BROKEN) == []
