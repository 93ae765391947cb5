"""Must not: use io_uring, which goes past the filter of system calls."""

import ctypes

from attack import attempt, syscall


@attempt
def use():
    return syscall((425, 425), 1, ctypes.create_string_buffer(120))
