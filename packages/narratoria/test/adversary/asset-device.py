"""Must not: hand over a device as an asset."""

from attack import attempt, declare


@attempt
def hand_over():
    declare("/dev/zero")
