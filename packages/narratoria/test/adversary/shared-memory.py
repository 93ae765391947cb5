"""Must not: have more memory by sharing it."""

import mmap

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    kept = []
    for _ in range(40):
        shared = mmap.mmap(-1, 8 * MEGABYTE)
        for at in range(0, len(shared), 4096):
            shared[at] = 1
        kept.append(shared)
    linger()
    return f"{8 * len(kept)} MB"
