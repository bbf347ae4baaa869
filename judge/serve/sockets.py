"""The sockets at which a server listens."""

from __future__ import annotations

import socket

from judge.errors import UsageError

BACKLOG = 512


def listening_sockets(host: str, port: int, option: str = "--host") -> list[socket.socket]:
    """Sockets that listen at every address of a host. ``option`` is the command-line option that
    named the host. Raises `UsageError` if the host or the port cannot be served."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise UsageError(f"{option} {host!r}: {error.strerror}") from None
    except UnicodeError:  # of a name with a label that is empty or too long
        raise UsageError(f"{option} {host!r}: not the name of a host") from None
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            sockets.append(one)
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind(address)
            one.listen(BACKLOG)
    except OSError as error:
        for one in sockets:
            one.close()
        other = "--port" if option == "--host" else option
        raise UsageError(
            f"port {port} of {host} cannot be served: {error.strerror}; {other} names another"
        ) from None
    return sockets
