"""The wires: the protocols between the judge and players, without input or output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from judge.wire import hints
from judge.wire.brainjar import Brainjar
from judge.wire.broadsides import Broadsides
from judge.wire.contest import Contest
from judge.wire.interface import Wire
from judge.wire.open import Open, OpenLines
from judge.wire.xbs.shell import XbsShell

if TYPE_CHECKING:
    from judge.documents.game import Evidence
    from judge.documents.rules import Rules

WIRES: dict[str, type[Wire]] = {}


def register(wire: type[Wire]) -> type[Wire]:
    """Add a protocol to `WIRES`. Call this before the judge's commands are loaded. Raises
    ValueError if the name is taken."""
    if wire.name in WIRES:
        raise ValueError(f"there is a wire {wire.name} already")
    WIRES[wire.name] = wire
    return wire


for _wire in (Brainjar, Broadsides, Contest, Open, OpenLines, XbsShell):
    register(_wire)


def mend_of(wire: str | None, termination: str, detail: str, run: Evidence) -> str:
    """The advice of `judge check` on a fault of a program that speaks the protocol ``wire``; empty
    if no hint fits or ``wire`` is None."""
    found = WIRES.get(wire or "")
    return "" if found is None else hints.mend_of(found.hints, termination, detail, run)


def variables_of(wire: str | None, rules: Rules, seed: int) -> Mapping[str, str]:
    """The environment variables that the protocol ``wire`` gives a program with this ``seed``;
    empty if ``wire`` is None, as for a player that is not a program."""
    found = WIRES.get(wire or "")
    return {} if found is None else {**found.luck(seed), **found.environment(rules)}
