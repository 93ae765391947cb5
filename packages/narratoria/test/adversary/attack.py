"""What the attacks of this folder share: where the host's things are, ways to try, and how to say what one got."""

import ctypes
import json
import os
import sys
import time

MEGABYTE = 1024 * 1024
call = json.loads(sys.stdin.readline())
place, host = call["input"]["place"], call["input"]["host"]
libc = ctypes.CDLL(None, use_errno=True)
MACHINE = 0 if os.uname().machine == "x86_64" else 1


def attempt(function):
    """Runs the attack at once. What it returns it got; what it raises is the refusal."""
    try:
        got, refusal = function(), None
    except Exception as error:
        got, refusal = None, f"{type(error).__name__}: {error}"
    say(type="state_patch", patch={"got": got, "refusal": refusal})
    say(type="done", ok=True)
    return function


def say(**event):
    print(json.dumps({"version": "0", **event}), flush=True)


def declare(path):
    """Hands a file over as an asset; whether it was taken the host knows."""
    say(type="asset", assetId=path, kind="text", mediaType="text/plain", path=path)


def own(name):
    """A name in its own asset folder."""
    return os.path.join(os.environ["NARRATORIA_ASSET_DIR"], name)


def read(path):
    with open(path, "rb") as file:
        return f"read {len(file.read(100))} bytes of {path}"


def write(path):
    with open(path, "wb") as file:
        file.write(b"gotcha")
    return f"wrote {path}"


def nothing_found(text):
    raise PermissionError(text)


def checked(result):
    """What a function of libc answered; raises when it is a refusal."""
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"the kernel agreed: {result}"


def syscall(numbers, *arguments):
    """A raw system call by its numbers on x64 and arm64; raises what the kernel answers."""
    result = libc.syscall(numbers[MACHINE], *arguments)
    checked(result)
    return result


def linger(seconds=8):
    """Long enough for a watch to look, short enough should nobody come."""
    time.sleep(seconds)
