"""The parts of `judge rank`: finding and testing bots, the events of a contest, notes, and the
progress bar. The worker processes are for other commands."""
