"""Must not: hand over a device behind a link as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.symlink("/dev", own("devices"))
    declare(own("devices/zero"))
