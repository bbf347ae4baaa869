"""The hosted ladder: a contest without an end, to which entrants send their bots."""
