"""Where two ``ledger`` documents differ: what ``X.json`` says, and what its journal comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any


def compared(said: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Where two ``ledger`` documents differ: what it is, and both values."""
    yield from differing(said, found, ("seed", "recorded", "last", "notes"))
    for number, (one, other) in enumerate(zip_longest(said["orders"], found["orders"]), 1):
        if one != other:
            yield f"order {number}", one or "none", other or "none"
    for name, *both in differing(said["versions"], found["versions"]):
        yield f"the versions of {name}", *both
    for number, (one, other) in enumerate(zip_longest(said["tables"], found["tables"]), 1):
        of_it = f" of table {number}" if len(found["tables"]) > 1 else ""
        if one is None or other is None or one["rules"] != other["rules"]:
            yield f"the rules{of_it}", one and one["rules"], other and other["rules"]
            return
        for what, *both in _compared_tables(one, other):
            yield f"{what}{of_it}", *both


def _compared_tables(
    said: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    yield from differing(said, found, ("limits", "games", "void", "voided", "disqualified"))
    for number, (one, other) in enumerate(zip_longest(said["bots"], found["bots"])):
        if one is None or other is None or one["name"] != other["name"]:
            yield f"bot {number}", one and one["name"], other and other["name"]
            return  # the stints speak of bots by their numbers
        for what, *both in differing(one, other):
            yield f"{what} of {one['name']}", *both
    names = []
    for number, (one, other) in enumerate(zip_longest(said["stints"], found["stints"])):
        if one is None or other is None or one[:3] != other[:3]:
            yield f"stint {number}", one and one[:3], other and other[:3]
            return  # and the pairs of stints
        name, version, life = one[:3]
        names.append(f"{found['bots'][name]['name']} v{version}" + (f" ({life})" if life else ""))
        if one != other:
            yield f"the results of {names[-1]}", one[3:], other[3:]
    for one, other in zip_longest(said["pairs"], found["pairs"]):
        if one != other:
            first, second, *_ = one or other
            yield f"{names[first]} against {names[second]}", one and one[2:], other and other[2:]
    yield from _compared_groups(said.get("groups", ()), found.get("groups", ()), names)


def _compared_groups(
    said: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Where the games of more than two players differ."""
    nothing: Mapping[str, Any] = {}
    for one, other in zip_longest(said, found, fillvalue=nothing):
        of_it = f" of games of {other.get('seats') or one.get('seats')}"
        for what, *both in differing(one, other, ("seats", "ranked", "games")):
            yield f"{what}{of_it}", *both
        for first, second in zip_longest(one.get("pairs", ()), other.get("pairs", ())):
            if first != second:
                bots = " and ".join(names[stint] for stint in (first or second)[:2])
                yield f"{bots}{of_it}", first and first[2:], second and second[2:]


def differing(
    said: Mapping[str, Any], found: Mapping[str, Any], fields: Iterable[str] | None = None
) -> Iterator[tuple[str, Any, Any]]:
    for what in {**said, **found} if fields is None else fields:
        if said.get(what) != found.get(what):
            yield what, said.get(what), found.get(what)
