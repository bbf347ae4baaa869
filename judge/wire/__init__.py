"""What players are told and say: protocols without I/O."""

from judge.wire.brainjar import Brainjar
from judge.wire.broadsides import Broadsides
from judge.wire.interface import Wire
from judge.wire.open import Open, OpenLines
from judge.wire.xbs.shell import XbsShell

WIRES: dict[str, type[Wire]] = {
    wire.name: wire for wire in (Brainjar, Broadsides, Open, OpenLines, XbsShell)
}
