"""The JSON Schemas, found and compiled: the only reader of ``schemas/``.

`problem` answers in one sentence what is wrong with a document, or None; what that costs, and
whom, is for the caller to say. jsonschema is imported at the first question, not before, for it
takes longer to import than the rest of the judge to start.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Check = Callable[[Any], str | None]


def bundled(folder: str) -> Path:
    """Where a data folder lies: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / "_data" / folder
    return installed if installed.is_dir() else package.parent / folder


def names() -> list[str]:
    """Every schema's name, sorted: ``game-record``, ``rules``, …"""
    return sorted(path.name.removesuffix(".schema.json") for path in _files())


@cache
def load(name: str) -> dict[str, Any]:
    """The schema document itself; not to be changed by its reader."""
    text = (bundled("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def problem(name: str, instance: Any, field: str = "") -> str | None:
    """What keeps ``instance`` from being a valid ``name`` document, in one sentence; or from being
    a valid ``field`` of one."""
    return _named(name, field)(instance)


@cache
def _named(name: str, field: str) -> Check:
    schema = load(name)
    return compiled({"$ref": f"{schema['$id']}#/properties/{field}"} if field else schema)


def compiled(schema: Mapping[str, Any]) -> Check:
    """A check against this very schema, which may refer to the others by their ``$id``."""
    validator = _dialect()(schema, registry=_registry())

    def check(instance: Any) -> str | None:
        try:
            return None if validator.is_valid(instance) else _sentence(validator, instance)
        except RecursionError:  # what is in the wrong place may be nested as deep as JSON goes
            return "it is nested without end"

    return check


@cache
def _dialect() -> Any:
    """Draft 2020-12, but an integer is an int, not 8.0, and a number is finite: what has passed
    can be counted with."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": lambda _, value: _is_integer(value), "number": lambda _, value: _is_real(value)}
    )
    # types-jsonschema gives `extend` no types
    return extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


@cache
def _registry() -> Any:
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    # Without their `$schema`, for by that jsonschema would leave `_dialect` at every reference.
    documents = [{**load(name)} for name in names()]
    for document in documents:
        del document["$schema"]
    registry: Registry[Any] = Registry()
    return registry.with_resources(
        (document["$id"], DRAFT202012.create_resource(document)) for document in documents
    )


def _sentence(validator: Any, instance: Any) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(instance))
    where = ""
    for step in error.absolute_path:
        where += f"[{step}]" if isinstance(step, int) else f".{step}" if where else str(step)
    said = _shortened(error.message)
    if error.validator == "const":  # its own message would say what was expected, as the next does
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
