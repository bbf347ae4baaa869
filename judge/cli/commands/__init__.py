"""The commands, a module each. A command reads its options, calls the judge, and prints a
result."""
