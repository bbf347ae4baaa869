"""The notebook beside the guide `library` runs, and shows boards and a table."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

import judge

pytestmark = [pytest.mark.whole, pytest.mark.filterwarnings("default")]  # those of the kernel's


def test_the_notebook_runs(tmp_path: Path) -> None:
    """Every cell of the notebook runs, and the two with code show boards and the standings."""
    file = Path(judge.__file__).with_name("guides") / "library.ipynb"
    notebook = nbformat.read(file, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    played, ranked = (cell for cell in notebook.cells if cell.cell_type == "code")
    assert "<iframe" in played.outputs[-1].data["text/html"]
    assert "<td>hunter" in ranked.outputs[-1].data["text/html"]
