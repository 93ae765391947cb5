"""Must not: write to the root."""

from attack import attempt, write


@attempt
def plant():
    return write("/gotcha")
