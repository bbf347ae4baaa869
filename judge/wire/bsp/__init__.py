"""The BSP protocol: two players at a server, which places their fleets and tells each shot.

A message is one line of upper-case words with single spaces; the lines are read to the byte. The
first client to come is A and has seat 0, the second is B. Rows are letters and columns are
numbers, so ``C5`` is the fifth column of the third row, and boards are 10×10.

`judge.wire.bsp.server` is the server's end of one client's connection, `judge.wire.bsp.client` the
end of a player at somebody's server. Neither opens anything or knows a clock.
"""
