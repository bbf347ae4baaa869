"""The formats of a contest: a format says who meets next, how a meeting scores, and when the
contest ends."""
