"""Starting programs, listening to them, and connections to players."""
