"""The types of options and arguments: a reader for each kind of value, and click's type for it."""
