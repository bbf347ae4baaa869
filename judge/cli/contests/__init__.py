"""The parts of `judge rank`: finding and testing bots, the events of a contest, and the progress bar.
The worker processes are for other commands."""
