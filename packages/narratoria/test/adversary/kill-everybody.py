"""Must not: kill anybody outside by killing everybody."""

import os
import signal

from attack import attempt, host, nothing_found


@attempt
def kill():
    os.kill(-1, signal.SIGKILL)
    nothing_found("only what is in here (the host looks whether its process lives)")
