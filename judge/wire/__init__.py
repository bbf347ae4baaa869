"""What bots are told and say: protocols without I/O."""

from judge.wire.brainjar import Brainjar
from judge.wire.messages import Wire

WIRES: dict[str, type[Wire]] = {"brainjar": Brainjar}
