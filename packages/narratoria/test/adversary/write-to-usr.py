"""Must not: write to the system's programs."""

from attack import attempt, write


@attempt
def plant():
    return write("/usr/bin/gotcha")
