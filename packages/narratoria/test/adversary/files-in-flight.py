"""Must not: keep removed files on the disk as descriptors on their way through a socket."""

import os
import socket

from attack import MEGABYTE, attempt, linger


@attempt
def hide():
    ours, theirs = socket.socketpair()
    for number in range(12):
        descriptor = os.open(f"/tmp/{number}", os.O_CREAT | os.O_RDWR)
        os.unlink(f"/tmp/{number}")
        os.write(descriptor, bytes(8 * MEGABYTE))
        socket.send_fds(ours, [b"x"], [descriptor])
        os.close(descriptor)
    linger()
    return "96 MB"
