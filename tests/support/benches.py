"""The modules of scripts/bench in this process, and folders that look to it like checkouts."""

import importlib
import json
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.append(str(SCRIPTS))  # where they find one another
bench_against = importlib.import_module("bench_against")
bench_pairs = importlib.import_module("bench_pairs")
bench_rows = importlib.import_module("bench_rows")
bench_trees = importlib.import_module("bench_trees")

# Figures of rows are taken from a file, the next for each round and then the first again; a round
# leaves a line in the log. A row of which the figures are text fails with it.
SCRIPT = """\
#!{python}
import json, signal, sys, time
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = json.loads((ROOT / "rows.json").read_text())
parser = ArgumentParser()
parser.add_argument("--rows")
parser.add_argument("--repeat", type=int)
parser.add_argument("--json", action="store_true")
{mode}
options = parser.parse_args()
row = options.rows
if row not in ROWS:
    parser.error(f"there is no row {{row!r}}; there are {{', '.join(ROWS)}}")

def measure():
    if isinstance(ROWS[row]["figures"], str):
        sys.exit(ROWS[row]["figures"])
    log = ROOT.parent / "log"
    with log.open("a") as file:
        print(ROOT.name, row, *sys.argv[3:], file=file)
    done = ROOT / f"{{row}}.count"
    count = len(done.read_text()) if done.exists() else 0
    done.write_text("." * (count + 1))
    figures = ROWS[row]["figures"]
    if figures[count % len(figures)] is None:
        (ROOT / "stuck").touch()
        time.sleep(600)
    return json.dumps([{{
        "row": row,
        "figure": figures[count % len(figures)],
        "unit": ROWS[row]["unit"],
        "bound": ROWS[row]["bound"],
    }}])

if getattr(options, "on_request", False):
    for _ in sys.stdin:
        print(measure(), flush=True)
else:
    print(measure())
    sys.exit(1)  # a bound was passed over, which is no failure of the measuring
"""
MODE = 'parser.add_argument("--on-request", action="store_true")'


def row(
    figures: Sequence[float | None] | str, *, bound: float = 100, unit: str = ""
) -> dict[str, object]:
    """A row of a made-up tree: the figures of its rounds (None for one that never ends), or what
    it says on stderr when it fails."""
    return {"figures": figures, "bound": bound, "unit": unit}


def tree(root: Path, rows: Mapping[str, object], *, old: bool = False) -> Path:
    """A made-up checkout with a .venv and a scripts/bench that has these rows; an old one has to
    be run for each round."""
    (root / "scripts").mkdir(parents=True)
    (root / "judge").mkdir()
    (root / "judge" / "__init__.py").touch()
    (root / "rows.json").write_text(json.dumps(rows))
    script = root / "scripts" / "bench"
    script.write_text(SCRIPT.format(python=sys.executable, mode="" if old else MODE))
    script.chmod(0o755)
    venv.create(root / ".venv", symlinks=True)
    (packages,) = root.glob(".venv/lib/*/site-packages")
    (packages / "judge.pth").write_text(f"{root}\n")
    return root
