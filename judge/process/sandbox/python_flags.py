"""Gives an interpreter that was started with ``-I -S`` the state of the bot's own flags.

This file runs first in the interpreter from which moves are forked. That interpreter is started
with ``-I -S``, so that it imports nothing from a bot's folder, from a home folder, or because of a
variable. A forked program has to find what it would find without these two flags: `sys.flags`, and
the effects of the module `site`. `site` and the modules that it loads are the interpreter's own.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BOOLEAN = ("safe_path",)  # boolean fields of `sys.flags`; the others are numbers


def restore(letters: str) -> None:
    """Set the state that a start with the flags in ``letters`` (of E, I, P, s and S) would have
    set."""
    alone = "I" in letters
    _set_flags(
        isolated=alone,
        ignore_environment=alone or "E" in letters,
        no_user_site=alone or "s" in letters,
        safe_path=alone or "P" in letters,
    )
    if "S" in letters:
        return
    import site  # has no effect yet: sys.flags.no_site is still set

    _set_flags(no_site=False)
    # A user's own packages are never searched for. At the level `none`, a process left by an
    # earlier move could put packages into the home folder of later moves.
    unknown: Any = 0  # a false value that `site` itself never sets
    site.ENABLE_USER_SITE = unknown
    site.main()
    if site.ENABLE_USER_SITE is unknown:
        site.ENABLE_USER_SITE = site.check_enableusersite()


def _set_flags(**values: bool) -> None:
    """Set fields of `sys.flags`, which only C code can do, with as little of ctypes as possible.

    Modules that this loads are taken out of `sys.modules` again, so the program does not see them.
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
        keep(new)  # the flags own a reference from now on
        put(sys.flags, sys.flags.__match_args__.index(name), new)
    sys.modules.clear()
    sys.modules.update(before)
