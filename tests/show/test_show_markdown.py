"""An organiser's Markdown on a page: it is laid out, and harmless whoever wrote it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import strange_texts
from judge.show.pages.html import rendered

PIECES = (
    *("<script>", "</div>", "<img src=x onerror=y>", "![a](https://b/c.png)", "[a](", ")", "<"),
    *("javascript:x", " data:text/html,x ", "https://a/", "[x]: file:///y", "&#106;", "# ", ">"),
    *("\n", "\n\n", "|a|\n|:-|\n", "```", "<!--", "* ", '"', "'", "`", "[x]", "<mailto:a@b>", "\\"),
)
MARKUP = st.lists(st.sampled_from(PIECES) | strange_texts(), max_size=12).map("".join)


class Elements(HTMLParser):
    """The elements of a text, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", {}))


@given(MARKUP)
def test_whatever_it_says_it_is_text_with_links_to_the_web(text: str) -> None:
    """Its elements are those of Markdown, nothing is loaded or run, and links lead to the web or to
    a mail address."""
    shown = rendered(text)
    shown.encode()  # it can be written
    for tag, attributes in Elements(shown).found:
        assert tag in {
            *("p", "em", "strong", "a", "code", "pre", "blockquote", "br", "hr", "ul", "ol", "li"),
            *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
        }
        assert attributes.keys() <= {"href", "rel", "title", "start", "class"}
        assert tag != "a" or str(attributes["href"]).lower().startswith(
            ("http://", "https://", "mailto:")
        )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Cup", "<h2>Cup</h2>\n"),
        ("a **b**", "<p>a <strong>b</strong></p>\n"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("[x](javascript:alert)", "<p>[x](javascript:alert)</p>\n"),
        ("[x]()", "<p>x</p>\n"),
        ("a\u202eb", "<p>a\\u202eb</p>\n"),
        ("", ""),
    ],
)
def test_it_is_laid_out(text: str, shown: str) -> None:
    """Headings come below the page's own, and characters that cannot be seen are told."""
    assert rendered(text) == shown
