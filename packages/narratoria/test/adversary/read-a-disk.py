"""Must not: read a disk or memory past its files."""

import os

from attack import attempt, nothing_found, read


@attempt
def look():
    for device in ("/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/mem", "/dev/kmsg", "/dev/kvm"):
        if os.path.exists(device):
            return read(device)
    nothing_found("there is no such device")
