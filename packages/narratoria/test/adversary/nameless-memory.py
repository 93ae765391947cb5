"""Must not: have more memory as files without a name (memfd)."""

import os

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    for number in range(40):
        os.write(os.memfd_create(str(number)), bytes(8 * MEGABYTE))
    linger()
    return "320 MB"
