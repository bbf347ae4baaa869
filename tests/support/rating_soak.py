"""scripts/soak_rating.py, scripts/soak_tables.py and scripts/formats.py as modules: the tests run
their simulations at a small size."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def _loaded(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


soak = _loaded("soak_rating")
tables = _loaded("soak_tables")
formats = _loaded("formats")
