"""The live page for a command that plays: `watched` serves it as long as the games go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judge.cli.output import note
from judge.errors import UsageError

if TYPE_CHECKING:
    from judge.serve.server import Address

NEEDED = ("starlette", "uvicorn")


def require_web() -> None:
    """Raise `UsageError` where the libraries of the page are missing."""
    from importlib.util import find_spec

    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise UsageError(
            f"--web needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
            "installed: pip install 'battleships-judge[web]'"
        )


def say_who_can_watch(where: Address) -> None:
    """Say so where the page can be seen from other machines."""
    from judge.serve.server import is_open

    if is_open(where.host):
        note(f"{where} is open to others than this machine: whoever reaches it can watch")
