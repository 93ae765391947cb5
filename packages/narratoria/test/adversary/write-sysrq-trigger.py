"""Must not: give the kernel orders."""

from attack import attempt, write


@attempt
def plant():
    return write("/proc/sysrq-trigger")
