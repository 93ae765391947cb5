"""Must not: read what is hidden from it in its own story."""

from attack import attempt, host, read


@attempt
def look():
    return read(host["hiddenFile"])
