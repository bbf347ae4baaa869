"""The logs of the Battleships contest: matches, contests, and step-through documents.

A log is one line of JSON with sorted keys. There are two forms of logs: the described form with
full names (``contest-text``), and the first program's with short names (``contest-1``). `model` has
the contents of a log, `forms` reads and writes both forms, and `games` turns contents into game
records and back.
"""
