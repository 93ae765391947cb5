"""Must not: open the memory of its namespace's init, by any of its names."""

from attack import attempt


@attempt
def write():
    for name in ("/proc/1/mem", "/proc/1/task/1/mem"):
        try:
            with open(name, "r+b", buffering=0):
                return f"opened {name}"
        except OSError:
            pass
    raise PermissionError("there is no such memory")
