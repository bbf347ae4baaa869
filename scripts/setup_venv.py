"""Makes or mends the checkout's .venv; run by `venv.sh` when no finished set-up fits, with the words
ROOT KIND PROGRAM.

One at a time: a lock on `.venv.lock`. That file is empty but while a set-up is at work, so one
that was killed half way is known by what it left there, and what it left of `.venv` is thrown
away. `.venv/ready-KIND` is written last of all. A `.venv` that somebody made by hand, or for an
older `pyproject.toml`, is kept and brought up to date.
"""

from __future__ import annotations

import fcntl
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import IO

WANTED = {"judge": "", "dev": "[dev]"}  # kind of set-up: the extra of pyproject.toml it installs
# Wheels alone. A module is compiled when it is first run; pip would compile all of them.
PIP = (
    *("-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
    *("--no-compile", "--only-binary", ":all:"),
)
NO_VENV = "a virtual environment could not be made"
NO_PACKAGES = "what pyproject.toml asks for could not be installed; is a package index in reach?"


class SetUpError(Exception):
    """A step failed; the text says which."""


def main(root: Path, kind: str, program: str) -> None:
    """Leave ``root/.venv`` ready for ``kind``, saying on stderr what is done."""
    with (root / ".venv.lock").open("a+") as lock:
        acquire(lock, program)
        project = (root / "pyproject.toml").read_bytes()
        if is_ready(root, kind, project):
            return  # by whoever held the lock before
        venv = root / ".venv"
        lock.seek(0)
        fresh = bool(lock.read()) or not is_usable(venv)
        made = f"setting up {venv} with Python {platform.python_version()}"
        doing = made if fresh else f"bringing {venv} up to date"
        say(program, f"{doing}, which may take a minute …")
        lock.write("unfinished\n")
        lock.flush()
        try:
            for ready in venv.glob("ready-*"):
                ready.unlink()
            if fresh:
                if venv.is_symlink():
                    venv.unlink()
                run(NO_VENV, lock, sys.executable, "-m", "venv", "--clear", str(venv))
            pip = [str(venv / "bin" / "python"), *PIP, "--editable", f"{root}{WANTED[kind]}"]
            run(NO_PACKAGES, lock, *pip)
            for done in {kind, "judge"}:
                half = venv / f"ready-{done}.new"  # whole or not at all
                half.write_bytes(ready_head(root) + project)
                half.replace(half.with_suffix(""))
        except SetUpError as error:
            lock.truncate(0)  # what failed by itself has left nothing half written
            sys.exit(f"{program}: {error}")
        lock.truncate(0)
        say(program, "done.")


def acquire(lock: IO[str], program: str) -> None:
    """Wait for the lock, saying so where that is not at once; the kernel frees it at our end."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(program, "another set-up of this checkout is at work; waiting for it …")
        fcntl.flock(lock, fcntl.LOCK_EX)


def ready_head(root: Path) -> bytes:
    """The two lines before the copy of pyproject.toml; `ready` in venv.sh reads them."""
    return os.fsencode(f"{root}\n{os.environ.get('PYTHON', '')}\n")


def is_ready(root: Path, kind: str, project: bytes) -> bool:
    """Whether a finished set-up fits, as venv.sh asked before the lock was ours."""
    try:
        place, python, then = (root / ".venv" / f"ready-{kind}").read_bytes().split(b"\n", 2)
    except FileNotFoundError:
        return False
    asked = os.fsencode(os.environ.get("PYTHON", "")) or python
    return (place, python, then) == (os.fsencode(root), asked, project)


def is_usable(venv: Path) -> bool:
    """Whether .venv has a Python and a pip that we can go on with: ours, where $PYTHON asks."""
    question = "import sys, pip; sys.version_info >= (3, 11) and print(sys._base_executable)"
    try:
        answer = subprocess.check_output(
            [venv / "bin" / "python", "-c", question], stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):
        return False
    base, ours = os.fsdecode(answer).strip(), getattr(sys, "_base_executable", sys.executable)
    return bool(base) and (not os.environ.get("PYTHON") or Path(base).samefile(ours))


def run(failure: str, lock: IO[str], *command: str) -> None:
    """Run it with its output on stderr. It holds the lock too: should we be killed, it lives on."""
    nobody, descriptors = subprocess.DEVNULL, [lock.fileno()]
    if subprocess.call(command, stdin=nobody, stdout=sys.stderr, pass_fds=descriptors):
        raise SetUpError(f"{failure} (What went wrong stands above.)")


def say(program: str, text: str) -> None:
    """A line of progress."""
    print(f"{program}: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    root, kind, program = sys.argv[1:]
    try:
        main(Path(root), kind, program)
    except KeyboardInterrupt:
        say(program, "interrupted; the next run starts over.")
        sys.exit(130)
    except OSError as error:
        sys.exit(f"{program}: {error.filename or root}: {error.strerror}.")
