"""The documents of bots: the manifest of one."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from judge.documents.codec import Document, Part

Wire = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,29}(?![\s\S])")]
Word = Annotated[str, Meta(min_length=1, max_length=131_071)]
BuiltFile = Annotated[str, Meta(min_length=1, max_length=4096)]


class Manifest(Document, frozen=True, kw_only=True, omit_defaults=True):
    """bot.json in a bot's folder: how to run it, and whose it is."""

    CALLED: ClassVar = "bot's manifest"
    MOST_BYTES: ClassVar = 64 * 2**10

    command: Annotated[tuple[Word, ...], Meta(min_length=1, max_length=1000)]
    """The program and its arguments, run in the bot's folder; the judge appends the JSON argument.
    A first word `python3` is the judge's own interpreter."""
    name: Annotated[str, Meta(min_length=1, max_length=60)] = ""
    """The bot's name; by default its folder's."""
    author: Annotated[str, Meta(max_length=1000)] = ""
    """Who wrote it."""
    language: Annotated[str, Meta(max_length=1000)] = ""
    """The language of its program."""
    wire: Wire | Annotated[tuple[Wire, ...], Meta(min_length=1, max_length=10)] = ()
    """The protocol that it speaks, by default the usual one of the rules. If it speaks several, the
    first that can express the rules is taken."""
    built: Annotated[tuple[BuiltFile, ...], Meta(min_length=1, max_length=1000)] = ()
    """Files of the folder that a build makes; the bot cannot run before."""
    build: Annotated[str, Meta(min_length=1, max_length=10_000)] = ""
    """The command that makes them, in the bot's folder. The judge never runs it."""

    @property
    def wires(self) -> tuple[str, ...]:
        """The protocols that it names."""
        return (self.wire,) if isinstance(self.wire, str) else self.wire


class Bundled(Part, frozen=True):
    """A bundled bot."""

    name: Annotated[str, Meta(min_length=1)]
    """The name to call it by."""
    language: str
    """The language of its program; empty if that is not known."""
    description: str
    """How it plays, in one sentence; empty if it does not say."""
    problem: str | None
    """Why it cannot run here; null if it can."""
    wires: tuple[str, ...] = ()
    """The protocols that it speaks, the best first; none if it does not say."""
