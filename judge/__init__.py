"""A judge of Battleships bots: plays programs against each other and ranks them.

A public name is loaded at its first use (PEP 562). The guide `library` describes these names.

When it is imported, this file loads nothing but ``sys``, not even ``__future__``: ``python -m
judge`` runs it while a stranger's folder may still come first in ``sys.path`` (`judge.__main__`).
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from judge.contest.contest import Added as Added
    from judge.contest.contest import NotAdded as NotAdded
    from judge.contest.contest import RoundOver as RoundOver
    from judge.contest.deferrals import Deferral as Deferral
    from judge.contest.window import Fault as Fault
    from judge.documents.game import GameRecord as GameRecord
    from judge.documents.rules import Cell as Cell
    from judge.documents.rules import Fleet as Fleet
    from judge.documents.rules import Orientation as Orientation
    from judge.documents.rules import Rules as Rules
    from judge.documents.rules import Ship as Ship
    from judge.errors import BotError as BotError
    from judge.errors import Interrupted as Interrupted
    from judge.errors import JudgeFault as JudgeFault
    from judge.errors import LedgerError as LedgerError
    from judge.errors import RecordError as RecordError
    from judge.errors import UsageError as UsageError
    from judge.game.events import Target as Target
    from judge.game.events import View as View
    from judge.game.game import Game as Game
    from judge.library.contests import Contest as Contest
    from judge.library.contests import Ledger as Ledger
    from judge.library.fights import FightGames as FightGames
    from judge.library.fights import fight as fight
    from judge.library.fights import play as play
    from judge.library.games import all_fleets as all_fleets
    from judge.library.games import check as check
    from judge.library.games import compare as compare
    from judge.library.games import random_fleet as random_fleet
    from judge.library.games import rules as rules
    from judge.library.games import shoot as shoot
else:
    ModuleType = type(sys)

__version__ = "0.1.0"

_NAMES = {
    "judge.contest.contest": ("Added", "NotAdded", "RoundOver"),
    "judge.contest.deferrals": ("Deferral",),
    "judge.contest.window": ("Fault",),
    "judge.documents.game": ("GameRecord",),
    "judge.documents.rules": ("Cell", "Fleet", "Orientation", "Rules", "Ship"),
    "judge.errors": (
        *("BotError", "Interrupted", "JudgeFault", "LedgerError", "RecordError", "UsageError"),
    ),
    "judge.game.events": ("Target", "View"),
    "judge.game.game": ("Game",),
    "judge.library.contests": ("Contest", "Ledger"),
    "judge.library.fights": ("FightGames", "fight", "play"),
    "judge.library.games": (*("all_fleets", "check", "compare", "random_fleet", "rules", "shoot"),),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}
__all__ = [*_WHERE, "__version__"]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _WHERE:
        raise AttributeError(f"module 'judge' has no attribute {name!r}")
    import_module("judge.library.notebooks")  # it gives records and tables their notebook form
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Library(ModuleType):
    """The class of the module `judge`. Importing the package `judge.play` or `judge.check` does not
    replace the function of that name in the library."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _WHERE or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Library
