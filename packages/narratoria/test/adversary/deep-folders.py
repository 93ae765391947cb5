"""Must not: keep files in folders deeper than a path can be, neither uncounted nor for good."""

import os

from attack import MEGABYTE, attempt, linger


@attempt
def hide():
    os.chdir("/tmp")
    for _ in range(30):
        os.mkdir("x" * 200)
        os.chdir("x" * 200)
    for number in range(12):
        with open(f"file{number}", "wb") as file:
            file.write(bytes(8 * MEGABYTE))
    linger()
    return "96 MB"
