"""Must not: trace the init of its namespace, which could then be told to outlive the host."""

from attack import attempt, syscall

PTRACE, ATTACH = (101, 117), 16


@attempt
def trace():
    return f"attached: {syscall(PTRACE, ATTACH, 1, 0, 0)}"
