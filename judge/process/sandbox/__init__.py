"""Isolation of bots: its levels, bubblewrap, control groups and the fork server."""
