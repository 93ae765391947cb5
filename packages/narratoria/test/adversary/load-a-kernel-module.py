"""Must not: load a kernel module."""

from attack import attempt, syscall


@attempt
def load():
    return syscall((175, 105), None, 0, b"")
