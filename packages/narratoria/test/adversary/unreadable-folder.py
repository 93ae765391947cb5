"""Must not: keep files in a folder that nobody may enter, neither uncounted nor for good."""

import os

from attack import MEGABYTE, attempt, linger


@attempt
def hide():
    os.makedirs("/tmp/shut/inner")
    for number in range(12):
        with open(f"/tmp/shut/inner/{number}", "wb") as file:
            file.write(bytes(8 * MEGABYTE))
    os.chmod("/tmp/shut/inner", 0)
    os.chmod("/tmp/shut", 0)
    linger()
    return "96 MB"
