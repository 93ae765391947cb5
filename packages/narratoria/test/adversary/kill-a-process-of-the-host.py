"""Must not: kill a process of the host."""

import os
import signal

from attack import attempt, host


@attempt
def kill():
    return os.kill(host["victim"], signal.SIGKILL) or "killed"
