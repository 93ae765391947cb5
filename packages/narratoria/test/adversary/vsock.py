"""Must not: make a socket to the machine this one runs on (AF_VSOCK), or of any family it has no business with."""

import socket

from attack import attempt

FAMILIES = {"vsock": 40, "packet": 17, "alg": 38, "bluetooth": 31, "can": 29, "tipc": 30}


@attempt
def connect():
    got = []
    for name, family in FAMILIES.items():
        try:
            socket.socket(family, socket.SOCK_STREAM if name != "alg" else socket.SOCK_SEQPACKET).close()
            got.append(name)
        except OSError:
            pass
    if not got:
        raise PermissionError("no such family")
    return got
