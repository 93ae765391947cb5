"""Must not: read through the root of process 1."""

from attack import attempt, host, read


@attempt
def look():
    return read("/proc/1/root" + host["readableFile"])
