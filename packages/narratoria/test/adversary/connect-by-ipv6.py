"""Must not: connect by ipv6."""

import socket

from attack import attempt, host


@attempt
def connect():
    return socket.create_connection(("::1", host["tcpPort"]), timeout=2).getpeername()
