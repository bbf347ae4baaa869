"""The ledger: a journal of games and orders, and the tally that is folded from the journal."""
