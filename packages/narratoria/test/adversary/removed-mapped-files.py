"""Must not: keep files on the disk by mapping one page of each and removing it."""

import ctypes
import os

from attack import MEGABYTE, attempt, libc, linger

READ_WRITE, SHARED = 3, 1


@attempt
def hide():
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for number in range(96):
        descriptor = os.open(f"/tmp/{number}", os.O_CREAT | os.O_RDWR)
        libc.mmap(None, 4096, READ_WRITE, SHARED, descriptor, 0)
        os.write(descriptor, bytes(MEGABYTE))
        # Nothing but the page holds it now.
        os.unlink(f"/tmp/{number}")
        os.close(descriptor)
    linger()
    return "96 MB"
