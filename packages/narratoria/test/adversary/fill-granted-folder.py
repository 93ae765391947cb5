"""Must not: write more than its limit, also where it was granted to write."""

import os

from attack import MEGABYTE, attempt, linger, place


@attempt
def fill():
    for number in range(12):
        with open(os.path.join(place, "granted", str(number)), "wb") as file:
            file.write(bytes(8 * MEGABYTE))
    linger()
    return "96 MB"
