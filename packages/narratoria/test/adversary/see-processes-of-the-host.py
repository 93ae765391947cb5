"""Must not: see a process of the host."""

import os

from attack import attempt, host, nothing_found


@attempt
def see():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if host["victimMark"].encode() in file.read():
                return f"saw process {pid}"
    nothing_found("the victim is not among them")
