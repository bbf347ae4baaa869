#!/usr/bin/env python3
"""Takes one context for asynchronous files from the machine's single stock, and gives it back; asks
the kernel for its log, and for a counter of the machine's performance.
"""

import ctypes
import platform

from attack import attack

libc = ctypes.CDLL(None, use_errno=True)
IO_SETUP, IO_DESTROY, SYSLOG, PERF, BPF = {
    "x86_64": (206, 207, 103, 298, 321),
    "aarch64": (0, 1, 116, 241, 280),
}[platform.machine()]
EPERM = 1


def take() -> bool:
    context = ctypes.c_ulong(0)
    if libc.syscall(IO_SETUP, 1, ctypes.byref(context)) == 0:
        libc.syscall(IO_DESTROY, context)
        return True
    # With nonsense for arguments: whoever looks at them has not refused the call.
    for call in (SYSLOG, PERF, BPF):
        ctypes.set_errno(0)
        if libc.syscall(call, -1, 0, 0, 0, 0) >= 0 or ctypes.get_errno() != EPERM:
            return True
    return False


attack(take)
