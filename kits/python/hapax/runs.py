"""Runs: start one once, await its result, signal and cancel it."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Mapping, Optional, Sequence, Type, TypedDict, TypeVar, Union, overload

from .connection import Connection
from .errors import HapaxError, RunCancelled, RunFailed, RunNotEnded
from .hooks import Hook
from .protocol import enum_name
from .payloads import Payloads, is_stored
from .values import duration, fingerprint, to_payload
from .workflows import In, Workflow

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_POLL_WAIT = 20.0
_EARLY_PAUSE = 0.5


@dataclass(frozen=True)
class Signal:
    """A message to a run. Without a `signal_id` the kit draws one. `type` selects the steps that receive it."""

    type: str = ""
    payload: Any = None
    signal_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def fields(self) -> Mapping[str, Any]:
        return {"signal_id": self.signal_id, "type": self.type, "payload": to_payload(self.payload)}


@dataclass(frozen=True)
class Run:
    """A run as Hapax keeps it. `status` is PENDING, RUNNING, WAITING, PAUSED, COMPLETED, FAILED or CANCELLED."""

    id: str
    status: str
    version: int
    output: Any
    failure_code: str
    failure_message: str

    @staticmethod
    def of(run: Any, payloads: Payloads) -> "Run":
        output = payloads.decode(run, "output")
        return Run(run.id, enum_name(run, "status"), run.version, output, run.failure.code, run.failure.message)


@dataclass(frozen=True)
class Started(Generic[T_co]):
    """What became of a start; it has the type of the result, for type checkers.

    `disposition` is CREATED, QUEUED, EXISTING, REJECTED, USED_EXISTING, SIGNALED or SUPERSEDED.

    `run` stands for the request; it is None if REJECTED. `owner` is the id of the run that owns the token, or owned it. Of a
    QUEUED run, `runs_ahead` is how many runs wait before it in its longest line, at most 100. `superseded_run_ids` are the runs
    that lost a token, their place in a line or their key to it.
    """

    run: Optional[Run]
    disposition: str
    owner: str
    runs_ahead: int = 0
    superseded_run_ids: Sequence[str] = ()

    @property
    def run_id(self) -> str:
        """The id of `run`. Raises HapaxError if the start was REJECTED."""
        if self.run is None:
            raise HapaxError(f"no run was started: run {self.owner} owns the token")
        return self.run.id


class StartOptions(TypedDict, total=False):
    """The options of `Runs.start`. A member that its text does not explain is the field of StartRunRequest."""

    version: str
    hooks: Sequence[Hook]
    signal: Optional[Signal]
    labels: Mapping[str, str]
    on_key_mismatch: Literal["ERROR", "RETURN_EXISTING", "RESTART_FAILED"]
    traceparent: str
    fingerprint: bytes
    actor: str
    start_at: Any
    key_retention: Any
    timeout: float
    start_timeout: float
    wait: float


class Runs:
    """Starts, awaits and controls runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._payloads = connection, connection.payloads

    @overload
    def start(
        self, definition: Workflow[In, T], idempotency_key: str = "", input: In = ..., **options: Unpack[StartOptions]
    ) -> Started[T]:
        ...

    @overload
    def start(
        self, definition: str, idempotency_key: str = "", input: Any = None, **options: Unpack[StartOptions]
    ) -> Started[Any]:
        ...

    def start(
        self, definition: Any, idempotency_key: str = "", input: Any = None, **options: Unpack[StartOptions]
    ) -> Started[Any]:
        """Starts a run of a workflow or of the definition with this name, or returns the one that stands for this request.

        `idempotency_key` names this start; the same key with another input is Refused (IDEMPOTENCY_KEY_REUSED), unless
        `on_key_mismatch` is RETURN_EXISTING, or RESTART_FAILED and the run of the key is FAILED or CANCELLED: a new run then
        takes the key. Without one the kit draws it, and a second call starts a second run.
        `traceparent` is the header of the W3C Trace Context with the span of the caller.

        `timeout` is the seconds after which the run fails with RUN_TIMEOUT, whatever its status. `start_timeout` is the seconds
        within which its first step must start, or the run fails with NOT_STARTED_IN_TIME. Both count from `start_at` or now.
        `wait` is the seconds, at most 30, that the start waits until the run has ended: `run` is then the run at the end of the
        wait, and `result` of a COMPLETED one makes no further call.
        """
        wait = options.pop("wait", None)
        if isinstance(definition, Workflow):
            options.setdefault("version", definition.version)
            definition = definition.name
        signal = options.pop("signal", None)
        payload = self._payloads.encode(input)
        if payload and is_stored(*payload.values()):
            options.setdefault("fingerprint", fingerprint(input))  # the reference to it may be another one each time
        request: Mapping[str, Any] = {
            "definition": definition,
            "definition_version": options.pop("version", ""),
            "idempotency_key": idempotency_key or str(uuid.uuid4()),
            "input": payload,
            "hooks": [hook.start_fields() for hook in options.pop("hooks", ())],
            "signal": signal.fields() if signal else None,
            "timeout": duration(options.pop("timeout", None)),
            "start_timeout": duration(options.pop("start_timeout", None)),
            "on_key_mismatch": f"ON_KEY_MISMATCH_{options.pop('on_key_mismatch', 'ERROR')}",
            **options,
        }
        started = self._connection.call("RunService/StartRun", request, wait=wait).response
        run = Run.of(started.run, self._payloads) if started.HasField("run") else None
        superseded = tuple(started.superseded_run_ids)
        return Started(run, enum_name(started, "disposition"), started.owner.run_id, started.runs_ahead, superseded)

    def get(self, run_id: str) -> Run:
        """Returns the run, or raises Refused (RUN_NOT_FOUND)."""
        return Run.of(self._connection.call("RunService/GetRun", {"run_id": run_id}).response.run, self._payloads)

    @overload
    def result(self, run: Started[T], at_most: float = 60.0) -> T:
        ...

    @overload
    def result(self, run: str, at_most: float = 60.0) -> Any:
        ...

    @overload
    def result(self, run: Union[str, Started[Any]], at_most: float = 60.0, *, type: Type[T]) -> T:
        ...

    def result(self, run: Union[str, Started[Any]], at_most: float = 60.0, *, type: Any = None) -> Any:
        """Waits for the end of a run, given by its id or its start, at most so many seconds, and returns its output.

        `type` is for type checkers, such as `int` or a TypedDict; the output is neither checked nor converted.

        Raises RunFailed, RunCancelled or RunNotEnded.
        """
        if isinstance(run, Started) and run.run is not None and run.run.status == "COMPLETED":
            return run.run.output
        run_id = run if isinstance(run, str) else run.run_id
        end = time.monotonic() + at_most
        while True:
            wait = max(0.0, min(_POLL_WAIT, end - time.monotonic()))
            answer = self._connection.call("RunService/AwaitRun", {"run_id": run_id}, wait=wait)
            found = answer.response.run
            status = enum_name(found, "status")
            if status == "COMPLETED":
                return self._payloads.decode(found, "output")
            if status == "FAILED":
                text = f"run {run_id} failed: {found.failure.code} {found.failure.message}"
                raise RunFailed(text, failure_code=found.failure.code)
            if status == "CANCELLED":
                raise RunCancelled(f"run {run_id} was cancelled")
            if time.monotonic() >= end:
                raise RunNotEnded(f"run {run_id} has not ended after {at_most} s; it is {status}")
            if answer.round_trip < wait / 2:
                # a newer server may have ended it by a status that this package does not know
                time.sleep(min(_EARLY_PAUSE, wait))

    def signal(self, run_id: str, signal: Signal) -> str:
        """Puts a signal into the inbox of a run; returns DELIVERED, BUFFERED or DUPLICATE."""
        fields = {"run_id": run_id, "signal": signal.fields()}
        return enum_name(self._connection.call("RunService/SignalRun", fields).response, "disposition")

    def cancel(self, run_id: str, reason: str = "") -> Run:
        """Cancels the run; one that is cancelled is returned unchanged."""
        return Run.of(
            self._connection.call("RunService/CancelRun", {"run_id": run_id, "reason": reason}).response.run, self._payloads
        )
