"""Must not: gain rights by a set-user-id program."""

from attack import attempt, nothing_found


@attempt
def gain():
    with open("/proc/self/status") as status:
        if "NoNewPrivs:\t1" in status.read():
            nothing_found("no new privileges")
    return "a set-user-id program would gain privileges"
