"""Must not: hand over what lies behind its root as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.symlink("/proc/self/root", own("root"))
    declare(own("root/etc/passwd"))
