"""Must not: type into the terminal of the host."""

import fcntl
import termios

from attack import attempt


@attempt
def press():
    with open("/dev/tty", "wb", buffering=0) as terminal:
        return fcntl.ioctl(terminal, termios.TIOCSTI, b"x") or "typed"
