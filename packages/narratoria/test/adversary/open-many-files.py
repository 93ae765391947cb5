"""Must not: open more files than it may."""

from attack import attempt


@attempt
def take():
    files = []
    try:
        for _ in range(5_000):
            files.append(open("/dev/null"))
        return f"{len(files)} files"
    finally:
        for file in files:
            file.close()
