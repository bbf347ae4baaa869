"""The parts that all pages share: strangers' text stays text, and a page runs its own script
alone."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judge.show.pages.html
from browser import Browse, accessibility, in_both_schemes
from games import ATTACK, strange_texts
from judge.show.pages.html import PageKind, embedded, lines, render


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which `render` finds templates before the judge's own."""
    from jinja2 import ChoiceLoader, FileSystemLoader

    environment = judge.show.pages.html._environment()
    folder = tmp_path / "templates"
    folder.mkdir()
    monkeypatch.setattr(
        environment, "loader", ChoiceLoader([FileSystemLoader(folder), environment.loader])
    )
    monkeypatch.setattr(environment, "cache", None)
    return folder


@given(strange_texts())
def test_an_embedded_document_stays_in_its_element(text: str) -> None:
    """JSON in a page has no character that HTML reads, and is the same document for JSON."""
    document = {text: [text, ATTACK, "<!--", "]]>", "&amp;"]}
    written = str(embedded(document))
    assert written.encode()  # no half characters
    assert not set(written) & set("<>&")
    assert json.loads(written) == document


@given(strange_texts() | st.text())
def test_what_is_shown_can_be_written(text: str) -> None:
    """Output in a page has no half characters and no controls, whatever the bot printed."""
    categories = {unicodedata.category(character) for character in lines(text)} - {"Cc"}
    assert not categories & {"Cs", "Cf"}
    assert set(lines(text)) & set(map(chr, (*range(32), 127))) <= {"\n"}


def test_a_page_runs_its_own_script_and_no_other(browse: Browse, templates: Path) -> None:
    """A name that escaped all escaping would still run nothing: the policy knows the digests."""
    (templates / "made-up.html").write_text(
        "{% extends 'base.html' %}{% block main %}<p>{{ name }}</p>{{ name | safe }}{% endblock %}"
    )
    (templates / "made-up.js").write_text("document.title = 'ours';")
    html = render(
        "made-up.html", PageKind(("base.css",), ("made-up.js",)), title="A page", name=ATTACK
    )
    watched = browse(html)
    assert watched.page.title() == "ours"
    assert watched.page.locator("p", has_text="onerror").count() == 1
    refused = [said for said in watched.said if "Content Security Policy" in said]
    assert len(refused) == len(watched.said) == 3  # the image, its handler, the script
    watched.said.clear()
    watched.requests.clear()  # the image's, which was refused


def test_the_frame_of_a_page_is_accessible(browse: Browse, templates: Path) -> None:
    """The beginning and the end of all pages have no fault that axe knows, light or dark."""
    (templates / "made-up.html").write_text(
        "{% extends 'base.html' %}{% block masthead %}<h1>A page</h1>{% endblock %}"
        "{% block main %}<section><h2>Part</h2><pre tabindex=0>x</pre>"
        "<dl class=facts><div><dt>what</dt><dd>that</dd></div></dl></section>{% endblock %}"
        "{% block overline %}Score sheet{% endblock %}{% block colophon %}<p>End</p>{% endblock %}"
    )
    html = render("made-up.html", PageKind(("base.css",), ()), title="A page")
    assert in_both_schemes(browse(html).page) == []


def test_a_pale_word_among_many_is_found(browse: Browse) -> None:
    """Axe looks at one of the elements that look alike, and so at each that does not."""
    words = 20 * "<b>dark</b> " + "<b style='color: #ddd'>pale</b> "
    html = f"<!doctype html><html lang=en><title>x</title><main><h1>x</h1><p>{words * 2}</p></main>"
    (found,) = accessibility(browse(html).page)
    assert found.startswith("color-contrast: ")


def test_a_name_that_was_not_given_is_an_error(templates: Path) -> None:
    """A template that misspells a name fails, rather than leave a hole."""
    from jinja2 import UndefinedError

    (templates / "made-up.html").write_text("{{ nmae }}")
    with pytest.raises(UndefinedError):
        render("made-up.html", PageKind(("base.css",), ()), title="A page", name="x")
