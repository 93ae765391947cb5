"""Must not: connect to a socket file."""

import socket

from attack import attempt, host


@attempt
def connect():
    with socket.socket(socket.AF_UNIX) as unix:
        return unix.connect(host["socketFile"]) or "connected"
