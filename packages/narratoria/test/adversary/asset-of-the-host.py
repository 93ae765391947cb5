"""Must not: hand over a file of the host as an asset."""

from attack import attempt, declare, host


@attempt
def hand_over():
    declare(host["readableFile"])
