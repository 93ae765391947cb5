"""Must not: ask the network for a name."""

import socket

from attack import attempt


@attempt
def ask():
    return socket.getaddrinfo("example.org", 80)
