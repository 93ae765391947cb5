"""Must not: hand over a file of the system as an asset."""

from attack import attempt, declare


@attempt
def hand_over():
    declare("/etc/passwd")
    declare("/usr/bin/env")
