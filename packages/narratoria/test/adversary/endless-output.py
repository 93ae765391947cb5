"""Must not: print more than it may."""

from attack import attempt, say


@attempt
def take():
    for _ in range(10_000):
        say(type="log", level="info", message="x" * 1000)
    return "10 MB"
