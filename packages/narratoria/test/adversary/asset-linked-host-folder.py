"""Must not: hand over a file of the host behind a folder that is a link as an asset."""

import os

from attack import attempt, declare, host, own


@attempt
def hand_over():
    folder, name = os.path.split(host["readableFile"])
    os.symlink(folder, own("folder"))
    declare(own(f"folder/{name}"))
