"""The parts of `judge rank`: finding and testing bots, the events of a contest, notes, the progress
bar; and worker processes."""
