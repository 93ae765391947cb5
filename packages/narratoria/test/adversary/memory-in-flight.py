"""Must not: keep memory in the buffers of sockets that nobody reads."""

import os
import socket

from attack import attempt, linger


def fill():
    kept = []
    for _ in range(120):
        for one, other in [socket.socketpair()]:
            kept.append((one, other))
            for end in (one, other):
                end.setblocking(False)
                try:
                    while True:
                        end.send(bytes(65_536))
                except BlockingIOError:
                    pass
    linger()


@attempt
def keep():
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            fill()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return "8 times 240 full buffers"
