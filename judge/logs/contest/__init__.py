"""The logs of the Battleships contest: matches, contests, and step-through documents.

A log is one line of JSON with sorted keys. There are two forms of logs. The described form, with
full names (``contest-text``), is that of the contest's description. The other form, with short
names (``contest-1``), is that of the contest's first program. `model` has the contents of a log,
`forms` reads and writes both forms, and `games` turns contents into game records and back.
"""
