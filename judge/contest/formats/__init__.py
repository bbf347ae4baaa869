"""The formats of a contest: who meets whom next, how a meeting scores, and when it ends."""
