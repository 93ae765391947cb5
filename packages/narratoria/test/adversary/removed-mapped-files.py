"""Must not: keep files on the disk by mapping one page of each and removing it."""

import mmap
import os

from attack import MEGABYTE, attempt, linger


@attempt
def hide():
    kept = []
    for number in range(12):
        with open(f"/tmp/{number}", "w+b") as file:
            file.write(bytes(8 * MEGABYTE))
            file.flush()
            kept.append(mmap.mmap(file.fileno(), 4096))
        os.unlink(f"/tmp/{number}")
    for page in kept:
        page[0] = 1
    # Python's map keeps a descriptor: the next program does without, in a child that has the maps alone.
    if os.fork() == 0:
        os.closerange(3, 200)
        linger()
        os._exit(0)
    os.closerange(3, 200)
    os.wait()
    return "96 MB"
