"""Must not: write to /dev, which is memory."""

from attack import attempt, write


@attempt
def plant():
    return write("/dev/gotcha")
