"""Must not: read the environment of every process."""

import os

from attack import attempt, host, nothing_found


@attempt
def look():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{pid}/environ", "rb") as file:
            if host["secret"].encode() in file.read():
                return f"found the secret in process {pid}"
    nothing_found("no process knows the secret")
