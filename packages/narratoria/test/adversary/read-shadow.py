"""Must not: read the system's passwords."""

from attack import attempt, read


@attempt
def look():
    return read("/etc/shadow")
