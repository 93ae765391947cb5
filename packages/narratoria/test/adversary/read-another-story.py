"""Must not: read another story."""

from attack import attempt, host, read


@attempt
def look():
    return read(host["otherStory"])
