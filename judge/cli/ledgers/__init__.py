"""Which ledger a command reads, which games of it, and how options name them."""
