"""The means that a test needs on the machine.

A user's machine need not have every language, nor a browser: there a test that needs one is
skipped with its reason. CI must have them all: there it fails.
"""

import os
import shutil

import pytest

from judge.process.sandbox.isolation import Isolation, choose


def need(program: str, *others: str) -> str:
    """Return the path of `program`, or of the first of `others` that is there instead; where all
    are missing, skip the test, or fail it under CI."""
    for name in (program, *others):
        path = shutil.which(name)
        if path is not None:
            return path
    reason = f"{program} is not on the PATH of this machine"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, and CI must have it")
    pytest.skip(reason)


def held_by(level: str) -> Isolation:
    """The isolation of that level, for which bubblewrap may have to be there."""
    if level == "bwrap":
        need("bwrap")
    return choose(level)[0]


def strictest() -> Isolation:
    """The strictest isolation that this machine has; in CI it must be bwrap."""
    isolation, told = choose("auto")
    if os.environ.get("CI") and isolation.name != "bwrap":
        pytest.fail(f"CI must hold bots by bwrap, and has: {told}")
    return isolation
