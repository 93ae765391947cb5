"""Must not: hand over a hard link, which may be another file as an asset."""

import os

from attack import attempt, declare, own


@attempt
def hand_over():
    open(own("plain"), "w").close()
    os.link(own("plain"), own("link"))
    declare(own("link"))
