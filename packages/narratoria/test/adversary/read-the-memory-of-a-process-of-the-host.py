"""Must not: read the memory of a process of the host."""

from attack import attempt, host, read


@attempt
def look():
    return read(f"/proc/{host['victim']}/mem")
