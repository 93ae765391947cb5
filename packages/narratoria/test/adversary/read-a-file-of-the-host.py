"""Must not: read a file of the host, although everybody there can."""

from attack import attempt, host, read


@attempt
def look():
    return read(host["readableFile"])
