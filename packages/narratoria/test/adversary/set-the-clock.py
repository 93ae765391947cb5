"""Must not: set the clock."""

import time

from attack import attempt


@attempt
def adjust():
    return time.clock_settime(time.CLOCK_REALTIME, 0) or "set"
