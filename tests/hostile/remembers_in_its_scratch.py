#!/usr/bin/env python3
"""Leaves a file in the folder that it was told to use."""

import os
from pathlib import Path

from attack import remember

mark = Path(os.environ["TMPDIR"], "mark")
remember(lambda: mark.write_text("x"), mark.exists)
