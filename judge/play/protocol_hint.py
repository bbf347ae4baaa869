"""A hint for a bot that seems to speak another protocol than the one in which it is about to be
asked.

A program that is given as a file, without a named protocol, is asked in the usual protocol of the
rules. The program's text may show that it was written for another protocol.
"""

from __future__ import annotations

import contextlib

from judge.documents.rules import Rules
from judge.game.variants import VARIANTS
from judge.process.bots.bot import Bot
from judge.wire import WIRES

LONGEST = 256 * 2**10  # bytes of a program that is looked at


def written_for(bot: Bot, rules: Rules) -> str | None:
    """The variant whose usual protocol a bot's text shows, or None if the text does not show one,
    or shows the protocol of ``rules``."""
    if bot.wires or len(bot.files) != 1 or not bot.files[0].is_file():
        return None
    text = b""
    with contextlib.suppress(OSError), bot.files[0].open("rb") as file:
        text = file.read(LONGEST)
    spoken = [
        name
        for name, wire in WIRES.items()
        if wire.words and all(word in text for word in wire.words)
    ]
    if rules.wire in spoken:
        return None
    fitting = (name for name, one in VARIANTS.items() if one.wire in spoken)
    return next(fitting, None)
