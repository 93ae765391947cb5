"""Must not: watch the processor (perf_event_open)."""

from attack import attempt, syscall


@attempt
def watch():
    return syscall((298, 241), None, 0, -1, -1, 0)
