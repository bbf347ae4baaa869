"""scripts/ladder.py as a module: bundled bots in this process, and what it keeps of them."""

import importlib.util
import sys
from pathlib import Path

_path = Path(__file__).parents[2] / "scripts" / "ladder.py"
_spec = importlib.util.spec_from_file_location("ladder_script", _path)
assert _spec is not None
assert _spec.loader is not None
ladder = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = ladder  # its dataclasses look themselves up there
_spec.loader.exec_module(ladder)
