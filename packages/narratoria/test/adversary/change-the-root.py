"""Must not: change the root."""

import os

from attack import attempt


@attempt
def change():
    return os.chroot("/tmp") or "changed"
