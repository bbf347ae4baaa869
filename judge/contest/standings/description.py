"""What an organiser says of a contest: its title, and a text in Markdown. Pure.

It is kept as an entry of the journal, of which the last one holds, and concerns no count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

KIND = "description"
LONGEST_TITLE = 200
LONGEST_ABOUT = 20_000


@dataclass(frozen=True, slots=True)
class Description:
    """Either is empty where nothing is said."""

    title: str = ""
    about: str = ""

    def changed(self, title: str | None, about: str | None) -> Self:
        """With another title or text; None leaves it as it is."""
        return type(self)(
            self.title if title is None else title, self.about if about is None else about
        )

    def to_json(self) -> dict[str, Any]:
        """As the ``ledger`` document has it."""
        return {"title": self.title, "about": self.about}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        return cls(document["title"], document["about"])

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Read an entry of a journal; raises ValueError if it says more than may be said."""
        for name, what, most in (
            ("title", "title", LONGEST_TITLE),
            ("about", "text", LONGEST_ABOUT),
        ):
            if len(entry[name]) > most:
                raise ValueError(f"its {what} is longer than {most:,} characters")
        return cls.from_json(entry)

    @property
    def entry(self) -> dict[str, Any]:
        """The entry of a journal that says it."""
        return {"version": 1, "kind": KIND, **self.to_json()}


NOTHING = Description()
