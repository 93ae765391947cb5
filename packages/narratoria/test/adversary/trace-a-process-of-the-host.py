"""Must not: trace a process of the host."""

from attack import attempt, checked, host, libc


@attempt
def trace():
    return checked(libc.ptrace(16, host["victim"], 0, 0))
