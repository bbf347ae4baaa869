"""What a test needs of the machine.

A user's machine need not have every language: there a test that needs one is skipped with its
reason. CI must have them all: there it fails.
"""

import os
import shutil

import pytest


def need(program: str) -> str:
    """Return the path of `program`; where it is missing, skip the test, or fail it under CI."""
    path = shutil.which(program)
    if path is not None:
        return path
    reason = f"{program} is not on the PATH of this machine"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, and CI must have it")
    pytest.skip(reason)
