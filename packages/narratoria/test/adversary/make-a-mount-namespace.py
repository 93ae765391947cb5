"""Must not: make a mount namespace."""

from attack import attempt, checked, libc


@attempt
def make():
    return checked(libc.unshare(0x00020000))
