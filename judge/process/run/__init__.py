"""Starting a program and listening to it; connections to players."""
