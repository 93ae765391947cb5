"""Must not: hand over what is hidden from it in its own story as an asset."""

from attack import attempt, declare, host


@attempt
def hand_over():
    declare(host["hiddenFile"])
