"""Must not: read the data folder."""

from attack import attempt, host, read


@attempt
def look():
    return read(host["dataFile"])
