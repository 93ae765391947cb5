"""Must not: keep memory by unmapping all but one page of a shared mapping."""

import ctypes
import mmap

from attack import MEGABYTE, attempt, libc, linger


@attempt
def keep():
    kept, size = [], 32 * MEGABYTE
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    for _ in range(12):
        shared = mmap.mmap(-1, size)
        for at in range(0, size, 4096):
            shared[at] = 1
        start = ctypes.addressof(ctypes.c_char.from_buffer(shared))
        libc.munmap(start + 4096, size - 4096)
        kept.append(shared)
    linger()
    return f"{32 * len(kept)} MB"
