"""Must not: write to the story."""

import os

from attack import attempt, write


@attempt
def plant():
    return write(os.path.join(os.getcwd(), "gotcha"))
