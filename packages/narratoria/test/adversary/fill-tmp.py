"""Must not: fill the disk through its /tmp."""

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    with open("/tmp/big", "wb", buffering=0) as file:
        for _ in range(12):
            file.write(bytes(8 * MEGABYTE))
        linger()
    return "96 MB"
