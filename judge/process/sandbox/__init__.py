"""Isolation: its levels, bubblewrap, control groups, the fork server."""
