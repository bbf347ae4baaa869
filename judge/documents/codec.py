"""Reads and writes documents. A reader gets the value, or one error whose sentence says where the
fault is.

`decode` reads a stranger's bytes: it refuses too many bytes, a key that stands twice, and endless
nesting. A fault raises `DocumentError`, or the ``FAULT`` of the type.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar, TypeVar, Union, cast

import msgspec
from msgspec import UNSET, inspect

from judge.documents import json_files
from judge.errors import UsageError
from judge.likeness import nearest


class DocumentError(ValueError):
    """Data is not a document. The text is one sentence that says where and why."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object in a document. ``CALLED`` is its name in an error's sentence. ``FAULT`` is the
    exception that data raise if they are not such an object. ``ALSO`` has the types of events that
    this kind of event shares with other kinds."""

    CALLED: ClassVar[str]
    ALSO: ClassVar[tuple[type[Part], ...]] = ()
    FAULT: ClassVar[type[Exception]] = DocumentError


class Growing(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a document that the judge writes. Its numbers grow while games are counted."""


class Document(Part, frozen=True, kw_only=True):
    """A whole document. It is not read if it has more bytes than ``MOST_BYTES``, or more JSON
    values than ``MOST_VALUES``. If a document ``IS_WHOLE``, its JSON must have all fields that
    `written` names, also those with a default. Rows of the lists named in ``SHORT_ROWS`` are
    written without an empty text at their end."""

    MOST_BYTES: ClassVar[int]
    MOST_VALUES: ClassVar = json_files.MOST_VALUES
    IS_WHOLE: ClassVar[bool] = False
    SHORT_ROWS: ClassVar[tuple[str, ...]] = ()


class Report(Document, frozen=True, kw_only=True):
    """A document that the judge writes, and `decode` never reads. It has all `written` fields."""

    MOST_BYTES: ClassVar = 0
    IS_WHOLE: ClassVar = True


D = TypeVar("D", bound=Document)
P = TypeVar("P", bound=Part)
_preparing = threading.Lock()
_HALF = "it holds half a surrogate pair, which is not a character"


def decode(kind: type[D], data: bytes, where: str) -> D:
    """The document in a stranger's ``data``. Raises the ``FAULT`` of ``kind`` if the data are not a
    ``kind``; the error's sentence begins with ``where``."""
    if len(data) > kind.MOST_BYTES:
        raise kind.FAULT(f"{where} is longer than {kind.MOST_BYTES:,} bytes; shorten it")
    try:
        value = parsed(data, kind.MOST_VALUES)
    except ValueError as error:
        raise kind.FAULT(f"{where} cannot be read: {error}") from None
    return convert(kind, value, where)


def parsed(data: bytes, most: int = json_files.MOST_VALUES) -> Any:
    """The JSON value in a stranger's ``data``. Raises ValueError with the reason if it is not JSON,
    has more than ``most`` values, or holds half a character."""
    value = json_files.parse(data, most)
    if b"\\u" in data:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError(_HALF) from None
    return value


@cache
def whole(kind: type[Part]) -> Any:
    """The type to decode: ``kind`` itself, or the union of the event types of ``kind``, told apart
    by their tags.

    msgspec prepares a type at its first use, and crashes if two threads do so at once. So this
    function prepares it under a lock.
    """
    found: Any = Union[tuple(forms(kind))]  # noqa: UP007 - made at run time
    with _preparing:
        msgspec.json.Decoder(found)
    return found


def forms(kind: Any) -> Sequence[Any]:
    """The types of the events of ``kind``, or ``kind`` alone if it has no events."""
    is_part = isinstance(kind, type) and issubclass(kind, Part)
    return ([*kind.__subclasses__(), *kind.ALSO] if is_part else []) or [kind]


def convert(kind: type[P], value: Any, where: str) -> P:
    """The document, or part of one, in parsed JSON. Raises the ``FAULT`` of ``kind`` if the JSON is
    not a ``kind``."""
    try:
        read = cast("P", msgspec.convert(value, whole(kind), str_keys=True))
        lack = _lack(read, value)
        if lack is None:
            return read
        said = f"${lack}"
    except UsageError as error:  # each field is valid, but the fields contradict each other
        said = str(error)
    except RecursionError:
        said = "it is nested without end"
    except UnicodeEncodeError:
        said = _HALF
    except msgspec.ValidationError as error:
        said = _sentence(kind, value, str(error))
    raise kind.FAULT(f"{where} is no {kind.CALLED}: {said}")


def encode(value: Document) -> bytes:
    """A document as compact JSON in ASCII."""
    return json.dumps(builtins(value), separators=(",", ":")).encode()


def builtins(value: Part) -> dict[str, Any]:
    """A document, or a part of one, as the lists and dicts of its JSON."""
    document: dict[str, Any]
    try:
        document = msgspec.msgpack.decode(msgspec.msgpack.encode(value))
    except (UnicodeEncodeError, OverflowError):  # half a surrogate pair, or a number over 64 bits
        document = json.loads(json.dumps(msgspec.to_builtins(value)))
    for name in value.SHORT_ROWS if isinstance(value, Document) else ():
        for row in document[name]:
            if row[-1] == "":
                row.pop()
    return document


@cache
def written(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The names of the fields that the JSON of a ``kind`` always has."""
    omits = kind.__struct_config__.omit_defaults
    return tuple(
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if field.required or not (omits or field.default is UNSET)
    )


def is_whole(kind: type[msgspec.Struct], *, within: bool) -> bool:
    """Whether the JSON of a ``kind`` must have all `written` fields. A document says so itself;
    ``within`` says so for a part, as the document around it decides."""
    return kind.IS_WHOLE if issubclass(kind, Document) else within


def _lack(part: Part, value: Any, *, within: bool = False) -> str | None:
    """The place and the name of the first written field that the JSON ``value`` lacks, or None."""
    kind = type(part)
    if not is_whole(kind, within=within):
        return None
    for own, name in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        inner = getattr(part, own)
        if name not in value:
            if name in written(kind):
                return f": it has no {name!r}"
        elif isinstance(inner, Part):
            if found := _lack(inner, value[name], within=True):
                return f".{name}{found}"
        elif isinstance(inner, tuple) and inner and isinstance(inner[0], Part):
            if inner[0].__struct_config__.array_like:
                continue
            for place, one in enumerate(inner):
                if found := _lack(one, value[name][place], within=True):
                    return f".{name}[{place}]{found}"
    return None


# Patterns of msgspec's messages, and the judge's sentences for them. msgspec names the bound, but
# not the value.

_MISTAKEN = re.compile(r"\AExpected `(.+)`, got `\w+`\Z")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_SAID = {
    re.compile(rf"\A{pattern}\Z", re.DOTALL): sentence
    for pattern, sentence in {
        r"Expected `(?:int|float)` >= (.+)": "{0} is less than {1}",
        r"Expected `(?:int|float)` <= (.+)": "{0} is more than {1}",
        r"Expected `\w+` of (?:length >=|at least length) (\d+).*": "{0} is too short: {1} is the least",
        r"Expected `\w+` of (?:length <=|at most length) (\d+).*": "{0} is too long: {1} is the most",
        r"Expected `\w+` of length (\d+).*": "{0} has another length than {1}",
        r"Expected `str` matching regex (.+)": "{0} does not match {1}",
        r"Object missing required field `(.+)`": "it has no {1!r}",
        r"Object contains unknown field `(.+)`": "it has a key that is not known: {2}",
        r"Invalid enum value .*": "{0} is not one of {3}",
        r"Invalid value .*": "{0} is not known",
    }.items()
}
_NOUNS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_END = r"(?![\\s\\S])"  # the end of a text in a pattern, as msgspec's message shows it
_MOST_SHOWN = 80  # characters of a value in a message


def _sentence(kind: type[Part], value: Any, found: str) -> str:
    said, _, place = found.removesuffix("`").rpartition(" - at `")
    if not said:  # the message names no place
        said, place = found, ""
    place = place.rpartition("`")[2]  # the place of a key is that of its object
    fields: inspect.Type | None = inspect.type_info(whole(kind))
    for name, index in _STEP.findall(place):
        value = value[name or int(index)]
        fields = _inside(fields, name, int(index or 0))
    return f"{place}: {_worded(said, value, fields)}" if place else _worded(said, value, fields)


def _inside(kind: inspect.Type | None, name: str, index: int) -> inspect.Type | None:
    """The type of the field ``name`` of an object, or of the item ``index`` of a list, or None."""
    for form in _forms(kind):
        match form:
            case inspect.StructType(array_like=False) if name:
                return next(
                    (field.type for field in form.fields if field.encode_name == name), None
                )
            case inspect.StructType(array_like=True) if not name:
                return form.fields[index].type
            case inspect.VarTupleType() if not name:
                return form.item_type
            case inspect.TupleType() if not name:
                return form.item_types[index]
    return None


def _forms(kind: inspect.Type | None) -> Iterable[inspect.Type | None]:
    return kind.types if isinstance(kind, inspect.UnionType) else [kind]


def _worded(said: str, value: Any, kind: inspect.Type | None) -> str:
    if mistaken := _MISTAKEN.match(said):
        types = mistaken[1].split(" | ")
        return f"{_shown(value)} is not {' or '.join(_NOUNS.get(one, one) for one in types)}"
    values, keys = list[str](), list[str]()
    for form in _forms(kind):
        if isinstance(form, inspect.EnumType):
            values += [str(one.value) for one in form.cls]
        elif isinstance(form, inspect.LiteralType):
            values += map(str, form.values)
        elif isinstance(form, inspect.StructType):
            keys += [field.encode_name for field in form.fields]
    for pattern, sentence in _SAID.items():
        if match := pattern.match(said):
            named = match[1].replace(_END, "$") if match.lastindex else ""
            return sentence.format(
                _shown(value), named, _key_or_keys(named, keys), ", ".join(values)
            )
    return said  # the message of a type's own check


def _key_or_keys(unknown: str, keys: Sequence[str]) -> str:
    """An unknown key, with the known key that is most like it, or else all known keys."""
    near = nearest(unknown, keys)
    meant = f"did you mean {near!r}?" if near else f"its keys are {', '.join(keys)}"
    return f"{_shown(unknown)}; {meant}"


def _shown(value: Any) -> str:
    match value:
        case list():
            return f"a list of {len(value):,}"
        case dict():
            return "an object"
        case True | False | None:
            return json.dumps(value)
    shown = repr(value)
    half = _MOST_SHOWN // 2
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:half]} … {shown[-half:]}"
