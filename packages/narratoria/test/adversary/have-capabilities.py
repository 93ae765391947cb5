"""Must not: have a capability of the kernel, in any set."""

from attack import attempt, nothing_found


@attempt
def have():
    with open("/proc/self/status") as status:
        sets = {line.split(":")[0]: line.split()[1] for line in status if line.startswith("Cap")}
    gained = {name: bits for name, bits in sets.items() if int(bits, 16) != 0}
    return gained or nothing_found("none in any set")
