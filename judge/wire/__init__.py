"""What players are told and say: protocols without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from judge.wire.brainjar import Brainjar
from judge.wire.broadsides import Broadsides
from judge.wire.contest import Contest, DialectDetection
from judge.wire.interface import Detection, Wire
from judge.wire.open import Open, OpenLines
from judge.wire.xbs.shell import XbsShell

if TYPE_CHECKING:
    from judge.documents.rules import Rules

WIRES: dict[str, type[Wire]] = {
    wire.name: wire for wire in (Brainjar, Broadsides, Contest, Open, OpenLines, XbsShell)
}

# Those of which players may have a data file, from which they learn.
LEARNING = frozenset({Broadsides.name})

# The folder beside players that are single files from which they load what all of them share.
LIBRARIES = {Contest.name: "protected"}

# Those whose players name a cell by a letter and a number, as in G6.
LETTERED = frozenset({Broadsides.name})

# Those whose players name it by a small letter and a number, as g6, and those who name its row
# before its column, both from 0, as [5, 6].
SMALL_LETTERED = frozenset({XbsShell.name})
ROW_FIRST = frozenset({Contest.name})

# Of wires whose first dialect stands for whichever of the others a program speaks.
DETECTIONS: dict[str, type[Detection]] = {Contest.name: DialectDetection}


def variables_of(wire: str | None, rules: Rules, seed: int) -> Mapping[str, str]:
    """The variables of its protocol that a program with this seed is started with; none for a
    player that is no program."""
    found = WIRES.get(wire or "")
    return {} if found is None else {**found.luck(seed), **found.environment(rules)}
