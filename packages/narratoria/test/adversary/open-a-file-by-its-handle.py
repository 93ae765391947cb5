"""Must not: open a file by its handle."""

import ctypes
import os

from attack import attempt, checked, libc


@attempt
def take():
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.memmove(handle, (8).to_bytes(4, "little") + (1).to_bytes(4, "little") + (2).to_bytes(8, "little"), 16)
    folder = os.open(os.getcwd(), os.O_RDONLY)
    try:
        return checked(libc.open_by_handle_at(folder, handle, os.O_RDONLY))
    finally:
        os.close(folder)
