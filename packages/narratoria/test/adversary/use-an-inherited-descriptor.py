"""Must not: have any descriptor but its three streams."""

import os

from attack import attempt, host, nothing_found


@attempt
def use():
    extra = {}
    for name in os.listdir("/proc/self/fd"):
        link = f"/proc/self/fd/{name}"
        # What the host was started with may show, but must lead nowhere. One that is gone was this listing itself.
        if int(name) > 2 and os.path.lexists(link) and os.readlink(link) != "/dev/null":
            extra[name] = os.readlink(link)
    return extra or nothing_found("only the three standard streams")
