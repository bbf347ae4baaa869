"""The help on the commands of a person at a server's table."""

from __future__ import annotations

from judge.documents.rules import Cell, Rules
from judge.join.address import Game
from judge.join.cells import named

HELP_OF_PLACING = """\
choose         show nine fleets; a number takes one of them
random         place all ships at random
a1h            the next ship from a1 to the right; a1v: down
undo           take the last ship away
load FILE      the board in a file: dots and the letters of ships, row after row
name NAME      the name under which you join
join           take a place with these ships
help, quit     say this; go"""

_HELP = """\
{cell:<14} shoot there{others}
boards         show all boards (so does an empty line)
turn           say whose turn it is, and for how long
{more}leave          leave the game; quit does, and ends
again          another game, once this one is over
help, quit     say this; leave and end"""

_TALK = """\
say TEXT       say something to all
tell NAME TEXT say something to one player
taunt hit TEXT the taunt for a player who hits you; taunt miss TEXT: who misses;
               without TEXT those of before are forgotten; taunt lists all
"""

_HELP_OF_WATCHING = """\
turn           say whose turn it is, and for how long
help, quit     say this; have the bot leave the game, and end"""

_OTHERS = """; {cell} NAME: at that player
at NAME        whom you shoot at from now on: a name, its beginning, or its number"""

_MORE = f"""\
skip           let your turn pass
{_TALK}"""


def help_of_game(game: Game, rules: Rules) -> str:
    """The help for a person who is not placing a fleet; shorter if ``game`` announces no rules."""
    example = named(Cell(4, 4), game, rules)
    if not game.announces:
        return _HELP.format(cell=example, others="", more="")
    return _HELP.format(cell=example, others=_OTHERS.format(cell=example), more=_MORE)


def help_of_watching(game: Game) -> str:
    """The help for a person who watches their bot play."""
    return f"{_TALK if game.announces else ''}{_HELP_OF_WATCHING}"
