"""One game: the match, what drives it, its players, and the run that it is part of."""
