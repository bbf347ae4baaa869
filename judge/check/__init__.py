"""Checks of a bot: whether it obeys the rules and its protocol, and what it leaves behind."""
