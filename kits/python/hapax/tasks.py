"""A task in the hands of its handler, with the durable parts of a code workflow."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Mapping, NoReturn, Optional, TypeVar

from google.protobuf import timestamp_pb2

from .claims import Claim
from .connection import Connection
from .errors import FinalFailure, Refused
from .hooks import Hook, HookAnswer, Hooks
from .protocol import enum_name
from .values import duration, from_payload, refuse_async, to_payload

T = TypeVar("T")

_NULL = {"json": "null"}
_TIMED_OUT = {"@type": "hapax.dev/signal-timeout"}
_LONGEST_WAIT = 365 * 86_400.0
_ABSENT = object()


class SuspendExecution(BaseException):
    """Ends an execution that waits. It is not for handlers: do not catch it."""


def storable(what: str, value: Any) -> Any:
    """Returns the payload of what a step has done; another attempt would not make it storable."""
    try:
        return to_payload(value)
    except (TypeError, ValueError) as error:
        raise FinalFailure("RESULT_REFUSED", f"{what} cannot be stored: {error}") from error


class Task:
    """A step of a run that this worker holds.

    A handler with several effects, or with waits, is a code workflow. It runs again from its beginning after every wait
    and failure, and continues where it stopped, because what it records is not done again. Each name occurs once.

    `record` may be called on several threads. When the handler returns, raises or waits, the worker first lets the bodies end
    that are running, and records them.
    """

    def __init__(self, message: Any, claim: Claim, connection: Connection) -> None:
        self.message, self.claim = message, claim
        self._connection = connection
        self.step_id: str = message.step.id
        self.step_name: str = message.step.name
        self.attempt: int = message.step.attempt
        self.run_id: str = message.run.id
        self.fence: int = claim.fence
        self.traceparent: str = message.run.traceparent  # the span that the run was started in; empty if there is none
        self.suspension: Optional[Mapping[str, Any]] = None
        self._recorded = {each.name: each for each in message.recorded}
        self._signals = list(message.signals)
        self._used: "set[str]" = set()
        self._patch: Dict[str, Any] = {}
        self._has_ended = False

    @property
    def input(self) -> Any:
        """The input of the run."""
        return from_payload(self.message, "input")

    @property
    def state(self) -> Mapping[str, Any]:
        """The state of the run when the task was granted."""
        return from_payload(self.message, "state") or {}

    @property
    def previous_output(self) -> Any:
        """The output of the step before; None if there is none."""
        return from_payload(self.message.run, "output")

    @property
    def is_lost(self) -> bool:
        """Whether the run was cancelled, or another worker has the step. Then stop: the result is dropped."""
        return self.claim.is_lost

    def throw_if_lost(self) -> None:
        """Raises ClaimLost if the task is lost."""
        self.claim.throw_if_lost()

    def patch_state(self, members: Mapping[str, Any]) -> None:
        """Changes members of the run's state when this execution ends or waits; None removes one."""
        self._patch.update(members)

    def record(self, name: str, body: Callable[[str], T]) -> T:
        """Returns what `body` returned when it ran first. In later executions it does not run.

        `body` gets the id of this part, the same each time: hand it to what it calls as its idempotency key. `name` has 1 to
        100 characters. The result must have a JSON, or be bytes, of at most 256 KiB. After the end of the handler it raises
        RuntimeError.
        """
        refuse_async(f"the body of {name}", body)
        with self._part():
            recorded: Any = self._find(name)
            if recorded is _ABSENT:
                recorded = self._store(name, storable(f"the result of {name}", body(f"{self.step_id}/{name}")))
            return recorded

    def suspend(self, name: str, seconds: float) -> None:
        """Waits so many seconds, at most 365 days, without a worker. Hapax measures the time, exact to about a second."""
        with self._part():
            left = self._left(name, seconds)
            if left > 0:
                self._suspend({"duration": duration(left)})

    def await_signal(
        self,
        name: str,
        *,
        type: Optional[str] = None,
        hook_name: Optional[str] = None,
        timeout: Optional[float] = None,
        default: Any = None,
    ) -> Any:
        """Returns the payload of the oldest matching signal, and consumes it. Waits for one without a worker.

        A signal matches by its `type`, by the name of the hook through which it came, or by both; by the type `name` unless
        one is given. After `timeout` seconds without one, `default` is returned.
        """
        awaited = {"hook_name": hook_name or "", "type": type or ("" if hook_name else name)}
        with self._part():
            value = self._find(name)
            if value is _ABSENT:
                value = self._receive(name, awaited)
            if value is _ABSENT:
                if timeout is None:
                    self._suspend({"signal_filter": awaited})
                left = self._left(f"{name}.deadline", timeout)
                if left > 0:
                    self._suspend({"duration": duration(left), "signal_filter": awaited})
                value = self._store(name, to_payload(_TIMED_OUT))
            return default if value == _TIMED_OUT else value

    def create_hook(self, hook: Hook) -> HookAnswer:
        """Asks for a token for the run. The answer is committed; the same request on a later attempt succeeds again."""
        return Hooks(self._connection).create(self.run_id, hook, self.claim.message)

    def end(self) -> None:
        """Refuses further durable calls, and waits for those in progress unless Hapax reports the loss of the task.

        Otherwise a body that is running could not be recorded, and would run again.
        """
        with self.claim.changed:
            self._has_ended = True
            self.claim.changed.wait_for(lambda: self.claim.parts == 0 or self.claim.is_revoked)

    @contextmanager
    def _part(self) -> Iterator[None]:
        with self.claim.changed:
            if self.suspension is not None:
                raise SuspendExecution()
            if self._has_ended:
                raise RuntimeError(f"the handler of step {self.step_name} has ended; join its threads before it returns")
            self.claim.parts += 1
        try:
            yield
        finally:
            with self.claim.changed:
                self.claim.parts -= 1
                self.claim.changed.notify_all()

    def changes(self) -> Mapping[str, Any]:
        return {"state_patch": storable("the change of the state", self._patch)} if self._patch else {}

    def _receive(self, name: str, awaited: Mapping[str, str]) -> Any:
        for signal in self._signals:
            if all(text in ("", getattr(signal, field)) for field, text in awaited.items()):
                self._signals.remove(signal)
                payload = to_payload(from_payload(signal, "payload"))
                return self._store(name, payload, [signal.signal_id])
        return _ABSENT

    def _left(self, name: str, seconds: float) -> float:
        """The seconds that are left of a wait, whose end is recorded first."""
        if seconds > _LONGEST_WAIT:
            raise FinalFailure("WAIT_TOO_LONG", f"{name} must wait at most 365 days (was {seconds} s)")
        recorded = self._find(name)
        if recorded is _ABSENT:
            until = timestamp_pb2.Timestamp()
            until.FromNanoseconds(int((time.time() + seconds) * 1e9))
            recorded = self._store(name, to_payload(f"{until.ToJsonString()} {self.attempt} {self.fence}"))
        try:
            text, attempt, fence = recorded.split(" ")
            until = timestamp_pb2.Timestamp()
            until.FromJsonString(text)
        except (AttributeError, ValueError):
            raise FinalFailure("STEP_CHANGED", f"the recorded step {name} is not a wait; keep step names stable") from None
        if self.attempt == int(attempt) and self.fence > int(fence):
            return 0.0  # Hapax has measured the wait; the clock decides only if that execution died around it
        return max(0.0, min(until.ToNanoseconds() / 1e9 - time.time(), seconds))

    def _suspend(self, wait: Mapping[str, Any]) -> NoReturn:
        self.suspension = {**wait, **self.changes()}
        raise SuspendExecution()

    def _find(self, name: str) -> Any:
        if not 1 <= len(name) <= 100:
            raise FinalFailure("STEP_NAME_INVALID", f"step name must have 1 to 100 characters (was {name})")
        if name in self._used:
            raise FinalFailure("STEP_NAME_REUSED", f"step name must be unique in an execution: {name}")
        self._used.add(name)
        if name in self._recorded:
            return from_payload(self._recorded[name], "output")
        return self._send({"name": name}) if self.message.more_recorded else _ABSENT

    def _store(self, name: str, output: Any, consumed: "list[str]" = []) -> Any:
        return self._send({"name": name, "output": output or _NULL, "consumed_signal_ids": consumed})

    def _send(self, fields: Mapping[str, Any]) -> Any:
        self.claim.throw_if_revoked()
        try:
            answer = self._connection.record("WorkerService/RecordStep", {"claim": self.claim.message, **fields}).response
        except Refused as refused:
            raise FinalFailure(refused.reason, f"step {fields['name']} was not recorded: {refused}") from refused
        if answer.WhichOneof("outcome") == "claim_lost":
            self.claim.revoke(enum_name(answer.claim_lost, "reason"))
            self.claim.throw_if_revoked()
        return from_payload(answer.recorded, "output") if answer.HasField("recorded") else _ABSENT
