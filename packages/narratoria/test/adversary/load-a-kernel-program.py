"""Must not: load a program into the kernel (bpf)."""

from attack import attempt, syscall


@attempt
def load():
    return syscall((321, 280), 0, None, 0)
