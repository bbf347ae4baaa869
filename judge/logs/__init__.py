"""The game logs of other systems. `formats` has what each format is, and loads them all."""

WRITTEN = ("broadsides", "contest-text", "contest-1")
"""The names of the formats in which logs are written."""
