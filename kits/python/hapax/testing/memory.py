"""Runs of a handler in this process: a worker whose connection is a run in memory."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass
from typing import (
    Any,
    Awaitable,
    Callable,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from .. import aio
from ..connection import Answer
from ..errors import RunFailed
from ..parts import Retry
from ..payloads import Payloads
from ..protocol import enum_name, message, method
from ..runs import Signal
from ..tasks import Task
from ..values import duration, from_payload, is_async, seconds, to_payload
from ..worker import Worker
from ..workflows import In, Workflow

Out = TypeVar("Out")
BEGINNING = 1_767_225_600.0  # 2026-01-01, as the clock of a test server
_LEASE = 86_400.0
_END_OF_WAIT = re.compile(r'"\S+Z \d+ \d+"')


@dataclass(frozen=True)
class Ran(Generic[Out]):
    """What became of `run_workflow`. `parts` has the recorded values by full names, in order; the end of a wait is None.

    `slept` is the seconds that its waits and the pauses of its parts would have taken, `state` the state of the run at the end.
    """

    result: Out
    parts: Mapping[str, Any]
    slept: float
    state: Mapping[str, Any]


@overload
def run_workflow(
    handler: Workflow[In, Out],
    *,
    input: In = ...,
    signals: Sequence[Signal] = ...,
    failures: Mapping[str, Sequence[Exception]] = ...,
) -> Ran[Out]:
    ...


@overload
def run_workflow(
    handler: Callable[[aio.Task], Awaitable[Out]],
    *,
    input: Any = ...,
    signals: Sequence[Signal] = ...,
    failures: Mapping[str, Sequence[Exception]] = ...,
) -> Ran[Out]:
    ...


@overload
def run_workflow(
    handler: Callable[[Task], Out],
    *,
    input: Any = ...,
    signals: Sequence[Signal] = ...,
    failures: Mapping[str, Sequence[Exception]] = ...,
) -> Ran[Out]:
    ...


def run_workflow(
    handler: Any, *, input: Any = None, signals: Sequence[Signal] = (), failures: Mapping[str, Sequence[Exception]] = {}
) -> Ran[Any]:
    """Runs a workflow, or the handler of a code step, without a server until it ends. Waits and pauses take no time.

    `signals` are in the inbox from the beginning. `failures` are by the full names of parts: the first attempts of a part raise
    them instead of running its body. A part without `retry` has 8 attempts; the policy of a definition is not known here.

    An exception that leaves the handler is raised at once, while a server would attempt the step again. Raises RunFailed for
    another end of the run, and if it waits for a signal that is not there.
    """
    pending = {name: list(errors) for name, errors in failures.items()}
    raised: List[BaseException] = []

    class Failing(Task):
        def _record(self, use: Any, body: Callable[[str], Any], options: Any) -> Any:
            def fail(id: str) -> Any:
                if pending.get(use.name):
                    raise pending[use.name].pop(0)
                return body(id)

            return super()._record(use, fail, options)

    run = Run(to_payload(input) or {"json": "{}"}, signals)
    with Executions(handler, Failing, run, raised.append) as executions:
        while run.ended is None:
            executions.next(run.task())
    rpc, request = run.ended
    if rpc == "CompleteTask":
        parts = {name: from_payload(part, "output") for name, part in run.recorded.items()}
        return Ran(from_payload(request, "output"), {**parts, **dict.fromkeys(run.waits)}, run.slept, run.state)
    if raised and isinstance(raised[-1], Exception):
        raise raised[-1]
    failed = request.failure
    raise RunFailed(f"the run failed: {failed.code} {failed.message}", failure_code=failed.code)


class Executions:
    """A worker that gets its tasks one by one. An error of the handler is also given to `raised`."""

    def __init__(self, handler: Any, kind: Type[Task], connection: Any, raised: Callable[[BaseException], None]) -> None:
        self._loop = aio.Loop()
        function = handler.handler if isinstance(handler, Workflow) else handler

        def call(task: Task) -> Any:
            own: Any = kind(task._execution)
            if is_async(function):
                own = aio.Task(own, self._loop)
            arguments = [own, task.input] if isinstance(handler, Workflow) else [own]
            try:
                return self._loop.blocking(task.claim, function)(*arguments)
            except BaseException as error:
                raised(error)
                raise

        self._worker = Worker(connection, [], {"*": call}, 1, "test", "fail", [])

    def next(self, task: Any) -> None:
        self._worker._do(task, Answer(None, time.monotonic(), 0.0))

    def __enter__(self) -> "Executions":
        self._loop.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._loop.stop()


class Run:
    """A run in memory, as the connection of the worker that works on it."""

    payloads = Payloads()

    def __init__(self, input: Mapping[str, Any], signals: Sequence[Signal]) -> None:
        self.recorded: Dict[str, Any] = {}
        self.waits: List[str] = []  # whose recorded value is the time of their end
        self.state: Dict[str, Any] = {}
        self.slept = 0.0
        self.ended: Optional[Tuple[str, Any]] = None  # the call that ended the run, and its request
        self._input, self._signals = input, {each.signal_id: each for each in signals}
        self._open: Dict[str, Mapping[str, Any]] = {}
        self._failing_since: Dict[str, float] = {}
        self._fence = 0
        self._lock = threading.Lock()

    def task(self) -> Any:
        self._fence += 1
        now = BEGINNING + self.slept
        lease_until = {"seconds": int(now + _LEASE), "nanos": int(now % 1 * 1e9)}
        return message("hapax.v1.Task")(
            claim={"id": f"test-{self._fence}", "fence": self._fence},
            run={"id": "run_test"},
            step={"id": "step_test", "name": "main", "attempt": 1, "lease_until": lease_until},
            lease_remaining=duration(_LEASE),
            input=self._input,
            state=to_payload(self.state),
            signals=[each.fields() for each in self._signals.values()],
            recorded=self.recorded.values(),
            open_parts=self._open.values(),
        )

    def record(self, name: str, fields: Mapping[str, Any]) -> Answer:
        _, request, response = method(name)
        rpc = name.partition("/")[2]
        with self._lock:
            return Answer(response(**getattr(self, f"_{rpc}", self._end)(rpc, request(**fields))), 0.0, 0.0)

    def _RecordStep(self, rpc: str, request: Any) -> Mapping[str, Any]:
        results = [getattr(self, f"_{part.WhichOneof('result')}")(part) for part in request.parts]
        self._merge(request)
        return {"parts": {"results": results}}

    def _begin(self, part: Any) -> Mapping[str, Any]:
        return {"begun": {"step_id": f"step_test/{part.name}"}}

    def _output(self, part: Any) -> Mapping[str, Any]:
        fields = {"name": part.name, "output": part.output, "overlapped": part.overlapped, "is_wait": part.is_wait}
        self.recorded[part.name] = message("hapax.v1.RecordedStep")(**fields)
        self._open.pop(part.name, None)
        if part.is_wait and _END_OF_WAIT.fullmatch(part.output.json):
            self.waits.append(part.name)
        for each in part.consumed_signal_ids:
            self._signals.pop(each, None)
        return {"recorded": {"output": part.output}}

    def _failure(self, part: Any) -> Mapping[str, Any]:
        failed, number = part.failure, part.failure.attempt
        retry = failed.retry if failed.HasField("retry") else message("hapax.v1.RetryPolicy")(**Retry().fields())
        pause = min(seconds(retry.max), seconds(retry.initial) * retry.factor ** (number - 1))
        pause = seconds(failed.retry_after) if failed.HasField("retry_after") else pause
        since = self._failing_since.setdefault(part.name, self.slept)
        code, give_up_after = failed.failure.code, seconds(retry.give_up_after) or float("inf")
        is_retried = enum_name(failed, "kind") != "FINAL" and retry.max_attempts not in range(1, number + 1)
        is_retried = is_retried and code not in retry.non_retryable and (not retry.retry_only or code in retry.retry_only)
        result = {"failure": failed.failure, "attempts": number}
        if is_retried and self.slept + pause <= since + give_up_after:
            self.slept += pause
            return {"failed": {**result, "retry_at": {"seconds": 1}, "hold": True}}
        self._open[part.name] = {"name": part.name, "state": "PART_STATE_FAILED", **result}
        return {"failed": result}

    def _SuspendTask(self, rpc: str, request: Any) -> Mapping[str, Any]:
        self._merge(request)
        if request.HasField("duration"):
            self.slept += round(seconds(request.duration), 1)  # without the time of the execution
        else:
            awaited = " ".join(f"{field.name} {value}" for field, value in request.signal_filter.ListFields())
            text = f"the run waits for a signal of {awaited}, which is not there: give it in signals"
            self.ended = rpc, message("hapax.v1.FailTaskRequest")(failure={"code": "NO_SIGNAL", "message": text})
        return {"suspended": {}}

    def _end(self, rpc: str, request: Any) -> Mapping[str, Any]:
        if rpc == "CompleteTask":
            self._merge(request)
        self.ended = rpc, request
        return {}

    def _merge(self, request: Any) -> None:
        if request.HasField("state_patch"):
            _merge_patch(self.state, json.loads(request.state_patch.json))


def _merge_patch(into: Dict[str, Any], patch: Mapping[str, Any]) -> None:
    """Applies a merge patch, by RFC 7396."""
    for name, value in patch.items():
        if value is None:
            into.pop(name, None)
        elif isinstance(value, dict):
            former = into.get(name)
            into[name] = former if isinstance(former, dict) else {}
            _merge_patch(into[name], value)
        else:
            into[name] = value
