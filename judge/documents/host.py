"""The files that a hosted ladder keeps beside its ledger: who may enter, and each upload."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Document, Part
from judge.errors import JudgeFault

MOST_ENTRANTS = 2000  # as many bots as a ledger's plan has room for
LONGEST_REPORT = 100_000  # characters of what a check says

Name = Annotated[str, Meta(min_length=1, max_length=60)]
Time = Annotated[str, Meta(max_length=40)]


class Entrant(Part, frozen=True, kw_only=True):
    """Somebody who may upload a bot. The bot has the entrant's name."""

    CALLED: ClassVar = "entrant"

    name: Name
    """The name of the entrant and of the bot."""
    token: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None
    """SHA-256 of the token; null once it is revoked."""
    email: Annotated[str, Meta(max_length=320)] = ""
    """The address at which the organiser reaches the entrant."""
    approved: bool = True
    """Whether the bot may play."""
    hidden: bool = False
    """Whether public pages leave the bot out."""
    registered: bool = False
    """Whether the entrant has registered and was not invited."""
    since: Time = ""
    """When the entrant was invited, UTC, as ISO 8601."""


class Host(Document, frozen=True, kw_only=True):
    """The entrants of a ladder, and the address that links to it begin with."""

    CALLED: ClassVar = "list of entrants"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2 * 2**20

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["host"] = "host"
    """The kind of this document."""
    url: Annotated[str, Meta(max_length=300)] = "http://127.0.0.1:8090"
    """The beginning of links to the ladder."""
    entrants: Annotated[tuple[Entrant, ...], Meta(max_length=MOST_ENTRANTS)] = ()
    """The entrants, in the order of their invitations."""


UploadState = Literal["waiting", "accepted", "rejected", "superseded"]


class Upload(Document, frozen=True, kw_only=True):
    """A bot that an entrant has sent."""

    CALLED: ClassVar = "upload"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2**20

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["upload"] = "upload"
    """The kind of this document."""
    number: Annotated[int, Meta(ge=1, le=10**9)]
    """Its number among all uploads."""
    name: Name
    """The entrant's name."""
    file: Annotated[str, Meta(max_length=200)]
    """The name of the file that was sent."""
    digest: Annotated[str, Meta(max_length=100)]
    """SHA-256 over the bot's files."""
    received: Time
    """When it came, UTC, as ISO 8601."""
    state: UploadState = "waiting"
    """Whether it waits for its check, is a version of the bot, does not conform, or was replaced by a
    later upload before its check."""
    report: Annotated[str, Meta(max_length=LONGEST_REPORT)] = ""
    """The report of the check; empty before it."""
