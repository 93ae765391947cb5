"""Must not: connect to a server of the host."""

import socket

from attack import attempt, host


@attempt
def connect():
    return socket.create_connection(("127.0.0.1", host["tcpPort"]), timeout=2).getpeername()
