"""The values of options: a reader for each kind, and click's type for it."""
