"""A worker whose SIGTERM is received by a thread that is not the main one, which alone handles signals."""

import os
import signal
import threading

import hapax

client = hapax.connect(workspace=os.environ["CONTRACT_WORKSPACE"])
worker = client.worker("work")


@worker.step("*")
def terminate(task: hapax.Task) -> str:
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    return "done"


worker.run()
print("drained", flush=True)
