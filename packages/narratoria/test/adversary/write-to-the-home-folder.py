"""Must not: write to the home folder, where a shell would run it."""

import os

from attack import attempt, host, write


@attempt
def plant():
    return write(os.path.join(host["home"], ".bashrc"))
