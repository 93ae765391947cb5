"""Must not: read the git folder."""

import os

from attack import attempt, host


@attempt
def look():
    return os.listdir(host["gitFolder"])
