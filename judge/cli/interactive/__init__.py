"""Commands in which a person plays or steps: full screen, or line by line."""
