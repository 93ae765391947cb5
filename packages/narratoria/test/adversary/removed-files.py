"""Must not: keep files on the disk that are removed and still open."""

import os

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    for number in range(12):
        descriptor = os.open(f"/tmp/{number}", os.O_CREAT | os.O_RDWR)
        os.unlink(f"/tmp/{number}")
        os.write(descriptor, bytes(8 * MEGABYTE))
    linger()
    return "96 MB"
