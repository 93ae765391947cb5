"""Must not: become root."""

import os

from attack import attempt


@attempt
def become():
    return os.setuid(0) or "root"
