"""The logs of the Battleships contest: matches with all their games, contests, and step-through.

A log is one line of JSON with sorted keys. There are two forms of it: the described one, with full
names (``contest-text``), and that of the first program (``contest-1``). What a log holds is in
`model`, how it stands in each form in `forms`, and how it becomes game records, which are judged
again, in `games`.
"""
