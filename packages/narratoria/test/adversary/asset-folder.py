"""Must not: hand over a folder as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.mkdir(own("folder"))
    declare(own("folder"))
