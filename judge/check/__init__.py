"""Conformance: whether a bot does what a bot has to."""
