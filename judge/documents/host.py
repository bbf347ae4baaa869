"""The documents of a hosted ladder: who may enter, each upload, and the ladder's replies."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Document, Part
from judge.errors import JudgeFault

MOST_ENTRANTS = 2000  # a ledger's plan has room for as many bots
LONGEST_REPORT = 100_000  # characters of what a check says

Name = Annotated[str, Meta(min_length=1, max_length=60)]
Time = Annotated[str, Meta(max_length=40)]


class Entrant(Part, frozen=True, kw_only=True):
    """An entrant of a ladder, with at most one bot, which has the entrant's name."""

    CALLED: ClassVar = "entrant"

    name: Name
    """The name of the entrant and of the bot."""
    token: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None
    """SHA-256 of the entrant's token; null once the token is revoked."""
    email: Annotated[str, Meta(max_length=320)] = ""
    """The address at which the organiser reaches the entrant."""
    approved: bool = True
    """Whether the bot may play."""
    hidden: bool = False
    """Whether public pages leave the bot out."""
    registered: bool = False
    """Whether the entrant registered, and has had no invitation since."""
    since: Time = ""
    """The time of the first invitation or of the registration, UTC, as ISO 8601."""


class Host(Document, frozen=True, kw_only=True):
    """The entrants of a hosted ladder, and the address of the ladder."""

    CALLED: ClassVar = "list of entrants"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2 * 2**20

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["host"] = "host"
    """The kind of this document."""
    url: Annotated[str, Meta(max_length=300)] = "http://127.0.0.1:8090"
    """The address with which links to the ladder begin."""
    entrants: Annotated[tuple[Entrant, ...], Meta(max_length=MOST_ENTRANTS)] = ()
    """The entrants, in the order in which they came."""


UploadNumber = Annotated[int, Meta(ge=1, le=10**9)]
UploadState = Literal["waiting", "accepted", "rejected", "superseded"]


class Upload(Document, frozen=True, kw_only=True):
    """A bot that an entrant has sent, as the ladder keeps it and as `/api/uploads` answers."""

    CALLED: ClassVar = "upload"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2**20

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["upload"] = "upload"
    """The kind of this document."""
    number: UploadNumber
    """The number of the upload among all uploads."""
    name: Name
    """The entrant's name."""
    file: Annotated[str, Meta(max_length=200)]
    """The last 200 characters of the name of the file that was sent."""
    digest: Annotated[str, Meta(max_length=100)]
    """SHA-256 over the bot's files."""
    received: Time
    """The time at which the upload came, UTC, as ISO 8601."""
    state: UploadState = "waiting"
    """`waiting` for its check; `accepted` as a version of the bot; `rejected` by the check;
    `superseded` if a later upload came before its check, or if its entrant was removed after it was
    accepted."""
    report: Annotated[str, Meta(max_length=LONGEST_REPORT)] = ""
    """The report of the check, or why there was no check; empty while the upload waits."""
