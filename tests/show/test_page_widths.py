"""Tables of pages on screens of usual widths: nothing of them is cut off."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from test_cli_ledger import judge

from browser import Browse
from games import played
from judge.contest.ledger import Ledger
from judge.game.outcome import Termination
from judge.game.variants import VARIANTS

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


@pytest.mark.parametrize("width", [1024, 1280, 1440, 1920])
def test_no_table_is_cut_on_a_wide_screen(browse: Browse, salvos: Path, width: int) -> None:
    """Of the standings, a bot or a game, with ties, salvos and forfeits."""
    for name in ("index.html", "bots/hunter.html", "games/9.html"):
        viewport = {"width": width, "height": 900}
        page = browse(name, site=salvos, viewport=viewport).page
        page.wait_for_load_state()
        assert page.locator(".frame").evaluate_all(HIDDEN) == []


def test_names_and_ids_are_whole_words_on_a_phone(browse: Browse, salvos: Path) -> None:
    """None is broken but where it has a space or a hyphen."""
    for name in ("index.html", "bots/hunter.html", "games/9.html"):
        page = browse(name, site=salvos, viewport={"width": 360, "height": 740}).page
        page.wait_for_load_state()
        shown = page.locator("table bdi:visible, table a:visible, dl.facts dd:visible")
        texts = shown.and_(page.locator(":not(:has(*))"))
        assert texts.count() > 5
        assert texts.evaluate_all(BROKEN) == []
