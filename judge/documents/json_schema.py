"""JSON Schemas (draft 2020-12) made from the types: their bounds, and the sentences at their fields."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET

from judge.documents.codec import Document, Part, Report


def text(name: str, kind: type[Document], examples: Sequence[Any]) -> str:
    """The file of a document's schema, with these examples."""
    _, parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for part in _parts(Part):
        if part.__name__ in parts:
            _describe(part, parts[part.__name__], is_whole=issubclass(kind, Report))
    body = parts.pop(kind.__name__)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:battleships-judge:{name}:1",
        **body,
        "title": kind.CALLED[0].upper() + kind.CALLED[1:],
        **({"$defs": parts} if parts else {}),
        "examples": examples,
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _parts(kind: type[Part]) -> Iterator[type[Part]]:
    for part in kind.__subclasses__():
        yield part
        yield from _parts(part)


def _describe(part: type[Part], body: dict[str, Any], *, is_whole: bool) -> None:
    """Put a type's sentences beside its fields, and no default that only says "nothing". In a document
    that ``is_whole`` each field is required."""
    body["description"] = " ".join((part.__doc__ or "").split())
    sentences = _sentences(part)
    fields = msgspec.structs.fields(part)
    places = body.get("prefixItems") or [body["properties"][one.encode_name] for one in fields]
    for field, place in zip(fields, places, strict=True):
        place["description"] = sentences[field.name]
        if is_whole or place.get("default") in ("", (), None):
            place.pop("default", None)
    if is_whole:
        body["required"] = [one.encode_name for one in fields if one.default is not UNSET]


def _sentences(part: type[Part]) -> dict[str, str]:
    """The text below each field of a type, its bases included."""
    found: dict[str, str] = {}
    for one in part.__mro__[: part.__mro__.index(Part)]:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        assert isinstance(definition, ast.ClassDef), "it is the source of a class"
        for statement, below in pairwise(definition.body):
            match statement, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = " ".join(text.split())
    return found
