"""Must not: say what the kernel runs when a program crashes."""

from attack import attempt, write


@attempt
def plant():
    return write("/proc/sys/kernel/core_pattern")
