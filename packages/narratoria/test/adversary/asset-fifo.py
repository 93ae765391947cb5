"""Must not: hand over a pipe that nobody fills as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    os.mkfifo(own("fifo"))
    declare(own("fifo"))
