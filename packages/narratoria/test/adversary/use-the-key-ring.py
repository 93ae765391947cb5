"""Must not: use a key ring of the kernel."""

from attack import attempt, syscall


@attempt
def use():
    return syscall((250, 219), 0, -3, 1)
