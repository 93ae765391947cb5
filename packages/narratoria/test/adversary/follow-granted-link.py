"""Must not: write where a link leads that took the place of a granted folder."""

import os

from attack import attempt, place


@attempt
def follow():
    with open(os.path.join(place, "granted", "inner", "planted"), "w") as file:
        file.write("gotcha")
    return "wrote"
