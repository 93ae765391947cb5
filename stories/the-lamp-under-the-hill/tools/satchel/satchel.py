"""Keeps what the player carries in the session state, so that it can be seen there.

{"take": "tin", "name": "a tin of lamp oil", "oil": 2} adds the thing or changes it; {"drop": "tin"} removes it.
What the function returns is merged into the state's /inventory: None takes a thing out of it.
"""


def keep(payload):
    details = dict(payload)
    taken, dropped = details.pop("take", None), details.pop("drop", None)
    if isinstance(taken, str) and taken:
        print(f"In the satchel: {details.get('name', taken)}.")
        return {taken: details}
    if isinstance(dropped, str) and dropped:
        print(f"No longer in the satchel: {dropped}.")
        return {dropped: None}
    raise ValueError("Say what to take or what to drop.")
