"""Must not: rename the host."""

import socket

from attack import attempt


@attempt
def rename():
    return socket.sethostname("gotcha") or "renamed"
