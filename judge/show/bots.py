"""The list of bundled bots, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from judge.process.bots.bot import Bundled
from judge.quoting import json_text
from judge.show.text import WIDTH, cells, clean, left, wrap


def text(bots: Sequence[Bundled]) -> str:
    """A line or two a bot: name, language, description, and why it cannot run here if so."""
    if not bots:
        return "No bots are bundled with this judge."
    names = max(cells(clean(bot.name)) for bot in bots) + 2
    languages = max(cells(clean(bot.language)) for bot in bots) + 2
    lines: list[str] = []
    for bot in bots:
        head = left(clean(bot.name), names) + left(clean(bot.language), languages)
        said = clean(bot.description)
        if bot.problem:
            said += f" Cannot run here: {clean(bot.problem)}."
        first, *more = wrap(said, " " * len(head), WIDTH) or [""]
        lines += [head + first.lstrip(), *more]
    return "\n".join(lines)


def document(bots: Sequence[Bundled]) -> str:
    """The ``bots`` document."""
    listed = {"version": 1, "kind": "bots", "bots": [asdict(bot) for bot in bots]}
    return json_text(json.dumps(listed, indent=2, ensure_ascii=False))
