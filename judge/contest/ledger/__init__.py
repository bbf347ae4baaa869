"""The ledger: a journal of games and orders, and the tally, the totals of its games."""
