"""Must not: find a secret of the host in its own environment."""

import os

from attack import attempt, host, nothing_found


@attempt
def find():
    return next((name for name, value in os.environ.items() if host["secret"] in value), None) or nothing_found("clean")
