"""Must not: start more processes than it may."""

import subprocess

from attack import attempt


@attempt
def take():
    for _ in range(100):
        subprocess.Popen(["sleep", "3"])
    return "100 processes"
