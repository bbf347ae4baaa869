"""Contests and fights between bots: scheduling and playing their games, ledgers, and standings."""
