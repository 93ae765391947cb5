"""Must not: write to the asset store."""

import os

from attack import attempt, host, write


@attempt
def plant():
    return write(os.path.join(host["store"], "gotcha"))
