"""Must not: leave a process behind, in a session of its own and out of the group."""

import os
import time

from attack import attempt, nothing_found, place


@attempt
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for stream in (0, 1, 2):
                os.close(stream)
            os.execv("/bin/sh", ["sh", "-c", f"sleep 300; : {place}"])
        os._exit(0)
    time.sleep(0.2)
    nothing_found("the host looks whether it is still there")
