"""Many games: what is next, the running of it, what it says about strength, where it is kept."""
