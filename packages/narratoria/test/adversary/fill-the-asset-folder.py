"""Must not: fill the disk through its asset folder."""

from attack import MEGABYTE, attempt, linger, own


@attempt
def take():
    with open(own("big"), "wb", buffering=0) as file:
        for _ in range(12):
            file.write(bytes(8 * MEGABYTE))
        linger()
    return "96 MB"
