"""The engine: variants, fleets, positions, shots, turns, the end of a game, and the replay of
records."""
