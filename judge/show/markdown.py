"""An organiser's Markdown as HTML that is safe on a page, whoever wrote it. Pure.

Raw HTML is text, links lead to the web or to a mail address alone, and nothing is loaded.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from judge.show.pages import html

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

_SCHEMES = ("https://", "http://", "mailto:")


def rendered(text: str) -> Markup:
    """The text; its headings are those of a section, for the page has a first one of its own."""
    from markupsafe import Markup

    parser = _parser()
    tokens = parser.parse(html.lines(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        token.attrs.pop("style", None)  # the alignment of a column; the policy of a page refuses it
        for part in token.children or ():  # a link holds no other link
            if part.type == "link_open":
                part.attrSet("rel", "noopener noreferrer")
                leads_nowhere = part.attrGet("href") == ""
            if part.type in ("link_open", "link_close"):
                part.hidden = leads_nowhere
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - raw HTML is off


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # An image would be asked for from elsewhere.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # The library's own list of bad schemes would leave any other one.
    parser.validateLink = lambda url: url.strip().lower().startswith(_SCHEMES)  # type: ignore[method-assign]
    return parser
