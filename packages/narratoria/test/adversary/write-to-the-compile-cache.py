"""Must not: put code where a host keeps what it has compiled, neither in its home nor in the shared folder."""

import os

from attack import attempt, host, write


@attempt
def plant():
    # This one is in its own /tmp, and must not be anybody else's.
    os.makedirs("/tmp/node-compile-cache")
    write("/tmp/node-compile-cache/gotcha")
    return write(os.path.join(host["compileCache"], "gotcha"))
