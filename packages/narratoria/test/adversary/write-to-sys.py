"""Must not: write to sys."""

from attack import attempt, write


@attempt
def plant():
    return write("/sys/kernel/uevent_helper")
