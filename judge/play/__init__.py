"""Plays games: the match, the referee that drives it, its players, and the run that has the
games."""
