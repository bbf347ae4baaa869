"""scripts/soak_rating.py as a module: the tests run its simulations at a small size."""

import importlib.util
import sys
from pathlib import Path

_path = Path(__file__).parents[1] / "scripts" / "soak_rating.py"
_spec = importlib.util.spec_from_file_location("soak_rating", _path)
assert _spec is not None
assert _spec.loader is not None
soak = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = soak  # its dataclasses look themselves up there
_spec.loader.exec_module(soak)
