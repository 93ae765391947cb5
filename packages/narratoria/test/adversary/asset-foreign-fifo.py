"""Must not: have a pipe of somebody else opened as an asset, which who writes to it would notice."""

import os

from attack import attempt, declare, place


@attempt
def hand_over():
    declare(os.path.join(place, "granted", "fifo"))
