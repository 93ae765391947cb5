"""Must not: take an open descriptor out of another process (pidfd_getfd)."""

import os
import subprocess

from attack import attempt, syscall

PIDFD_GETFD = (438, 438)


@attempt
def take():
    child = subprocess.Popen(["sleep", "5"])
    return f"took descriptor {syscall(PIDFD_GETFD, os.pidfd_open(child.pid), 1, 0)}"
