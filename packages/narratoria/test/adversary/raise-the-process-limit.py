"""Must not: raise the process limit."""

import resource

from attack import attempt


@attempt
def lift():
    return resource.setrlimit(resource.RLIMIT_NPROC, (100_000, 100_000)) or "raised"
