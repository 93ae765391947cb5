"""Must not: hand over what lies behind a folder that is a link as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.symlink("/etc", own("folder"))
    declare(own("folder/passwd"))
