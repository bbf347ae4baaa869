"""The rules: boards, fleets, shots, turns and how a game ends; the engine, its events and records."""
