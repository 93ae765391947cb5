"""Must not: leave a link where it was granted to write, which the host would follow later."""

import os

from attack import attempt, nothing_found, place


@attempt
def leave():
    folder = os.path.join(place, "granted")
    os.symlink("/etc/passwd", os.path.join(folder, "link"))
    open(os.path.join(folder, "file"), "w").close()
    os.link(os.path.join(folder, "file"), os.path.join(folder, "hard-link"))
    nothing_found("the host looks what is there")
