"""Pages: a template with its style and its script inside, one file that asks for nothing.

Pure but for reading the templates beside it. What comes from strangers is escaped by default;
the only texts that are not are our own style sheets and scripts, and JSON made fit for its place.
A page names the digests of its style and its script in its policy, so that a browser runs these
and nothing else, whatever a bot has put into its name or its output.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from judge import __version__
from judge.show.text import clean, clean_lines

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(
    template: str, *, title: str, styles: Sequence[str], scripts: Sequence[str] = (), **context: Any
) -> str:
    """A page from ``templates/``, with these style sheets and scripts inlined in their order.

    The template extends ``base.html``; a name in it that nothing was given for raises.
    """
    style, script = _joined(tuple(styles)), _joined(tuple(scripts))
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            style=style,
            script=script,
            policy=_policy(style, script),
            version=__version__,
            **context,
        )
    )


@cache
def edition() -> str:
    """A digest of all that pages are made from besides their contents: these pages' own texts."""
    environment = _environment()
    assert environment.loader is not None
    found = hashlib.sha256(__version__.encode())
    for name in environment.list_templates():
        found.update(environment.loader.get_source(environment, name)[0].encode())
    return found.hexdigest()


def embedded(document: Any) -> Markup:
    """A document as JSON that may stand inside ``<script type="application/json">``: whatever
    is in it, it neither ends that element nor changes how the rest of the page is read."""
    from markupsafe import Markup

    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(_UNFIT.sub(_json_escape, text))  # noqa: S704 - there is nothing left in it that HTML would read


def lines(text: str) -> str:
    """What a program printed, as it would stand on a terminal that hides nothing."""
    return "\n".join(clean_lines(text))


# What HTML reads as more than text, or that no file in UTF-8 can hold.
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
    """Our own style sheets or scripts, as they are."""
    from markupsafe import Markup

    environment = _environment()
    assert environment.loader is not None
    texts = [environment.loader.get_source(environment, name)[0] for name in names]
    return Markup("\n".join(texts))  # noqa: S704 - they are ours


@cache
def _policy(style: str, script: str) -> str:
    """The content security policy: this style, this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    if not text:
        return "'none'"
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
