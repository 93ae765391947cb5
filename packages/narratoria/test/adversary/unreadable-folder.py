"""Must not: keep files in a folder that nobody may enter, neither uncounted nor for good."""

import os

from attack import MEGABYTE, attempt, linger


@attempt
def hide():
    os.makedirs("/tmp/shut/inner")
    files = [open(f"/tmp/shut/inner/{number}", "wb", buffering=0) for number in range(12)]
    os.chmod("/tmp/shut/inner", 0)
    os.chmod("/tmp/shut", 0)
    for file in files:
        file.write(bytes(8 * MEGABYTE))
    linger()
    return "96 MB"
