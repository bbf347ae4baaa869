"""A bot, from the name that a user gives to its program and files."""
