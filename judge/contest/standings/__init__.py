"""The tables, histories and documents of the games of a contest or a fight."""
