#!/usr/bin/env python3
"""Leaves a named socket that is held only by a second socket in flight.

The kernel finds such pairs some milliseconds after their process has ended, and until then the
name is taken: long enough for a quick move to see it, but not for one that a test can rely on. So
this gets through where it can leave one.
"""

import array
import socket

from attack import attack, target


def leave() -> bool:
    named, other = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    named.bind(f"\0{target('token')}")
    other.connect(named.getsockname())
    hands = array.array("i", [named.fileno()])
    return other.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, hands)]) > 0


attack(leave)
