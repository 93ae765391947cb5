"""Must not: hand over what is reached by dots as an asset."""

from attack import attempt, declare, own


@attempt
def hand_over():
    declare("../" * 20 + "etc/passwd")
    declare(own("../" * 20 + "etc/passwd"))
