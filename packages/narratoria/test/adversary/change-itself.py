"""Must not: change its own program."""

from attack import attempt, write


@attempt
def change():
    return write(__file__)
