"""A server that forks: the client is made before, and each process uses it for itself."""

import os
import sys
import time

import hapax

client = hapax.connect(workspace=os.environ["CONTRACT_WORKSPACE"])


def work(claim: hapax.Claim) -> int:
    # longer than the lease, which only renewals keep
    time.sleep(1.5)
    return os.getpid()


def once() -> None:
    value = client.once("fork/Once", str(os.getpid()), work, lease=0.5)
    line = "worked" if value == os.getpid() else f"got the result of {value}"
    # the processes share their output: a line must be one write
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        once()
        os._exit(0)
    children.append(child)
once()
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
