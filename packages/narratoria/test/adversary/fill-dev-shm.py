"""Must not: fill memory or the disk through /dev/shm."""

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    with open("/dev/shm/big", "wb", buffering=0) as file:
        for _ in range(12):
            file.write(bytes(8 * MEGABYTE))
        linger()
    return "96 MB"
