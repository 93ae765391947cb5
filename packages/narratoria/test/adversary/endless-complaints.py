"""Must not: fill the host's memory with complaints."""

import sys

from attack import attempt, nothing_found


@attempt
def take():
    for _ in range(200):
        sys.stderr.write("complaint " * 10_000)
    nothing_found("the host looks how many it kept")
