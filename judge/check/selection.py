"""The checks that a user has chosen by ``--only``.

Pure. A check that looks at all replies together needs all of them: where one of these is chosen,
everything is asked, and of what is found only the chosen checks are told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol, TypeVar

from judge.check.conformance import Finding


class _Claiming(Protocol):
    @property
    def claim(self) -> str: ...


C = TypeVar("C", bound=_Claiming)


class Selection:
    """The ``only`` claims that are looked at, or all if there are none; ``overall`` are those of
    checks that look at all replies together."""

    def __init__(self, only: Collection[str], overall: Collection[str]) -> None:
        self._only = frozenset(only)
        self.is_everything = not self._only or not self._only.isdisjoint(overall)
        """Whether every question is put."""

    def asks(self, *claims: str) -> bool:
        """Whether the questions of any of these claims are put."""
        return self.is_everything or not self._only.isdisjoint(claims)

    def of(self, checks: Iterable[C]) -> tuple[C, ...]:
        """Those of the checks whose questions are put."""
        return tuple(check for check in checks if self.asks(check.claim))

    def wanted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Those of the findings that are told."""
        return (one for one in findings if not self._only or one.claim in self._only)
