"""The BSP protocol: two players at a server, which places their fleets and tells each shot.

A message is one line that begins with an upper-case word. The first client to come is A and has
seat 0; the second is B. Boards are 10×10. Rows are letters and columns are numbers, so ``C5`` is
the fifth column of the third row.

`judge.wire.bsp.server` is the server's end of one client's connection. `judge.wire.bsp.client` is a
player's end of a connection to somebody's server. The two modules have no input, no output and no
clock.
"""
