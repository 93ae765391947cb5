"""Must not: hand over where a symbolic link leads as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.symlink("/etc/passwd", own("link"))
    declare(own("link"))
