"""The game logs of other systems. `formats` has what each format is, and loads them all."""

from __future__ import annotations

import re

WRITTEN = ("broadsides", "contest-text", "contest-1")
"""The names of the formats in which logs are written."""

CHOICES = ("last", "first-last:5", "each:5", "one-of-each", "all", "every:25")
CHOICE = re.compile("last|one-of-each|all|(?:first-last|each|every):[1-9][0-9]{0,8}")
"""Which games of a match are logged or shown: examples, and the form."""
