"""Must not: connect to an abstract socket."""

import socket

from attack import attempt, host


@attempt
def connect():
    with socket.socket(socket.AF_UNIX) as unix:
        return unix.connect("\0" + host["abstractSocket"]) or "connected"
