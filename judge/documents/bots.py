"""A bot's manifest, and the description of a bundled bot."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from judge.documents.codec import Document, Part

Wire = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,29}(?![\s\S])")]
Word = Annotated[str, Meta(min_length=1, max_length=131_071)]
BuiltFile = Annotated[str, Meta(min_length=1, max_length=4096)]


class Manifest(Document, frozen=True, kw_only=True, omit_defaults=True):
    """The file bot.json in a bot's folder: how to run the bot, and who wrote it."""

    CALLED: ClassVar = "bot's manifest"
    MOST_BYTES: ClassVar = 64 * 2**10

    command: Annotated[tuple[Word, ...], Meta(min_length=1, max_length=1000)]
    """The program and its arguments, run in the bot's folder. The judge appends the argument of the
    wire, if it has one: the question, or the path of a socket. A first word `python3` is the
    judge's own interpreter."""
    name: Annotated[str, Meta(min_length=1, max_length=60)] = ""
    """The bot's name; by default the name of its folder."""
    author: Annotated[str, Meta(max_length=1000)] = ""
    """The author of the bot."""
    language: Annotated[str, Meta(max_length=1000)] = ""
    """The programming language of the bot."""
    wire: Wire | Annotated[tuple[Wire, ...], Meta(min_length=1, max_length=10)] = ()
    """The wire or wires that the bot speaks, by default the usual one of the rules. The judge takes
    the first of them that can express the rules."""
    built: Annotated[tuple[BuiltFile, ...], Meta(min_length=1, max_length=1000)] = ()
    """Files in the bot's folder that a build makes. The bot cannot run without these files."""
    build: Annotated[str, Meta(min_length=1, max_length=10_000)] = ""
    """The command that builds the bot, run in its folder. The judge shows it, and never runs it."""

    @property
    def wires(self) -> tuple[str, ...]:
        """The wires that the manifest names, as a tuple."""
        return (self.wire,) if isinstance(self.wire, str) else self.wire


class Bundled(Part, frozen=True):
    """A bot that comes with the judge."""

    name: Annotated[str, Meta(min_length=1)]
    """The bot's name, as a command takes it."""
    language: str
    """The programming language of the bot; empty if it is not known."""
    description: str
    """How the bot plays, in one sentence; empty if the bot's files have no such sentence."""
    problem: str | None
    """Why the bot cannot run on this machine; null if it can."""
    wires: tuple[str, ...] = ()
    """The wires that the bot's manifest names, the preferred one first; may be empty."""
