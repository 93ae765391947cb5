"""Must not: open a raw socket."""

import socket

from attack import attempt


@attempt
def take():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).fileno()
