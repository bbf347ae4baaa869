"""What a bot is: from the name that a user gives to its program and files."""
