"""Must not: hand over more than an asset may be as an asset."""

from attack import MEGABYTE, attempt, declare, own


@attempt
def hand_over():
    with open(own("huge"), "w") as file:
        file.truncate(65 * MEGABYTE)
    declare(own("huge"))
