"""From the name that a user gives to a bot, to its program and files."""
