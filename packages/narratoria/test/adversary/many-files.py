"""Must not: make more files than anybody can count."""

import os

from attack import attempt, linger


@attempt
def take():
    for number in range(12_000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT))
    linger()
    return "12,000 files"
