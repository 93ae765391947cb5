"""Must not: talk to a program that listens on a socket in a folder it may only read."""

import os
import socket

from attack import attempt, place


@attempt
def talk():
    with socket.socket(socket.AF_UNIX) as agent:
        agent.connect(os.path.join(place, "granted", "agent"))
        return agent.recv(100).decode()
