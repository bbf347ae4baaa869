"""Servers of other systems: their connections, lobbies and remote players."""
