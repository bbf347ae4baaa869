"""Contests and fights: the schedules of games, the playing of them, their ledger and their
standings."""
