"""Must not: have more memory than its limit."""

from attack import MEGABYTE, attempt, linger


@attempt
def take():
    kept = []
    for _ in range(40):
        kept.append(b"x" * 8 * MEGABYTE)
    linger()
    return f"{8 * len(kept)} MB"
