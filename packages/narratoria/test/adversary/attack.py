"""What the attacks of this folder share: where the host's things are, and how to say what one got."""

import ctypes
import json
import os
import sys
import time

MEGABYTE = 1024 * 1024
call = json.loads(sys.stdin.readline())
place = call["input"]["place"]
libc = ctypes.CDLL(None, use_errno=True)
MACHINE = 0 if os.uname().machine == "x86_64" else 1


def attempt(function):
    """Runs the attack at once. What it returns it got; what it raises is the refusal."""
    try:
        got, refusal = function(), None
    except Exception as error:
        got, refusal = None, f"{type(error).__name__}: {error}"
    print(json.dumps({"version": "0", "type": "state_patch", "patch": {"got": got, "refusal": refusal}}))
    print(json.dumps({"version": "0", "type": "done", "ok": True}), flush=True)
    return function


def syscall(numbers, *arguments):
    """A raw system call by its numbers on x64 and arm64; raises what the kernel answers."""
    result = libc.syscall(numbers[MACHINE], *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def linger(seconds=8):
    """Long enough for a watch to look, short enough should nobody come."""
    time.sleep(seconds)
