"""A file in the folder of a ledger's site, which says by the ledger's id whose site it is."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Document


class SiteOrigin(Document, frozen=True, kw_only=True):
    """The ledger of a site. The file has ``version`` and ``kind``, though both have defaults."""

    CALLED: ClassVar = "file of a site"
    MOST_BYTES: ClassVar = 2**16

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["site"] = "site"
    """The name of this document."""
    ledger: Annotated[str, Meta(max_length=1000)]
    """The id of the ledger; empty if its journal was empty."""
