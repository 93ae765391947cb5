"""Must not: have a network interface but its own loopback."""

import socket

from attack import attempt, nothing_found


@attempt
def use():
    return [name for _, name in socket.if_nameindex() if name != "lo"] or nothing_found("only its own loopback")
