"""The table of bundled bots as text."""

from __future__ import annotations

from judge.documents.reports import BundledBot, BundledBots
from judge.game.variants import BRAINJAR, VARIANTS
from judge.show.columns import fitting_columns, left_out
from judge.show.text import WIDTH, cells, clean, hanging, left, right, wrap

_LEAST_SAID = 28  # cells for a bot's description
_SHOTS, _SAID = 3, 4  # indexes of columns


def text(document: BundledBots, *, width: int = WIDTH) -> str:
    """A line or more for each bot: name, language, games, mean shots and description. If the
    document is about some rules, the bot's protocol stands in place of its games, and a bot that
    cannot play by the rules has the reason in place of its description. If ``width`` is small, the
    languages are left out, and then the descriptions stand below."""
    if not document.bots:
        return "No bots are bundled with this judge."
    rules = document.rules or BRAINJAR.name
    headings = ["bot", "language", "games" if document.rules is None else "over", "shots"]
    rows = [_row(bot, document.rules is None) for bot in document.bots]
    widths = [max(map(cells, column)) + 2 for column in zip(headings, *rows, strict=True)]
    fits = fitting_columns([*widths, _LEAST_SAID], [1, _SAID], width)

    def begun(row: list[str]) -> str:
        texts = [left(row[place], widths[place]) for place in fits if place < _SHOTS]
        return "".join([*texts, right(row[_SHOTS], widths[_SHOTS] - 2), "  "])

    lines = [f"{begun(headings)}how it plays" if _SAID in fits else begun(headings).rstrip()]
    for bot, row in zip(document.bots, rows, strict=True):
        if _SAID in fits:
            lines += hanging(begun(row), _said(bot, rules), width)
        else:
            lines += [begun(row).rstrip(), *wrap(_said(bot, rules), "  ", width)]
    lines += left_out([] if 1 in fits else headings[1:2], width, False)
    measured = f"Shots: how many clear a random board of {clean(rules)} on average"
    if document.rules is None:
        measured += f", or of a bot's first game if it does not play {clean(rules)}"
    measured += "; fewer are better."
    lines += ["", *wrap(measured, width=width), *_wires(document, width)]
    return "\n".join(lines)


def _row(bot: BundledBot, has_games: bool) -> list[str]:
    games = "all" if len(bot.games) == len(VARIANTS) else ", ".join(bot.games)
    played = games if has_games else bot.wire or "-"
    shots = "-" if bot.shots is None else f"{bot.shots:.1f}"
    return [clean(bot.name), clean(bot.language), played, shots]


def _said(bot: BundledBot, rules: str) -> str:
    """The description of a bot, or why it cannot play the rules; and why it cannot run here, if
    so."""
    said = clean(bot.description)
    if reason := bot.cannot_play:
        if bot.wires:  # the reason of each protocol stands below
            reason = f"it speaks {' and '.join(map(clean, bot.wires))}"
        said = f"Cannot play {clean(rules)}: {clean(reason)}."
    return f"{said} Cannot run here: {clean(bot.problem)}." if bot.problem else said


def _wires(document: BundledBots, width: int) -> list[str]:
    """The lines on the protocols that can express the document's rules, and on why others
    cannot."""
    if document.rules is None or document.wires is None:
        return []
    rules, wires = clean(document.rules), document.wires
    able = [name for name, reason in wires.items() if reason is None]
    lines = [
        "",
        *wrap(f"Wires that can express {rules}: {', '.join(able) or 'none'}.", "", width),
    ]
    for name, reason in wires.items():
        if reason is not None:
            lines += wrap(f"{name} cannot: {reason}.", "", width)
    return lines
