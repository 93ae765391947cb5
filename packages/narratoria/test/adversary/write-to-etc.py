"""Must not: write to etc."""

from attack import attempt, write


@attempt
def plant():
    return write("/etc/gotcha")
