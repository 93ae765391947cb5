"""Must not: have more memory by a child that a thread started."""

import subprocess
import sys
import threading

from attack import attempt, nothing_found


@attempt
def take():
    script = "import time; kept = b'x' * 320 * 1024 * 1024; time.sleep(8)"
    ended = []
    thread = threading.Thread(target=lambda: ended.append(subprocess.run([sys.executable, "-c", script]).returncode))
    thread.start()
    thread.join()
    return "320 MB" if ended == [0] else nothing_found("the child was killed")
