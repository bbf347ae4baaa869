"""Gives an interpreter that was started with ``-I -S`` what the bot's own flags ask for.

This runs inside, before all else, in the interpreter that moves are forked from. It is started with
``-I -S``, so that it imports nothing from a bot's folder, from a home folder, or because of a
variable. But a program in a fork of it has to find what it finds without these two flags:
`sys.flags`, and what the module `site` does. `site`, and what that loads, are the interpreter's
own.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BOOLEAN = ("safe_path",)  # boolean `sys.flags`; the others are numbers


def restore(letters: str) -> None:
    """Set the state that those of the flags E, I, P, s and S that are in ``letters`` set."""
    alone = "I" in letters
    _set_flags(
        isolated=alone,
        ignore_environment=alone or "E" in letters,
        no_user_site=alone or "s" in letters,
        safe_path=alone or "P" in letters,
    )
    if "S" in letters:
        return
    import site  # does nothing: sys.flags.no_site is still set

    _set_flags(no_site=False)
    # A user's own packages are never looked for. At the level `none` a process that an earlier
    # move has left could put some into the folder that is this user's home in the next moves.
    unknown: Any = 0  # false, and other than what `site` itself would set
    site.ENABLE_USER_SITE = unknown
    site.main()
    if site.ENABLE_USER_SITE is unknown:
        site.ENABLE_USER_SITE = site.check_enableusersite()


def _set_flags(**values: bool) -> None:
    """Set fields of `sys.flags`, which only C may: with as little of ctypes as will do.

    The modules that this loads are not left in `sys.modules`, where the program could see them.
    """
    before = dict(sys.modules)
    import _ctypes

    class Size(_ctypes._SimpleCData):  # type: ignore[type-arg]  # noqa: SLF001 - no such type runs
        _type_ = "l"

    class Object(_ctypes._SimpleCData):  # type: ignore[type-arg]  # noqa: SLF001 - the same
        _type_ = "O"

    class Function(_ctypes.CFuncPtr):
        _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI
        _restype_ = None

    python = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # the interpreter itself
    keep, put = (
        Function(_ctypes.dlsym(python, name)) for name in ("Py_IncRef", "PyStructSequence_SetItem")
    )
    keep.argtypes, put.argtypes = (Object,), (Object, Size, Object)
    for name, value in values.items():
        new = value if name in _BOOLEAN else int(value)
        keep(new)  # the flags own it from now on
        put(sys.flags, sys.flags.__match_args__.index(name), new)
    sys.modules.clear()
    sys.modules.update(before)
