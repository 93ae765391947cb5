"""Must not: handle its own page faults (userfaultfd), which holds the kernel up."""

from attack import attempt, syscall


@attempt
def handle():
    return syscall((323, 282), 1)
