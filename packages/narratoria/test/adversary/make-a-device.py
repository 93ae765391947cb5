"""Must not: make a device."""

import os

from attack import attempt


@attempt
def make():
    return os.mknod("/tmp/disk", 0o600 | 0o060000, os.makedev(8, 0)) or "made"
