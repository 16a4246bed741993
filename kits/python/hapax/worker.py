"""A worker: polls queues, does the steps of runs, and renews their leases meanwhile."""

from __future__ import annotations

import os
import socket
import threading
from typing import Any, Callable, Dict, Literal, Mapping, Optional, Sequence, TypeVar

from .claims import Claim, Renewals, TakenClaims, log
from .connection import Answer, Cancellation, Connection
from .errors import ClaimLost, FinalFailure, HapaxError, PartFailed, Refused, WorkFailure
from .execution import Execution, ExecutionEnd
from .parts import storable
from .polling import Poller
from .protocol import enum_name
from .tasks import Task
from .values import duration, failed_attempt, refuse_async, seconds
from .workflows import Workflow

Handler = Callable[[Task], Any]
H = TypeVar("H", bound=Handler)
T = TypeVar("T")
OnCodeChange = Literal["release", "fail", "warn"]
_FIRST_RELEASE, _LONGEST_RELEASE, _MOST_KEPT = 5.0, 300.0, 10_000


class Worker:
    """Does the steps of runs. Make it with `client.worker`, add a handler for each step, and call `run`.

    A step may run again after its effect, here or elsewhere, if the worker dies before its end is recorded. Hand
    `task.step_id` to what the handler calls as its idempotency key: it is the same on every attempt.
    """

    def __init__(
        self,
        connection: Connection,
        queues: Sequence[str],
        steps: Mapping[str, Handler],
        concurrency: int,
        worker_id: str,
        on_code_change: OnCodeChange,
        workflows: "Sequence[Workflow[Any, Any]]",
    ) -> None:
        if on_code_change not in ("release", "fail", "warn"):
            raise ValueError(f"on_code_change must be release, fail or warn (was {on_code_change})")
        self._connection, self._renewals = connection, Renewals(connection, "WorkerService/HeartbeatTasks")
        self._steps: Dict[str, Handler] = {}
        self._threads: Dict[str, threading.Thread] = {}
        self._releases: Dict[str, float] = {}
        self._on_code_change = on_code_change
        self._warned: Dict[str, None] = {}  # steps whose code does not fit
        self._taken = TakenClaims()
        name = worker_id or f"{socket.gethostname()}-{os.getpid()}"
        self._workflows = workflows
        request = {"queues": list(dict.fromkeys([*queues, *(each.step.code.queue for each in workflows)])), "worker_id": name}
        self._poller = Poller(
            connection, "WorkerService/PollTasks", request, "max_tasks", "tasks", concurrency, self._do, self._prepare
        )
        self.run, self.stop = self._poller.run, self._poller.stop
        for step, handler in steps.items():
            self.step(step)(handler)
        for workflow in workflows:
            refuse_async(f"workflow {workflow.name}", workflow.handler)
            self.step(f"{workflow.name}/{workflow.step.name}")(_handler(workflow))

    def start(self) -> None:
        """Polls on other threads, and returns at once; with workflows when they are registered.

        Raises HapaxError if a workflow cannot be registered.
        """
        self._poller.start()
        if self._workflows:
            self._poller.await_prepared()

    def step(self, name: str) -> Callable[[H], H]:
        """Decorates the handler of a step: by its name, by `definition/name`, or by `*` for every other step.

        The handler returns the output of the step: bytes, anything with a JSON, or None. An exception fails the attempt, which
        is retried as the definition says; FinalFailure ends the run as FAILED. A handler is no async function: that raises
        TypeError here.
        """

        def add(handler: H) -> H:
            refuse_async(f"the handler of step {name}", handler)
            self._steps[name] = handler
            return handler

        return add

    def _do(self, message: Any, answer: Answer) -> None:
        """Does a task, and then the next ones of its run that this worker is given."""
        while message is not None and self._taken.add(message.claim.id):
            attempt = seconds(message.attempt_remaining) if message.HasField("attempt_remaining") else None
            claim = Claim(message.claim, answer, seconds(message.lease_remaining), attempt=attempt)
            execution = Execution(message, claim, self._connection, self._code_changed)
            self._renewals.keep(claim)
            try:
                # a task that was lost and received again waits until its former handler has ended
                former = self._threads.get(message.step.id)
                self._threads[message.step.id] = threading.current_thread()
                if former is not None and former is not threading.current_thread():
                    former.join()
                ended = None if claim.is_revoked else self._attempt(execution)
            finally:
                self._renewals.release(claim)
                if self._threads.get(message.step.id) is threading.current_thread():
                    del self._threads[message.step.id]
            if ended is None or not ended.response.HasField("completed") or not ended.response.completed.HasField("next"):
                return
            message, answer = ended.response.completed.next, ended

    def _attempt(self, execution: Execution) -> Optional[Answer]:
        """Runs the handler and records its end; returns the answer to its completion."""
        task = Task(execution)
        definition = task.message.run.definition
        names = (f"{definition}/{task.step_name}", task.step_name, "*")
        handler = next((self._steps[name] for name in names if name in self._steps), None)
        if handler is None:
            delay = self._next_delay(task.step_id)
            log.warning("this worker has no handler for step %s; it is released for %s s", task.step_name, delay)
            return self._end("ReleaseTask", task, {"delay": duration(delay)})
        try:
            output, error = handler(task), None
        except BaseException as raised:
            output, error = None, raised
        try:
            decided = execution.end()
            if decided is not None:
                if error is not None and not isinstance(error, ExecutionEnd):
                    log.warning("step %s replaced the exception of its wait, which counts anyway: %s", task.step_id, error)
                return self._end(decided[0], task, decided[1])
            if error is not None:
                return self._fail(task, error)
            if task.claim.in_sql is not None:
                # has no effect if the transaction was committed
                not_committed = {"code": "NOT_COMMITTED", "message": "the transaction was not committed"}
                return self._end("FailTask", task, {"failure": not_committed})
            payload = storable(f"the result of step {task.step_name}", output, self._connection.payloads.encode)
            fields = {"output": payload, "want_next": not self._poller.stopping.is_set(), **execution.reports.changes()}
            left = execution.records.never_asked()
            if left:
                log.info("step %s ends without its records %s", task.step_id, ", ".join(left[:10]))
            return self._end("CompleteTask", task, fields)
        except WorkFailure as unstorable:
            return self._fail(task, unstorable)
        except Refused as refused:
            # the effect has happened, and the next attempt would be refused again
            text = f"the result of step {task.step_name} was refused: {refused}"
            return self._fail(task, FinalFailure("RESULT_REFUSED", text))

    def _fail(self, task: Task, error: BaseException) -> Optional[Answer]:
        if isinstance(error, ClaimLost) and task.is_lost:
            return None
        level = log.info if isinstance(error, (WorkFailure, PartFailed, ExecutionEnd)) else log.warning
        level("step %s of %s failed: %r", task.step_name, task.run_id, error)
        return self._end("FailTask", task, failed_attempt(error))

    def _next_delay(self, step_id: str) -> float:
        """Of a step that is given back: another worker of the queue, older or newer, may be able to do it."""
        delay = min(self._releases.pop(step_id, _FIRST_RELEASE / 2) * 2, _LONGEST_RELEASE)
        _keep(self._releases, step_id, delay)
        return delay

    def _code_changed(self, execution: Execution, reason: str) -> None:
        """Ends an execution whose code does not fit the records of earlier ones."""
        step_id = execution.message.step.id
        if self._on_code_change == "warn":
            if step_id not in self._warned:
                _keep(self._warned, step_id, None)
                log.warning("the code of step %s has changed: %s", step_id, reason)
            return
        log.warning("the code of step %s has changed, will %s: %s", step_id, self._on_code_change, reason)
        if self._on_code_change == "fail":
            changed = {"code": "STEP_CHANGED", "message": reason}
            execution.end_with("FailTask", kind="FAILURE_KIND_FINAL", failure=changed)
        delay = duration(self._next_delay(step_id))
        execution.end_with("ReleaseTask", delay=delay, reason={"code": "CODE_CHANGED", "message": reason})

    def _prepare(self, stop: Cancellation) -> str:
        """Returns why this worker cannot work with the server; empty if it can."""
        refusal = self._require_parts(stop)
        for each in self._workflows:
            refusal = refusal or each.register(self._connection, stop)
        return refusal

    def _require_parts(self, stop: Cancellation) -> str:
        info = self._connection.call("MonitoringService/GetServerInfo", {}, give_up_after=float("inf"), stop=stop).response.server
        features = info.DESCRIPTOR.fields_by_name["features"].enum_type
        if features.values_by_name["SERVER_FEATURE_PARTS"].number in info.features:
            return ""
        return f"the server lacks parts (version {info.version}): upgrade the server"

    def _end(self, rpc: str, task: Task, fields: Mapping[str, Any]) -> Optional[Answer]:
        """Records the end of a task, unless Hapax has reported its loss."""
        if rpc == "FailTask":
            self._renewals.report(task.claim)
        if task.claim.is_revoked:
            log.info("task %s was lost, its result is dropped", task.step_id)
            return None
        try:
            ended = self._connection.record(f"WorkerService/{rpc}", {"claim": task.claim.message, **fields})
        except HapaxError as error:
            if isinstance(error, Refused) and rpc == "CompleteTask":
                raise
            log.error("the end of step %s of %s may not be recorded: %s", task.step_name, task.run_id, error)
            return None
        if ended.response.WhichOneof("outcome") == "claim_lost":
            log.warning("task %s was lost: %s", task.step_id, enum_name(ended.response.claim_lost, "reason"))
        return ended if rpc == "CompleteTask" else None


def _handler(workflow: "Workflow[Any, Any]") -> Handler:
    return lambda task: workflow.handler(task, task.input)


def _keep(steps: Dict[str, T], step_id: str, value: T) -> None:
    """Adds a step, and forgets the oldest one of many."""
    steps[step_id] = value
    if len(steps) > _MOST_KEPT:
        del steps[next(iter(steps))]
