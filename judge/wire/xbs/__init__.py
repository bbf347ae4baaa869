"""The protocol of Xterm Boat Sinker (XBS), for two to nine players at a table.

A line is ``TYPE|value|…``, with an upper-case letter as the type. A board is one value with all
squares, row after row. Columns and rows are counted from 1, and in a shot the column comes first.
`notation` has the parts of lines, `game_lines` turns the events of a game into lines, and
`client_view` turns lines into events.

`server` is the table's end of one client's connection. `client` is a player's end of a connection
to somebody's table. `shell` is the protocol of a shell-bot, a program that plays over pipes.
"""
