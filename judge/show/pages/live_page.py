"""The live page: an empty form, which its script fills with what the server tells. Pure."""

from __future__ import annotations

from judge.show.page_words import PageWords
from judge.show.pages import html
from judge.show.text import clean


def live_page(title: str, occasion: PageWords) -> str:
    """The page; it asks its own server for ``events``, and nothing else."""
    return html.render(
        "live.html",
        title=clean(title),
        occasion=occasion,
        styles=html.LIVE_STYLES,
        scripts=html.LIVE_SCRIPTS,
        asks_its_server=True,
    )
