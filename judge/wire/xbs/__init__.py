"""The protocol of Xterm Boat Sinker (XBS): lines of fields, for two to nine players at a table.

A line is ``TYPE|value|…``, with an upper-case letter for its type; `notation` has its parts. A
board is its squares in one value, row after row. Columns and rows count from 1, and in a shot the
column comes first. `telling` turns what happens in a game into lines, and `hearing` turns lines
into what happens.

`server` is the table's end of one client's connection, `client` the end of a player at somebody's
table, and `shell` what is spoken over pipes with a program that plays so (a shell-bot).
"""
