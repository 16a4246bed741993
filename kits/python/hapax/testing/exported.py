"""The fit check: whether changed code still fits runs that its former version began."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Union

from google.protobuf import json_format

from ..connection import Answer
from ..execution import ExecutionEnd
from ..parts import Use
from ..payloads import Payloads, Store
from ..protocol import message, method
from ..tasks import Task
from ..workflows import Workflow
from .memory import Executions

_AFTER_ALL_WAITS = {"seconds": 7_258_118_400}  # the year 2200


class DoesNotFit(AssertionError):
    """Code does not fit runs. The text names each run and its parts, and says why."""


def fits(
    handler: Union[Workflow[Any, Any], Callable[[Any], Any]],
    runs: "Union[str, os.PathLike[str]]",
    *,
    payloads: Optional[Store] = None,
) -> None:
    """Runs a workflow, or the handler of a code step, over the records of runs. `runs` is a file that `hapax run export` printed.

    No body runs, and nothing is sent: the check of a run ends at its first part or wait that is not recorded. So the code must
    have no effects outside of its parts. `payloads` is the store of `connect`.

    Raises DoesNotFit with all runs whose records do not fit, or over whose records the handler raises an exception.
    """
    failures: List[str] = []
    count = 0
    for line in Path(runs).read_text(encoding="utf-8").split("\n"):
        if line.strip():
            count += 1
            task = json_format.Parse(line, message("hapax.v1.Task")())
            text = _failure(handler, task, payloads)
            if text:
                failures.append(f"  {task.run.id}: {text}")
    if failures:
        raise DoesNotFit("\n".join([f"{len(failures)} of {count} runs do not fit the code:", *failures]))


class _Replay(Task):
    """Ends the execution instead of running a body."""

    def _record(self, use: Use, body: Any, options: Any) -> Any:
        def end(id: str) -> None:
            raise ExecutionEnd()  # the code has come to what is not recorded

        return super()._record(use, end, replace(options, verify=None))


class _Records:
    """The connection of a worker that only reads."""

    def __init__(self, payloads: Optional[Store]) -> None:
        self.payloads = Payloads(payloads)
        self.failure = message("hapax.v1.Failure")()

    def record(self, name: str, fields: Mapping[str, Any]) -> Answer:
        _, request, response = method(name)
        rpc, sent = name.partition("/")[2], request(**fields)
        if rpc == "FailTask":
            self.failure = sent.failure
        if rpc != "RecordStep":
            return Answer(response(), 0.0, 0.0)
        if not all("patched/" in part.name for part in sent.parts):
            raise ExecutionEnd()
        return Answer(response(parts={"results": [{"recorded": {"output": part.output}} for part in sent.parts]}), 0.0, 0.0)


def _failure(handler: Any, task: Any, payloads: Optional[Store]) -> str:
    """Why the code does not fit; empty if it does."""
    records = _Records(payloads)
    task.claim.id, task.lease_remaining.seconds = task.run.id, 86_400
    task.step.lease_until.CopyFrom(message("google.protobuf.Timestamp")(**_AFTER_ALL_WAITS))
    with Executions(handler, _Replay, records, lambda error: None) as executions:
        executions.next(task)
    failure = records.failure
    # a part that failed or is in doubt ends the run by itself, as the failure that it has does
    if failure.part or failure.code in (ExecutionEnd.__name__, task.run.failure.code):
        return ""
    return str(failure.message) if failure.code == "STEP_CHANGED" else f"{failure.code}: {failure.message}"
