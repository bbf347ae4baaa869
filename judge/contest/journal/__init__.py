"""The journal of a ledger: its lines, the orders among them, and what is done about damage."""
