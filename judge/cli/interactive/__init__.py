"""The parts of commands in which a person plays or steps, on a full screen or line by line."""
