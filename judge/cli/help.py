"""Groups the options in the help of a command that has many options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Record = tuple[str, str]

# The parameters of each group, in the order of the help. Any other option is rare.
GROUPS: dict[str, tuple[str, ...]] = {
    "The bots": ("bot", "name", "wire", "dialect", "python", "launch", "share", "learning"),
    "The games": (
        *("games", "rounds", "lives", "for", "seats", "sprt", "boards", "placements", "against"),
        *("columns", "rows", "fleet", "game", "which", "move", "rules", "first", "seed", "title"),
        *("min", "max", "width", "height", "boats", "goal", "auto_start", "repeat"),
    ),
    "Limits": (
        *("timeout", "turn_timeout", "bot_timeout", "rejoin_grace", "rejoin", "memory"),
        *("output_limit", "bot_size", "max_clients", "per_address", "cores", "jobs"),
    ),
    "Isolation": ("isolation", "trust_bots"),
    "Results": (
        *("ledger", "no_ledger", "rated", "save", "html", "json", "jsonl", "csv", "watch", "web"),
        *("delay", "fog", "io", "verbose", "quiet", "color"),
    ),
}


def grouped(
    records: Mapping[str, Record], usual: Sequence[str]
) -> Iterator[tuple[str, list[Record]]]:
    """Yield the title and the records of each group that has any: the ``usual`` options, `GROUPS`,
    and the rest. ``records`` has each option's record by its name: the option and its help."""
    left = dict(records)
    for title, names in {"Usual options": usual, **GROUPS, "Rare": tuple(records)}.items():
        if rows := [left.pop(name) for name in names if name in left]:
            yield title, rows
