"""Playing games: the match, the referee that drives it, its players, and the run that games are
part of."""
