"""The live page: an empty page that its script fills from the server's events."""

from __future__ import annotations

from judge.show.page_words import PageWords
from judge.show.pages import html
from judge.show.text import clean


def live_page(title: str, occasion: PageWords) -> str:
    """The page. The page's script may connect only to the page's own server."""
    return html.render(
        "live.html",
        title=clean(title),
        occasion=occasion,
        styles=html.LIVE_STYLES,
        scripts=html.LIVE_SCRIPTS,
        asks_its_server=True,
    )
