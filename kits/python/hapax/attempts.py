"""The attempts of a part that has no output yet."""

from __future__ import annotations

import contextvars
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Mapping, NoReturn, Optional, TypeVar, Union

from .errors import ClaimLost, PartFailed, UnknownEffect
from .execution import Execution
from .parts import NOT_DONE, NotDone, Retry, Scope, Use, storable
from .protocol import enum_name
from .values import duration, failed_attempt, failure, seconds, stack

T = TypeVar("T")
NULL = {"json": "null"}
_UNKNOWN_STATE_RELEASE = 5.0
_LONGEST_ELAPSED = 86_400.0
_BEGIN: Mapping[str, Any] = {"begin": {}}

# the bodies that went on after their timeout, by the ids of their parts
_abandoned: Dict[str, threading.Thread] = {}
# the end of the timeout of the body that runs in this context, by time.monotonic()
_deadline: "contextvars.ContextVar[Optional[float]]" = contextvars.ContextVar("hapax_deadline", default=None)


def time_left() -> Optional[float]:
    deadline = _deadline.get()
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class PartTimeout(Exception):
    """The body of a part has not ended in time, and goes on."""


@dataclass(frozen=True)
class PartOptions(Generic[T]):
    retry: Optional[Retry]
    timeout: Optional[float]
    at_most_once: bool
    verify: Optional[Callable[[str], Union[T, NotDone]]]


class Attempts(Generic[T]):
    """Runs the body of a part until it has an output, or fails for good."""

    def __init__(self, execution: Execution, scope: Scope, use: Use, body: Callable[[str], T], options: PartOptions[T]) -> None:
        self._execution, self._scope, self._use, self._body, self._options = execution, scope, use, body, options
        self._id = f"{execution.message.step.id}/{use.name}"
        self._number = 1
        self._is_begun = False

    def run(self) -> Any:
        """Returns the output of the part."""
        is_in_doubt = self._is_in_doubt()
        self._execution.require_fit(self._scope.prefix, self._use.name)
        self._await_former_body()
        result = self._resolve() if is_in_doubt else self._begin()
        while True:
            if result.HasField("recorded"):
                return self._execution.connection.payloads.decode(result.recorded, "output")
            if result.HasField("failed"):
                self._await_retry(result.failed)
                self._await_former_body()
                result = self._begin()
            elif result.begun.in_doubt:
                result = self._resolve()
            else:
                self._is_begun = True
                result = self._run_body()

    def _is_in_doubt(self) -> bool:
        """Continues where an earlier execution stopped."""
        opened = self._execution.records.open_parts.get(self._use.name)
        if opened is None:
            return False
        state = enum_name(opened, "state")
        if state == "FAILED":
            raise PartFailed(self._use.name, opened.failure.code, opened.failure.message, opened.attempts)
        if state == "BEGUN":
            self._number, self._is_begun = max(1, opened.attempts), True
            return True
        if state != "RETRY":
            self._execution.end_with("ReleaseTask", delay=duration(_UNKNOWN_STATE_RELEASE))
        self._number = opened.attempts + 1
        pause = seconds(opened.due_at) - self._execution.now()
        if pause > 0:
            self._execution.suspend(pause)
        return False

    def _await_former_body(self) -> None:
        former = _abandoned.get(self._id)
        while former is not None and former.is_alive():
            former.join(0.05)
            self._execution.claim.throw_if_lost()

    def _await_retry(self, failed: Any) -> None:
        if not failed.HasField("retry_at"):
            raise PartFailed(self._use.name, failed.failure.code, failed.failure.message, failed.attempts)
        self._number, self._is_begun = failed.attempts + 1, False
        pause = seconds(failed.retry_in)
        if not failed.hold:
            self._execution.suspend(pause)
        self._execution.hold(pause)

    def _begin(self) -> Any:
        if not self._options.at_most_once:
            return self._run_body()
        (result,) = self._send(_BEGIN)
        return result

    def _send(self, *parts: Mapping[str, Any]) -> Any:
        return self._execution.reports.send(self._use, *parts)

    def _run_body(self) -> Any:
        began = time.monotonic()
        try:
            output = self._call()
        except PartTimeout as error:
            failed = {"code": "PART_TIMEOUT", "message": str(error)}
            if self._is_begun:
                self._end_failed("FAILURE_KIND_RETRYABLE", failed)
            return self._fail({"kind": "FAILURE_KIND_RETRYABLE", "failure": failed})
        except UnknownEffect as error:
            self._end_failed("FAILURE_KIND_UNKNOWN_EFFECT", failure(error))
        except Exception as error:
            if isinstance(error, ClaimLost) and self._execution.claim.is_lost:
                raise
            attempt = failed_attempt(error)
            return self._fail({**attempt, "failure": {**attempt["failure"], "stack": stack(error)}})
        elapsed = min(time.monotonic() - began, _LONGEST_ELAPSED)
        payload = self._payload(output)
        (result,) = self._send({"output": payload, "elapsed": duration(elapsed)})
        return result

    def _call(self) -> T:
        timeout = self._options.timeout
        if timeout is None:
            return self._body(self._id)
        deadline = time.monotonic() + timeout
        ended: Dict[str, Any] = {}

        def run() -> None:
            _deadline.set(deadline)
            try:
                ended["value"] = self._body(self._id)
            except BaseException as error:
                ended["error"] = error
            finally:
                _abandoned.pop(self._id, None)

        thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name=f"hapax-{self._use.name}", daemon=True)
        _abandoned[self._id] = thread
        thread.start()
        thread.join(timeout)
        if "error" in ended:
            raise ended["error"]
        if "value" not in ended:
            raise PartTimeout(f"the body of {self._use.name} has not ended within {timeout} s")
        return ended["value"]

    def _payload(self, output: Any) -> Any:
        return storable(f"the result of {self._use.name}", output, self._execution.connection.payloads.encode) or NULL

    def _fail(self, fields: Mapping[str, Any]) -> Any:
        retry = None if self._options.retry is None else self._options.retry.fields()
        (result,) = self._send({"failure": {"attempt": self._number, "retry": retry, **fields}})
        return result

    def _resolve(self) -> Any:
        """Finds out whether the effect of a body that another grant began has happened."""
        if self._options.verify is None:
            text = "another worker began this part, and it is unknown whether it took effect"
            self._is_begun = True
            self._end_failed("FAILURE_KIND_UNKNOWN_EFFECT", {"code": "UNKNOWN_EFFECT", "message": text})
        try:
            found = self._options.verify(self._id)
        except Exception as error:
            if isinstance(error, ClaimLost) and self._execution.claim.is_lost:
                raise
            attempt = failed_attempt(error)
            self._is_begun = True
            self._end_failed(attempt["kind"], attempt["failure"])
        if found is not NOT_DONE:
            (result,) = self._send({"output": self._payload(found)})
            return result
        retry = None if self._options.retry is None else self._options.retry.fields()
        none = {"code": "NOT_DONE", "message": "verify found no effect"}
        failed, result = self._send({"failure": {"attempt": self._number, "failure": none, "retry": retry}}, _BEGIN)
        if failed.HasField("failed"):
            if not failed.failed.HasField("retry_at"):
                return failed
            self._number = failed.failed.attempts + 1
        return result

    def _end_failed(self, kind: str, failed: Mapping[str, Any]) -> NoReturn:
        """Ends the execution, while the part stays begun."""
        parts = [] if self._is_begun else [{"name": self._use.name, **_BEGIN}]
        fields = {"kind": kind, "failure": {**failed, "part": self._use.name}, "parts": parts}
        self._execution.end_with("FailTask", **fields)
