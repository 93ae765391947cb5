"""Must not: use up what the kernel gives one user (watches of files), so that another tool has none."""

import ctypes
import os

from attack import attempt, libc, linger, nothing_found


@attempt
def use():
    with open("/proc/sys/fs/inotify/max_user_instances") as most:
        limit = int(most.read())
    for count in range(limit):
        if libc.inotify_init() == -1:
            return f"another tool leaves {count} of {limit}: {os.strerror(ctypes.get_errno())}"
    linger(1)
    nothing_found("all that one user has, for each of two tools")
