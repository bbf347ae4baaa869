"""Renders pages from templates; style and script are in the page, or in files that a site shares.

Pure but for reading the templates. Text from strangers is escaped by default. The only texts that
are not escaped are our own style sheets and scripts, rendered Markdown, and JSON made safe for its
place. A page that stands alone has its style and its script inside and loads no file. Its content
security policy has the digests of its style and script. So a browser runs nothing else, whatever is
in a bot's name or output.

The pages of a site link to files of the site. The name of a file has the file's digest. The policy
of such a page has the digest of a line that loads the script, and trusts the script that this line
loads. No other script can run. The policy cannot have the script's own digest, which a browser does
not check for a file on disk.

An organiser's Markdown is made safe, whoever wrote it: raw HTML is shown as text, links lead only to
the web or to a mail address, and no image is loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from judge import __version__
from judge.documents.rules import Fleet, Orientation
from judge.show.text import clean, clean_lines

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    from judge.show.page_words import PageWords


class PageKind(NamedTuple):
    """The style sheets and the scripts of a kind of page, each in their order."""

    styles: tuple[str, ...]
    scripts: tuple[str, ...]


GAME = PageKind(
    ("base.css", "game.css"), ("board.js", "game_record.js", "game_parts.js", "game.js")
)
LEDGER = PageKind(("base.css", "tables.css", "site.css", "contest.css"), ("site.js",))
MATCH = PageKind(
    ("base.css", "tables.css", "game.css", "match.css"), ("site.js", "board.js", "match.js")
)
LIVE = PageKind(
    ("base.css", "tables.css", "contest.css", "game.css", "live.css"), ("board.js", "live.js")
)
_SHARED_NAME = re.compile(r"(?:style|script)-[0-9a-f]{16}\.(?:css|js)")


def render(
    template: str,
    kind: PageKind,
    *,
    title: str,
    root: str | None = None,
    asks_its_server: bool = False,
    has_forms: bool = False,
    **context: Any,
) -> str:
    """A page of a ``kind`` from a template in ``templates/``. ``root`` is the path from the page to
    the root of its site, to whose files the page links. Without a ``root`` the page contains its
    style sheets and scripts.

    The template extends ``base.html``. A name in the template without a value raises an error. With
    ``asks_its_server`` the script of a page without a ``root`` may connect to the page's own
    server. With ``has_forms`` the page may send forms to its server.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            version=__version__,
            asks_its_server=asks_its_server,
            **_look(kind, root, asks_its_server, has_forms),
            **context,
        )
    )


def damaged(
    title: str, fault: str, *, root: str, contest: str, around: tuple[object, ...] | None = None
) -> str:
    """The page of a site for a game or match whose record breaks the rules; ``fault`` says how.
    ``around`` is the place of a game in the site."""
    return render(
        "damaged.html",
        LEDGER,
        title=title,
        root=root,
        contest=clean(contest),
        around=around,
        fault=fault,
    )


def live_page(title: str, occasion: PageWords) -> str:
    """The live page: empty, until its script fills it from the server's events. The script may
    connect only to the page's own server."""
    return render(
        "live.html",
        LIVE,
        title=clean(title),
        occasion=occasion,
        asks_its_server=True,
    )


def shared_files(*, of_matches: bool = False) -> dict[str, str]:
    """The style sheets and scripts that the pages of a site link to, by the names of their files in
    the site's root. With ``of_matches``, those for the pages of matches; else those for all other
    pages."""
    kinds = (MATCH,) if of_matches else (GAME, LEDGER)
    return {_shared_name(names): _joined(names) for kind in kinds for names in kind}


def is_shared(name: str) -> bool:
    """Whether a name has the form of the names of `shared_files`, of this or another version."""
    return _SHARED_NAME.fullmatch(name) is not None


def embedded(document: Any) -> Markup:
    """A document as JSON that is safe inside ``<script type="application/json">``: no text in the
    document can end that element or change how the rest of the page is read."""
    from markupsafe import Markup

    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(_UNFIT.sub(_json_escape, text))  # noqa: S704 - there is nothing left in it that HTML would read


def ships(fleet: Fleet | None) -> list[list[int]]:
    """A fleet for board.js: for each ship its column, row and length, and 1 if it is horizontal."""
    return [
        [ship.column, ship.row, ship.length, int(ship.orientation is Orientation.HORIZONTAL)]
        for ship in fleet or ()
    ]


def lines(text: str) -> str:
    """The output of a program as clean lines."""
    return "\n".join(clean_lines(text))


# Characters that HTML reads as markup, control characters, and those that UTF-8 cannot hold.
_UNFIT = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=PackageLoader("judge.show"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(clean=clean, lines=lines, embedded=embedded)
    return environment


@cache
def _joined(names: tuple[str, ...]) -> Markup:
    """Our own style sheets or scripts, joined and not escaped."""
    from markupsafe import Markup

    environment = _environment()
    assert environment.loader is not None
    texts = [environment.loader.get_source(environment, name)[0] for name in names]
    return Markup("\n".join(texts))  # noqa: S704 - they are ours


@cache
def _shared_name(names: tuple[str, ...]) -> str:
    suffix = names[0].rpartition(".")[2]
    digest = hashlib.sha256(_joined(names).encode()).hexdigest()[:16]
    return f"{'style' if suffix == 'css' else 'script'}-{digest}.{suffix}"


@cache
def _look(
    kind: PageKind,
    root: str | None,
    asks_its_server: bool,
    has_forms: bool,
) -> dict[str, Any]:
    """The values of ``base.html``: a page's style, its script, and its policy."""
    from markupsafe import Markup

    if root is None:
        style, script = map(_joined, kind)
        return {
            "root": None,
            "style": style,
            "script": script,
            "policy": _policy(
                _digest(style), _digest(script), connects=asks_its_server, sends=has_forms
            ),
        }
    source = json.dumps(root + _shared_name(kind.scripts))
    script = Markup(  # noqa: S704 - the name is made of a digest
        f'document.body.append(Object.assign(document.createElement("script"),{{src:{source}}}))'
    )
    return {
        "root": root,
        "sheet": _shared_name(kind.styles),
        "style": "",
        "script": script,
        # A browser may treat each file on disk as an origin of its own.
        "policy": _policy("'self' file:", f"{_digest(script)} 'strict-dynamic'", sends=has_forms),
    }


def _policy(style: str, script: str, *, connects: bool = False, sends: bool = False) -> str:
    """The content security policy: this style, this script, and nothing from elsewhere. With
    ``connects`` the script may connect to its own server, and with ``sends`` forms may go there."""
    own = "connect-src 'self'; " if connects else ""
    forms = "'self'" if sends else "'none'"
    return (
        f"default-src 'none'; style-src {style}; script-src {script}; "
        f"img-src data:; {own}base-uri 'none'; form-action {forms}"
    )


def _digest(text: str) -> str:
    if not text:
        return "'none'"
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# An organiser's Markdown


_SCHEMES = ("https://", "http://", "mailto:")


def rendered(text: str) -> Markup:
    """The text as HTML. The text's headings are one level lower, since the page has a first heading
    of its own."""
    from markupsafe import Markup

    parser = _parser()
    tokens = parser.parse(lines(text))
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
