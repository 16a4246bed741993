"""A worker whose API key may not register its workflow: it starts if the same one is registered."""

import os
from typing import Any

import hapax

client = hapax.connect(workspace=os.environ["CONTRACT_WORKSPACE"])


@hapax.workflow("trial", queue="trials", lease=10)
def trial(task: hapax.Task, input: Any) -> str:
    return "done"


try:
    worker = client.worker(workflows=[trial])
    worker.start()
    run = client.runs.start("trial", "trial-1")
    print("works", client.runs.result(run))
    worker.stop()
except hapax.HapaxError as error:
    print(error)
