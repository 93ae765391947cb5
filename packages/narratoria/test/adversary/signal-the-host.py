"""Must not: signal the host itself."""

import os
import signal

from attack import attempt, host


@attempt
def disturb():
    return os.kill(host["hostPid"], signal.SIGUSR2) or "signalled"
