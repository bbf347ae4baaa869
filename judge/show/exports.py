"""The games of a ledger in the formats of other tools: CSV, JSON lines, and PGN."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from judge.documents.codec import builtins
from judge.documents.history import ExportedGame
from judge.errors import UsageError
from judge.quoting import json_text
from judge.show.columns import comma_separated
from judge.show.text import clean

_LEFT_OUT = ("version", "kind", "digests")  # fields of an exported game that a table leaves out
_COLUMNS = [name for name in ExportedGame.__struct_fields__ if name not in _LEFT_OUT]


def _csv(games: Iterable[ExportedGame]) -> Iterator[str]:
    yield comma_separated([_COLUMNS])
    for game in games:
        values = (getattr(game, column) for column in _COLUMNS)
        cells = [", ".join(value) if isinstance(value, tuple) else value for value in values]
        yield comma_separated([cells])


def _jsonl(games: Iterable[ExportedGame]) -> Iterator[str]:
    for game in games:
        text = json.dumps(builtins(game), ensure_ascii=False, separators=(",", ":"))
        yield f"{json_text(text)}\n"


def _pgn(games: Iterable[ExportedGame]) -> Iterator[str]:
    """PGN without moves, for rating tools. White is the bot that moved first. Raises `UsageError`
    if a game has not two bots."""
    for game in games:
        if len(game.bots) != 2:
            raise UsageError(
                f"game #{game.number} has {len(game.bots)} bots, and in PGN a game has two: export it "
                "with --format csv or jsonl"
            )
        one, other = game.bots
        black = other if game.first == one else one
        result = "1/2-1/2"
        if game.winner is not None:
            result = "1-0" if game.winner == game.first else "0-1"
        tags = {"Round": str(game.number), "White": game.first, "Black": black, "Result": result}
        lines = (f'[{tag} "{_in_a_tag(text)}"]' for tag, text in tags.items())
        yield "\n".join([*lines, "", result, "", ""])


def _in_a_tag(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"')


EXPORTS: dict[str, Callable[[Iterable[ExportedGame]], Iterator[str]]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "ordo": _pgn,
    "bayeselo": _pgn,
}
