"""The ledger: games are added to its journal, and its table is the fold of it."""
