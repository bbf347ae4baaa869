"""JSON Schemas (draft 2020-12) made from the types of documents: the bounds and the sentences of
their fields."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise, takewhile
from typing import Any, get_args, get_origin

import msgspec

from judge.documents.codec import Document, Growing, Part, forms, is_whole, written


def text(name: str, documents: Mapping[str, Any], examples: Sequence[Any]) -> str:
    """The text of the schema of the document ``name``, with ``examples``. Other documents within it
    are references to their own schemas."""
    kind = documents[name]
    kinds = forms(kind)
    roots, parts = msgspec.json.schema_components(kinds, ref_template=_PART.format("{name}"))
    for part in (*_parts(Part), *_parts(Growing)):
        if part.__name__ in parts:
            within = isinstance(kind, type) and issubclass(kind, Document) and kind.IS_WHOLE
            _describe(part, parts[part.__name__], is_whole=is_whole(part, within=within))
    _type_numbers([roots, parts])
    for other, one in documents.items():
        if other != name and isinstance(one, type) and one.__name__ in parts:
            parts[one.__name__] = {"$ref": _URN.format(other)}
    events = {"type": "object", **_said_of(kind), "oneOf": roots}
    root: dict[str, Any] = events if len(kinds) > 1 else {**roots[0]}
    own = root.pop("$ref", "").removeprefix(_PART.format(""))
    body = {**parts.get(own, {}), **root}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": _URN.format(name),
        **body,
        "title": root.get("title") or kind.CALLED[0].upper() + kind.CALLED[1:],
        "$defs": {one: part for one, part in parts.items() if one in _named_in(body, parts)},
        "examples": examples,
    }
    if not schema["$defs"]:
        del schema["$defs"]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


_PART = "#/$defs/{}"
_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')
_URN = "urn:battleships-judge:{}:1"


def _type_numbers(schema: Any) -> None:
    """Add the type integer to each enum of whole numbers, so that 1.0 is not valid as 1. Put its
    description on one line, as Pythons differ in how they indent a docstring."""
    for inner in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(inner, dict | list):
            _type_numbers(inner)
    listed = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(listed, list) and all(type(one) is int for one in listed):
        schema["type"] = "integer"
        if said := schema.get("description"):
            schema["description"] = " ".join(said.split())


def _said_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {"description": " ".join((kind.__doc__ or "").split())}


def _named_in(body: Any, parts: Mapping[str, Any]) -> set[str]:
    """The names of all parts that a schema refers to, directly or through other parts."""
    found: set[str] = set()
    todo = [body]
    while todo:
        named = set(_REFERENCE.findall(json.dumps(todo.pop()))) - found
        found |= named
        todo += [parts[one] for one in named]
    return found


def _parts(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for part in kind.__subclasses__():
        yield part
        yield from _parts(part)


def _describe(part: type[msgspec.Struct], body: dict[str, Any], *, is_whole: bool) -> None:
    """Put a type's sentences into its schema, and take out defaults that are empty or null. If
    ``is_whole``, take out all defaults and require all written fields."""
    body |= _said_of(part)
    sentences = _sentences(part)
    fields = msgspec.structs.fields(part)
    places = body.get("prefixItems") or [body["properties"][one.encode_name] for one in fields]
    for field, place in zip(fields, places, strict=True):
        place["description"] = sentences[field.name]
        keys = get_args(field.type)[:1] if get_origin(field.type) is dict else ()
        for key in keys:
            if isinstance(key, type) and issubclass(key, Enum):
                place["propertyNames"] = {"enum": [one.value for one in key]}
        if is_whole or place.get("default") in ("", (), None):
            place.pop("default", None)
        if place.pop("discriminator", None):  # JSON Schema has no such keyword
            place["oneOf"] = place.pop("anyOf")
    tag = part.__struct_config__.tag_field
    if tag:
        body["properties"][tag]["description"] = sentences[tag]
    if is_whole and "properties" in body:
        body["required"] = [*([tag] if tag else []), *written(part)]
    elif is_whole:  # a row may be written without an empty text at its end
        body["minItems"] = sum(field.default != "" for field in fields)


def _sentences(part: type[msgspec.Struct]) -> dict[str, str]:
    """The sentence below each field of a type and of its bases, by the field's name."""
    found: dict[str, str] = {}
    for one in takewhile(lambda one: one not in (Part, Growing), part.__mro__):
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
