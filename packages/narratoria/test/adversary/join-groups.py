"""Must not: join groups."""

import os

from attack import attempt


@attempt
def join():
    return os.setgroups([0]) or "joined"
