"""Finds the JSON Schemas in ``schemas/``, and checks documents against them.

`problem` says in one sentence what is wrong with a document, or returns None. The package
jsonschema is imported at its first use, since the import takes longer than the judge's start.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

Check = Callable[[Any], str | None]

MOST_ERRORS = 20  # errors of a document that are compared; the rest is not read
_SHORT = 100  # members of an array or object that a sentence may write out


def bundled(folder: str) -> Path:
    """The path of a data folder: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / "_data" / folder
    return installed if installed.is_dir() else package.parent / folder


def names() -> list[str]:
    """Every schema's name, sorted: ``game-record``, ``rules``, …"""
    return sorted(path.name.removesuffix(".schema.json") for path in _files())


@cache
def load(name: str) -> dict[str, Any]:
    """The schema of that name. Callers share the object and must not change it."""
    text = (bundled("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def problem(name: str, instance: Any) -> str | None:
    """A sentence on why ``instance`` is not a valid document of the schema ``name``, or None."""
    return _named(name)(instance)


@cache
def _named(name: str) -> Check:
    return compiled(load(name))


def compiled(schema: Mapping[str, Any]) -> Check:
    """Compile a schema into a check. The schema may refer to those in ``schemas/`` by ``$id``."""
    validator = _dialect()(schema, registry=_registry())

    def check(instance: Any) -> str | None:
        try:
            errors = [*islice(validator.iter_errors(instance), MOST_ERRORS)]
            return _sentence(errors) if errors else None
        except RecursionError:  # a misplaced value may be nested as deep as JSON allows
            return "it is nested without end"

    return check


@cache
def _dialect() -> Any:
    """A validator class for draft 2020-12 in which 8.0 is not an integer and a number is finite. It
    spends little time on large wrong values."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": lambda _, value: _is_integer(value), "number": lambda _, value: _is_real(value)}
    )
    usual = Draft202012Validator.VALIDATORS
    bounded = {
        "type": _type,
        "anyOf": _any_of(usual["anyOf"]),
        "items": _unless_too_long(usual["items"]),
        "maxItems": _max_items,
        "additionalProperties": _one_by_one(usual["additionalProperties"]),
    }
    # types-jsonschema has no types for `extend`
    return extend(Draft202012Validator, bounded, type_checker=types)  # type: ignore[no-untyped-call]


# jsonschema's own keywords write the whole value into every error, look at all items of a list that
# is too long, and collect every error of every form that a value does not have.
_Keyword = Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[Any]]


def _type(validator: Any, types: Any, instance: Any, _: Mapping[str, Any]) -> Iterator[Any]:
    names = [types] if isinstance(types, str) else types
    if not any(validator.is_type(instance, name) for name in names):
        yield _error(f"{_shown(instance)} is not of type {', '.join(map(repr, names))}")


def _any_of(usual: Any) -> _Keyword:
    """``anyOf``. If a value has the type of just one form, only that form's errors are given."""

    def any_of(
        validator: Any, forms: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        types = [form.get("type") for form in forms]
        due = [form for form in forms if all(types) and validator.is_type(instance, form["type"])]
        if len(due) == 1:
            yield from validator.descend(instance, due[0])
        elif due or not all(types):
            yield from usual(validator, forms, instance, schema)
        else:
            yield from _type(validator, types, instance, schema)

    return any_of


def _max_items(validator: Any, most: int, instance: Any, _: Mapping[str, Any]) -> Iterator[Any]:
    if validator.is_type(instance, "array") and len(instance) > most:
        yield _error(f"{_shown(instance)} is too long")


def _unless_too_long(usual: Any) -> _Keyword:
    """``items``, but the items of a list that ``maxItems`` refuses are not checked."""

    def items(
        validator: Any, items: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        most = schema.get("maxItems")
        if most is None or not isinstance(instance, list) or len(instance) <= most:
            yield from usual(validator, items, instance, schema)

    return items


def _one_by_one(usual: Any) -> _Keyword:
    """``additionalProperties``, but the error on a long object names only the first unknown key."""

    def additional(
        validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        if allowed is not False or not isinstance(instance, dict) or len(instance) <= _SHORT:
            yield from usual(validator, allowed, instance, schema)
            return
        known = schema.get("properties", {})
        extra = next((key for key in instance if key not in known), None)
        if extra is not None:
            yield _error(f"Additional properties are not allowed ({extra!r} was unexpected)")

    return additional


def _error(said: str) -> Any:
    from jsonschema.exceptions import ValidationError

    return ValidationError(said)


def _shown(instance: Any) -> str:
    """A value as text for a sentence. The text on a long array or object is only its length."""
    if isinstance(instance, list | dict) and len(instance) > _SHORT:
        kind = "array" if isinstance(instance, list) else "object"
        return f"an {kind} of {len(instance):,}"
    return repr(instance)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


@cache
def _registry() -> Any:
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    # A `$schema` key would make jsonschema leave `_dialect` at each reference to the schema.
    documents = [{**load(name)} for name in names()]
    for document in documents:
        del document["$schema"]
    registry: Registry[Any] = Registry()
    return registry.with_resources(
        (document["$id"], DRAFT202012.create_resource(document)) for document in documents
    )


def _sentence(errors: Iterable[Any]) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(errors)
    where = ""
    for step in error.absolute_path:
        where += f"[{step}]" if isinstance(step, int) else f".{step}" if where else str(step)
    said = _shortened(error.message)
    if error.validator == "const":  # jsonschema's message does not name the value
        said = (
            f"{_shortened(json.dumps(error.instance))} is not {json.dumps(error.validator_value)}"
        )
    if error.validator in _OF_A_VALUE and "description" in error.schema:
        said += f" (expected: {error.schema['description']})"
    return f"{_shortened(where)}: {said}" if where else said


# Keywords whose failure reads better with the description of what was expected.
_OF_A_VALUE = frozenset({"pattern", "enum", "const", "maxLength", "minLength"})


def _shortened(text: str, most: int = 240) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def _files() -> list[Path]:
    return list(bundled("schemas").glob("*.schema.json"))
