"""Must not: unmount what covers proc."""

from attack import attempt, checked, libc


@attempt
def unmount():
    return checked(libc.umount2(b"/proc/sys", 2))
