"""Must not: read the memory of another process past its doors (process_vm_readv)."""

import ctypes
import os

from attack import attempt, syscall

PROCESS_VM_READV = (310, 270)


@attempt
def read():
    theirs, ours = ctypes.create_string_buffer(b"theirs"), ctypes.create_string_buffer(6)
    at = lambda buffer: (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 6)
    # Our own, which is readable whenever anybody's is.
    return f"read {syscall(PROCESS_VM_READV, os.getpid(), at(ours), 1, at(theirs), 1, 0)} bytes"
