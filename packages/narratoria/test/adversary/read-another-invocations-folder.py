"""Must not: read another invocations folder."""

from attack import attempt, host, read


@attempt
def look():
    return read(host["neighbour"])
