"""Must not: send a datagram to the host."""

import socket

from attack import attempt, host


@attempt
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(0.3)
        udp.connect(("127.0.0.1", host["udpPort"]))
        udp.send(b"gotcha")
        return udp.recv(100)
