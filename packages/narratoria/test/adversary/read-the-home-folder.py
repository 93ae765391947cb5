"""Must not: read the home folder."""

import os

from attack import attempt, host


@attempt
def look():
    return os.listdir(host["home"])
