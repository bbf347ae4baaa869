"""A ladder's pages in a real browser: narrow and wide, light and dark, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import in_both_schemes
from games import introduced, played
from hosted import Hosted, hosted
from judge.contest.ledger.ledger import Ledger

pytestmark = pytest.mark.whole

WIDTHS = (320, 800, 1400)
PATHS = ("/", "/bots/ann", "/games/1", "/live/", "/enter", "/register")
NAMES = ("ann", "bob", "a-name-that-is-as-long-as-names-may-be-x")


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    tmp_path = tmp_path_factory.mktemp("ladder")
    with Ledger(tmp_path / "ledger.json") as ledger:
        for seed in range(3):
            for one, other in ((0, 1), (1, 2), (2, 0)):
                for first in (0, 1):
                    names = (NAMES[one], NAMES[other])
                    id_ = f"{one}{other}{seed}{first}"
                    record = played(seed=seed, names=names, first=first, game_id=id_)
                    ledger.add(introduced(record, ann=(60 * "W", "Jane Doe, who has helpers")))
    with hosted(tmp_path, is_open=True) as found:
        yield found


def opened(chromium: Browser, said: list[str], **how: object) -> Page:
    page = chromium.new_context(**how).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(60_000)
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    return page


def test_pages_fit_every_screen(ladder: Hosted, chromium: Browser) -> None:
    """Nothing is wider than the screen, axe finds nothing in light and in dark, and nothing complains."""
    said: list[str] = []
    page = opened(chromium, said)
    for path in PATHS:
        page.goto(ladder.origin + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        assert in_both_schemes(page) == [], path
    assert said == []
    page.context.close()


def test_an_entrant_uploads_without_scripts(
    ladder: Hosted, chromium: Browser, tmp_path: Path
) -> None:
    """From the link to the upload: every step is a link or a form."""
    said: list[str] = []
    link = f"{ladder.origin}/enter/{ladder.folder.invite('ann')}"
    ladder.view.look()
    bot = tmp_path / "bot.sh"
    bot.write_text("#!/bin/sh\necho '{}'\n")
    page = opened(chromium, said, java_script_enabled=False)
    page.goto(link)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ann")
    page.get_by_label("A file, a .zip").set_input_files(bot)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("status")).to_have_text("It is here, and waits for its check.")
    expect(page.get_by_role("heading", name="#1: waiting")).to_be_visible()
    page.goto(f"{ladder.origin}/")
    expect(page.get_by_role("row")).not_to_have_count(0)
    page.get_by_role("link", name="by points").click()
    expect(page.get_by_text("By points;")).to_be_visible()
    page.goto(f"{ladder.origin}/me")
    page.get_by_role("button", name="Forget the token").click()
    page.goto(f"{ladder.origin}/me")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Enter with your token first")
    assert said == [
        "error: Failed to load resource: the server responded with a status of 401 (Unauthorized)"
    ]
    page.context.close()
