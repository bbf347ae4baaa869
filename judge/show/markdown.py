"""An organiser's Markdown as HTML that is safe on a page, whoever wrote it. Pure.

Raw HTML is shown as text, links lead only to the web or to a mail address, and no image is loaded.
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
    """The text as HTML. The text's headings are one level lower, since the page has a first heading
    of its own."""
    from markupsafe import Markup

    parser = _parser()
    tokens = parser.parse(html.lines(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        token.attrs.pop("style", None)  # a column's alignment, which the policy of a page refuses
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

    # An image would be loaded from another server.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # The library itself allows every scheme that is not on its list of bad ones.
    parser.validateLink = lambda url: url.strip().lower().startswith(_SCHEMES)  # type: ignore[method-assign]
    return parser
