"""The game logs of other systems. `judge.logs.formats` has all formats by their names."""

from __future__ import annotations

import re

WRITTEN = ("broadsides", "contest-text", "contest-1")
"""The names of the formats in which the judge writes logs."""

CHOICES = ("last", "first-last:5", "each:5", "one-of-each", "all", "every:25")
CHOICE = re.compile("last|one-of-each|all|(?:first-last|each|every):[1-9][0-9]{0,8}")
"""The pattern of a choice: which games of a match are logged or shown. `CHOICES` has examples."""
