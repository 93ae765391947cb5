"""Must not: hand over what the kernel tells of a process as an asset."""

from attack import attempt, declare


@attempt
def hand_over():
    declare("/proc/self/root/etc/passwd")
    declare("/proc/self/environ")
