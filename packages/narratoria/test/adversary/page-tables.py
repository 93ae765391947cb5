"""Must not: fill memory with page tables, by reading one byte of every two megabytes of nothing."""

import mmap

from attack import MEGABYTE, attempt, linger


@attempt
def fill():
    nothing = mmap.mmap(-1, 160_000 * MEGABYTE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)
    nothing.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(nothing), 2 * MEGABYTE):
        nothing[at]
    linger()
    return "312 MB"
