"""The logs of the Battleships contest: matches with all their games, contests, and step-through.

A log is one line of JSON with sorted keys. There are two forms of it: the described one, with full
names (``contest-text``), and that of the first program (``contest-1``). `model` has the contents of
a log, `forms` how they stand in each form, and `games` how they become game records, which are
judged again.
"""
