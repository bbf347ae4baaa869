"""Finds the ledgers, games and logs that options and arguments name."""
