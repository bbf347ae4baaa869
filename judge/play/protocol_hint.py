"""Finds a bot whose text shows another protocol than the one in which it is about to be asked.

A program that is given as a file, without a named protocol, is asked in the usual protocol of the
rules. The program may have been written for another protocol.
"""

from __future__ import annotations

import contextlib

from judge.documents.rules import Rules
from judge.game.variants import VARIANTS
from judge.process.bots.bot import Bot
from judge.wire import WIRES

LONGEST = 256 * 2**10  # bytes of a program that is looked at


def written_for(bot: Bot, rules: Rules) -> str | None:
    """A variant whose usual protocol a bot's text shows. None if the text shows no protocol or that
    of ``rules``, or if the bot names its protocols or is not a single file."""
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
