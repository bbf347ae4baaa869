"""The files that are shipped: the sdist is complete, the wheel brings its data, and each of them
plays.

Nothing here asks a package index: the wheel is built by the hatchling that is here, and the empty
environment borrows the judge's dependencies, though not the judge, from this one.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import pytest

import judge
from judge.process.bots.scaffolds import SCAFFOLDS

ROOT = Path(__file__).parents[2]
SECONDS = 120  # until something counts as hung

MadeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Makes a folder of that name in the first worker that asks; the others wait, and share it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # the workers' own are in there

    def made_once(name: str, make: Callable[[Path], None]) -> Path:
        folder, done = base / name, base / f"{name}.done"
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return made_once


@pytest.fixture(scope="module")
def shipped(made_once: MadeOnce) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
        built = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert built.returncode == 0, built.stdout + built.stderr

    return made_once("shipped", build)


@pytest.fixture(scope="module")
def wheel(shipped: Path) -> Path:
    (found,) = shipped.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def sdist(shipped: Path) -> Path:
    (found,) = shipped.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, made_once: MadeOnce) -> Path:
    """The bin folder of an empty environment into which the wheel was installed."""

    def install(folder: Path) -> None:
        venv.create(folder)
        command = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install"]
        only = ("--no-index", "--no-deps", wheel)
        subprocess.run([*command, *only], check=True, capture_output=True, timeout=SECONDS)
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "borrowed.pth").write_text("\n".join(sorted(dependency_folders())) + "\n")

    return made_once("installed", install) / "bin"


@pytest.fixture(scope="module")
def checkout(sdist: Path, made_once: MadeOnce) -> Path:
    """A bare checkout, nothing installed: the sdist unpacked."""

    def unpack(folder: Path) -> None:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")

    (root,) = made_once("checkout", unpack).iterdir()
    return root


def dependency_folders() -> set[str]:
    """The folders in which the distributions that the judge asks for are installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]
    return {str(distribution(name).locate_file("")) for name in names}


def data_files(folder: str) -> set[str]:
    """The files that a data folder of the checkout holds, as far as they are not generated."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if listed.returncode == 0:
        return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    return {  # unpacked from an sdist, which has no repository but nothing generated either
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """The output of a command in that folder and an environment that knows nothing of this one."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8"} | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def assert_played(document: str) -> None:
    """It is the `fight` document of one game that was played out between real bots."""
    fight = json.loads(document)
    assert (fight["kind"], fight["games"], fight["void"]) == ("fight", 1, 0)
    assert [bot["name"] for bot in fight["bots"]] == ["hunter", "random"]
    assert sum(bot["wins"] for bot in fight["bots"]) == 1
    assert not any(count for bot in fight["bots"] for count in bot["forfeits"].values())


def test_the_wheel_holds_the_package_and_its_data(wheel: Path) -> None:
    """Modules, py.typed and licence are in the wheel, and every schema and bundled bot with its
    own mode; nothing of the tests or the scripts is."""
    with zipfile.ZipFile(wheel) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert {"judge/__init__.py", "judge/__main__.py", "judge/cli/__init__.py"} <= modes.keys()
    assert "judge/py.typed" in modes
    assert any(name.endswith("/licenses/LICENSE") for name in modes)
    for folder in ("schemas", "bots"):
        files = data_files(folder)
        assert len(files) > 1
        for name in files:
            is_program = bool((ROOT / name).stat().st_mode & 0o111)
            assert bool(modes[f"judge/_data/{name}"] & 0o111) == is_program, name
    guides = data_files("judge/guides")
    assert "judge/guides/README.md" in guides
    assert guides <= modes.keys()
    templates = data_files("judge/templates")
    made_from = {name.split("/")[2] for name in templates}
    assert made_from == {"README.md", *SCAFFOLDS}
    assert templates <= modes.keys()
    tops = {name.split("/")[0] for name in modes}
    assert tops == {"judge", f"battleships_judge-{judge.__version__}.dist-info"}


def test_the_sdist_holds_what_the_repository_holds(sdist: Path) -> None:
    """Every file that is committed is in the sdist."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("this is not a git checkout, so there is nothing to compare with")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "scripts/test", "tests/house/test_packaging.py"} <= names
    assert set(listed.stdout.splitlines()) - names == set()


def test_the_installed_judge_is_that_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    """`judge` and `python -m judge` there say this version, and load nothing of this checkout."""
    python = installed / "python"
    expected = f"judge {judge.__version__}\n"
    assert run(installed / "judge", "--version", folder=tmp_path) == expected
    assert run(python, "-m", "judge", "--version", folder=tmp_path) == expected
    where = run(python, "-c", "import judge; print(judge.__file__)", folder=tmp_path)
    assert Path(where).is_relative_to(installed.parent)


def test_the_installed_judge_plays(installed: Path, tmp_path: Path) -> None:
    """From another folder, the installed command plays two bundled bots by their names, and shows
    their game as a page: templates, style sheets and scripts are in the wheel."""
    fight = run(installed / "judge", "fight", "hunter", "random", "--json", folder=tmp_path)
    assert_played(fight)
    page = run(installed / "judge", "replay", "--html", "-", folder=tmp_path)
    assert page.startswith("<!doctype html>")
    assert 'id="record"' in page


def test_the_installed_judge_makes_bots(installed: Path, tmp_path: Path) -> None:
    """The templates are in the wheel: what `judge new` makes can be found, named and played."""
    run(installed / "judge", "new", "python", "hunter", folder=tmp_path)
    made = {path.name for path in (tmp_path / "hunter").iterdir()}
    assert made == {"README.md", "bot.json", "bot.py"}
    fight = ("fight", "hunter", "random", "--timeout", "1min", "--json")
    assert_played(run(installed / "judge", *fight, folder=tmp_path))


def test_the_installed_judge_shows_its_guides(installed: Path, tmp_path: Path) -> None:
    """The guides are in the wheel: it lists them, and prints each as it stands in the source."""
    listed = run(installed / "judge", "guide", folder=tmp_path)
    assert "contests" in listed
    guide = run(installed / "judge", "guide", "contests", folder=tmp_path)
    assert guide == (ROOT / "judge" / "guides" / "contests.md").read_text()


def test_a_bare_checkout_plays(checkout: Path, installed: Path) -> None:
    """`python -m judge` in a checkout where nothing was installed does the same."""
    borrowed = os.pathsep.join(dependency_folders())
    python = (sys.executable, "-S")  # without site-packages, where this judge may be installed
    where = run(
        *python, "-c", "import judge; print(judge.__file__)", folder=checkout, PYTHONPATH=borrowed
    )
    assert Path(where).is_relative_to(checkout)
    fight = run(
        *python,
        *("-m", "judge", "fight", "bots/hunter", "bots/random", "--json"),
        folder=checkout,
        PYTHONPATH=borrowed,
    )
    assert_played(fight)
