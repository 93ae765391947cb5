"""Must not: hard link a story file."""

import os

from attack import attempt


@attempt
def link():
    return os.link(__file__, "/tmp/link") or "linked"
