"""Must not: keep memory by giving back the pages of a shared mapping, which stay with the mapping."""

import mmap

from attack import MEGABYTE, attempt, linger


@attempt
def keep():
    kept = []
    for _ in range(12):
        shared = mmap.mmap(-1, 32 * MEGABYTE)
        for at in range(0, len(shared), 4096):
            shared[at] = 1
        shared.madvise(mmap.MADV_DONTNEED)
        kept.append(shared)
    linger()
    return f"{32 * len(kept)} MB"
