#!/usr/bin/env python3
"""Keeps what the player carries in the session state, so that it can be seen there.

{"take": "tin", "name": "a tin of lamp oil", "oil": 2} adds the thing or changes it; {"drop": "tin"} removes it.
Without the SDK, to show that the protocol is only lines of JSON.
"""

import json
import sys


def main():
    request = json.loads(sys.stdin.readline() or "{}")
    details = dict(request.get("input") or {})
    taken, dropped = details.pop("take", None), details.pop("drop", None)
    if isinstance(taken, str) and taken:
        send("state_patch", patch={"inventory": {taken: details}})
        send("done", ok=True, summary=f"In the satchel: {details.get('name', taken)}.")
    elif isinstance(dropped, str) and dropped:
        send("state_patch", patch={"inventory": {dropped: None}})
        send("done", ok=True, summary=f"No longer in the satchel: {dropped}.")
    else:
        message = "Say what to take or what to drop."
        send("error", errorCode="NOTHING_NAMED", errorMessage=message)
        send("done", ok=False, summary=message)


def send(kind, **fields):
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


main()
