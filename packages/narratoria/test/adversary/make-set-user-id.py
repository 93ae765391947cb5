"""Must not: leave a program with the set-user-id or set-group-id bit where it was granted to write."""

import os

from attack import attempt, nothing_found, place


@attempt
def leave():
    for bits in (0o4755, 0o2755):
        file = os.path.join(place, "granted", f"{bits:o}")
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o755))
        for make in (lambda: os.chmod(file, bits), lambda: os.open(f"{file}-made", os.O_CREAT | os.O_WRONLY, bits)):
            try:
                make()
            except OSError:
                pass
    nothing_found("the host looks what is there")
