"""Must not: keep memory of System V, which stays although nobody is attached to it."""

import ctypes

from attack import MEGABYTE, attempt, libc, linger, syscall

SHMGET, PRIVATE, CREATE = (29, 194), 0, 0o1600


@attempt
def keep():
    libc.shmat.restype = ctypes.c_void_p
    libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    libc.shmdt.argtypes = [ctypes.c_void_p]
    for _ in range(12):
        at = libc.shmat(syscall(SHMGET, PRIVATE, 32 * MEGABYTE, CREATE), None, 0)
        ctypes.memset(at, 1, 32 * MEGABYTE)
        libc.shmdt(at)
    linger()
    return "384 MB"
