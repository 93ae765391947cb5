"""Must not: make a user namespace."""

from attack import attempt, checked, libc


@attempt
def make():
    return checked(libc.unshare(0x10000000))
