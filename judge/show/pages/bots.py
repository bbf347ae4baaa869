"""The list of bundled bots, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import asdict

from judge.documents.bots import Bundled
from judge.documents.reports import BundledBot, BundledBots
from judge.show.columns import kept, left_out
from judge.show.text import WIDTH, cells, clean, left, wrap

_LEAST_SAID = 28  # cells for what is said of a bot


@dataclass(frozen=True, slots=True)
class Playing:
    """Who can play rules of this name. ``wires`` are all protocols, and why one cannot express the
    rules; ``over`` is the wire of each bot that can play, and ``reasons`` are why others cannot."""

    rules: str
    wires: Mapping[str, str | None]
    over: Mapping[str, str]
    reasons: Mapping[str, str]


def text(bots: Sequence[Bundled], playing: Playing | None = None, *, width: int = WIDTH) -> str:
    """A line or two a bot: name, language, description, and why it cannot run here if so. The
    protocol in which it plays the rules that are asked about, or why it cannot."""
    if not bots:
        return "No bots are bundled with this judge."
    if playing is not None:
        return f"{_listed(bots, playing, width)}\n\n{_wires(playing, width)}"
    return _listed(bots, None, width)


def _wires(playing: Playing, width: int) -> str:
    rules = clean(playing.rules)
    able = [name for name, reason in playing.wires.items() if reason is None]
    lines = wrap(f"Protocols that can express {rules}: {', '.join(able) or 'none'}.", "", width)
    for name, reason in playing.wires.items():
        if reason is not None:
            lines += wrap(f"{name} cannot: {reason}.", "", width)
    return "\n".join(lines)


def _listed(bots: Sequence[Bundled], playing: Playing | None, width: int) -> str:
    names = max(cells(clean(bot.name)) for bot in bots) + 2
    languages = max(cells(clean(bot.language)) for bot in bots) + 2
    over = max(map(len, playing.over.values()), default=1) + 2 if playing else 0
    is_wide = kept([names, over, _LEAST_SAID, languages], [3], width)[-1] == 3
    lines: list[str] = []
    for bot in bots:
        head = left(clean(bot.name), names) + (
            left(clean(bot.language), languages) if is_wide else ""
        )
        said = clean(bot.description)
        if playing:
            head += left(playing.over.get(bot.name, "-"), over)
            if reason := playing.reasons.get(bot.name):
                if bot.wires:  # why each of them cannot stands below
                    reason = f"it speaks {' and '.join(map(clean, bot.wires))}"
                said = f"Cannot play {clean(playing.rules)}: {clean(reason)}."
        if bot.problem:
            said += f" Cannot run here: {clean(bot.problem)}."
        first, *more = wrap(said, " " * len(head), width) or [""]
        lines += [head + first.lstrip(), *more]
    lines += left_out([] if is_wide else ["languages"], width, False)
    return "\n".join(lines)


def document(bots: Sequence[Bundled], playing: Playing | None = None) -> BundledBots:
    """The same as a document."""
    over, reasons = ({}, {}) if playing is None else (playing.over, playing.reasons)
    return BundledBots(
        rules=None if playing is None else playing.rules,
        wires=None if playing is None else dict(playing.wires),
        bots=tuple(
            BundledBot(**asdict(bot), wire=over.get(bot.name), cannot_play=reasons.get(bot.name))
            for bot in bots
        ),
    )
