"""Must not: mount a file system."""

from attack import attempt, checked, libc


@attempt
def mount():
    return checked(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
