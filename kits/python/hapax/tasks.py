"""A task in the hands of its handler, with the durable parts of a code workflow."""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, TypeVar, Union, overload

from google.protobuf import timestamp_pb2

from .attempts import NULL, Attempts, PartOptions, time_left
from .errors import FinalFailure
from .execution import Execution, ExecutionEnd
from .hooks import Hook, HookAnswer, Hooks
from .parts import NotDone, Outcome, Retry, Scope, Use, state_patch
from .values import checked_name, from_payload, refuse_async, to_payload

T = TypeVar("T")
Item = TypeVar("Item")

_TIMED_OUT = {"@type": "hapax.dev/signal-timeout"}
_LONGEST_WAIT = 365 * 86_400.0
_MAX_DETAILS = 4096
_ABSENT = object()


class HeldTask:
    """What is known of a task when it is granted, and what needs no call."""

    def __init__(self, execution: Execution) -> None:
        message = execution.message
        self.message, self.claim = message, execution.claim
        self.step_id: str = message.step.id
        self.step_name: str = message.step.name
        self.attempt: int = message.step.attempt
        self.last_attempt: bool = message.last_attempt  # whether the run fails when this attempt does
        self.run_id: str = message.run.id
        self.fence: int = execution.claim.fence
        self.traceparent: str = message.run.traceparent  # the span that the run was started in; empty if there is none
        self._execution = execution

    @functools.cached_property
    def input(self) -> Any:
        """The input of the run."""
        return self._execution.connection.payloads.decode(self.message, "input")

    @property
    def state(self) -> Mapping[str, Any]:
        """The state of the run when the task was granted."""
        return from_payload(self.message, "state") or {}

    @functools.cached_property
    def previous_output(self) -> Any:
        """The output of the step before; None if there is none."""
        return self._execution.connection.payloads.decode(self.message.run, "output")

    def signal_output(self, name: str) -> Any:
        """The payload of the signal that ended the signal step `name` before this step; None if it had none.

        Raises ValueError if no such step is named so, or its output did not fit into the task.
        """
        found = next((each for each in self.message.signal_outputs if each.step_name == name), None)
        if found is None:
            did_not_fit = f"the output of step {name} did not fit into the task"
            raise ValueError(did_not_fit if self.message.more_signal_outputs else f"no earlier signal step is named {name}")
        return from_payload(found, "output")

    @property
    def last_details(self) -> Any:
        """What `heartbeat` last reported about this step, also in an attempt that was lost; None if there is nothing."""
        return from_payload(self.message, "last_details")

    def heartbeat(self, details: Any) -> None:
        """Reports details about the progress for the next attempt, such as the number of the last row that was done.

        They are sent with the next renewal of the lease, at a third of it, or before a failure, and only the last ones are kept. So
        it is cheap to call it often. They are dropped when the step is done. A code workflow rather records parts.

        `details` must have a JSON, or be bytes, of at most 4 KiB. Raises ClaimLost if the task is lost: then stop.
        """
        payload = to_payload(details, _MAX_DETAILS) or NULL
        self.throw_if_lost()
        self.claim.details = payload

    @property
    def attempt_remaining(self) -> Optional[float]:
        """The seconds that the attempt has left; None if its step has no timeout. At the end the task is lost."""
        left = self.claim.attempt_until - time.monotonic()
        return None if left == float("inf") else max(0.0, left)

    @property
    def is_lost(self) -> bool:
        """Whether the run was cancelled, or another worker has the step. Then stop: the result is dropped."""
        return self.claim.is_lost

    def throw_if_lost(self) -> None:
        """Raises ClaimLost if the task is lost."""
        self.claim.throw_if_lost()

    @property
    def time_left(self) -> Optional[float]:
        """In the body of a part with a timeout: the seconds that it has left. It is not interrupted. Otherwise None."""
        return time_left()

    def patch_state(self, members: Mapping[str, Any]) -> None:
        """Changes members of the run's state with the next record, wait or end; None removes one."""
        state_patch(members)  # refuses what has no JSON here
        self._execution.reports.patch(members)


class Task(HeldTask):
    """A step of a run that this worker holds, or a branch of its `map`.

    A handler with several effects, or with waits, is a code workflow. It runs again from its beginning after every wait
    and failure, and continues where it stopped, because what it records is not done again.

    A name that occurs again is counted: `pay`, `pay#2`. A name has no `/` and does not end in `#` and digits. What runs at the
    same time needs different names, or `map`.

    `record` may be called on several threads. When the handler returns, raises or waits, the worker first lets the bodies end
    that are running, and records them.
    """

    def __init__(self, execution: Execution, prefix: str = "") -> None:
        super().__init__(execution)
        self._scope = Scope(prefix)
        self._signals = list(self.message.signals)

    def set_state(self, members: Mapping[str, Any]) -> None:
        """Changes members of the run's state at once; None removes one. It is a part `state`: it is sent once."""
        with self._use("state") as use:
            self._set_state(use, members)

    def _set_state(self, use: Use, members: Mapping[str, Any]) -> None:
        if self._find(use) is _ABSENT:
            self._execution.require_fit(self._scope.prefix, use.name)
            self._execution.reports.send(use, {"output": NULL}, patch=members)
        else:
            self._execution.reports.forget(members)

    def record(
        self,
        name: str,
        body: Callable[[str], T],
        *,
        retry: Optional[Retry] = None,
        timeout: Optional[float] = None,
        at_most_once: bool = False,
        verify: Optional[Callable[[str], Union[T, NotDone]]] = None,
    ) -> T:
        """Returns what `body` returned when it ran first. In later executions it does not run.

        `body` gets the id of this part, the same each time: hand it to what it calls as its idempotency key. The result must
        have a JSON, or be bytes, of at most 256 KiB. After the end of the handler it raises RuntimeError.

        A body that raises is retried by `retry`, or as the definition says: 8 times. A long pause holds no worker. A FinalFailure is
        not retried. Then it raises PartFailed. A body that takes longer than `timeout` seconds counts as failed; it is not
        interrupted, see `time_left`.

        `at_most_once` records that the body begins. If the worker dies then, `verify` gets the id, and returns the result of
        the body, or NOT_DONE. Without `verify` the run fails with UNKNOWN_EFFECT, and an operator settles it.
        """
        refuse_async(f"the body of {name}", body)
        if verify is not None:
            refuse_async(f"verify of {name}", verify)
        options = PartOptions(retry, timeout, at_most_once, verify)
        with self._use(name) as use:
            return self._record(use, body, options)

    def _record(self, use: Use, body: Callable[[str], T], options: PartOptions[T]) -> T:
        recorded: Any = self._find(use)
        if recorded is _ABSENT:
            recorded = Attempts(self._execution, self._scope, use, body, options).run()
        return recorded

    @overload
    def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], T]",
        *,
        key: Callable[[Item], str],
        concurrency: int = ...,
        settled: Literal[False] = ...,
    ) -> List[T]:
        ...

    @overload
    def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], T]",
        *,
        key: Callable[[Item], str],
        concurrency: int = ...,
        settled: Literal[True],
    ) -> List[Outcome[T]]:
        ...

    def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], T]",
        *,
        key: Callable[[Item], str],
        concurrency: int = 10,
        settled: bool = False,
    ) -> Any:
        """Runs `work` for each item, on up to `concurrency` threads, and returns the results in the order of the items.

        `work` gets a task for its branch, whose parts are named after `key(item)`, such as `item/4711/price`. A key occurs once
        and has no `/`. After a failure no other branch begins, and the first failure in the order of the items is raised. With
        `settled` all branches run, and each has an Outcome. A branch cannot wait by `suspend` or `await_signal`.
        """
        refuse_async(f"the work of {name}", work)
        with self._use(name) as use:
            return self._map(use, name, items, work, key, concurrency, settled)

    def _map(
        self,
        use: Use,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], T]",
        key: Callable[[Item], str],
        concurrency: int,
        settled: bool,
    ) -> Any:
        keyed = [(self._checked_key(name, key(item)), item) for item in items]
        if len({each for each, _ in keyed}) < len(keyed):
            raise FinalFailure("MAP_KEY_INVALID", f"the keys of map {name} must differ")
        branches = [(type(self)(self._execution, f"{use.name}/{each}/"), item) for each, item in keyed]
        outcomes = _run_branches(self._execution, branches, work, concurrency, settled)
        failed = next((each.error for each in outcomes if each.error is not None), None)
        if failed is not None and not settled:
            raise failed
        values: List[Any] = [each.value for each in outcomes]
        return outcomes if settled else values

    @staticmethod
    def _checked_key(name: str, key: str) -> str:
        try:
            if key and "/" not in key:
                return checked_name("a key", key)
        except ValueError:
            pass
        raise FinalFailure("MAP_KEY_INVALID", f"a key of map {name} must be a name, not empty and without / (was {key})")

    def patched(self, name: str) -> bool:
        """Whether to run code that was added here: not in runs whose former code has passed this place."""
        with self._execution.part(), self._scope.lock:
            if name not in self._scope.patches:
                self._scope.full_name(name)
                use = Use(f"{self._scope.prefix}patched/{name}", True)
                self._execution.records.ask(use.name)
                is_new = self._find(use) is _ABSENT
                is_on = not is_new or not self._execution.records.left_over(self._scope.prefix)
                if is_new and is_on:
                    self._execution.reports.send(use, {"output": {"json": "true"}})
                self._scope.patches[name] = is_on
            return self._scope.patches[name]

    def suspend(self, name: str, seconds: float) -> None:
        """Waits so many seconds, at most 365 days, without a worker. Hapax measures the time, exact to about a second."""
        with self._use(name, is_wait=True) as use:
            self._suspend(use, seconds)

    def _suspend(self, use: Use, seconds: float) -> None:
        left = self._left(use, self._find(use, is_wait=True), seconds)
        if left > 0:
            self._execution.suspend(left)

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
        with self._use(name, is_wait=True) as use:
            return self._await_signal(use, awaited(name, type, hook_name), timeout, default)

    def _await_signal(self, use: Use, awaited: Mapping[str, str], timeout: Optional[float], default: Any) -> Any:
        deadline = Use(f"{use.name}.deadline", use.is_overlapped)
        self._execution.records.ask(deadline.name)
        value = self._find(use, is_wait=True)
        if value is _ABSENT:
            self._execution.require_fit(self._scope.prefix, use.name)
            value = self._receive(use, awaited)
        if value is _ABSENT:
            if timeout is None:
                self._execution.suspend(float("inf"), awaited)
            left = self._left(deadline, self._find(deadline, is_wait=True), timeout)
            if left > 0:
                self._execution.suspend(left, awaited)
            value = self._store(use, to_payload(_TIMED_OUT))
        return default if value == _TIMED_OUT else value

    def create_hook(self, hook: Hook) -> HookAnswer:
        """Asks for a token for the run. The answer is committed; the same request on a later attempt succeeds again."""
        return Hooks(self._execution.connection).create(self.run_id, hook, self.claim.message)

    @contextmanager
    def _use(self, name: str, is_wait: bool = False) -> Iterator[Use]:
        """A durable call with this name, while it is in flight."""
        if is_wait and self._scope.prefix:
            text = f"{name} waits in a branch of a map, which is not possible; wait before the map or after it"
            raise FinalFailure("WAIT_IN_BRANCH", text)
        with self._execution.part():
            use = self._scope.enter(name)
            self._execution.records.ask(use.name)
            try:
                yield use
            finally:
                self._scope.leave(use)

    def _find(self, use: Use, is_wait: bool = False) -> Any:
        """The recorded value."""
        found = self._execution.records.find(use.name)
        if found is None:
            return _ABSENT
        use.is_overlapped |= found.overlapped
        if found.is_wait != is_wait:
            kinds = ("is a wait", "is no wait")
            text = f"the recorded step {use.name} {kinds[is_wait]}, but the code asks for the other; keep step names stable"
            raise FinalFailure("STEP_CHANGED", text)
        return self._execution.connection.payloads.decode(found, "output")

    def _store(self, use: Use, output: Any, consumed: Sequence[str] = ()) -> Any:
        """Records the end of a wait."""
        part = {"output": output or NULL, "consumed_signal_ids": consumed, "is_wait": True}
        (result,) = self._execution.reports.send(use, part)
        return from_payload(result.recorded, "output")

    def _receive(self, use: Use, awaited: Mapping[str, str]) -> Any:
        for signal in self._signals:
            if all(text in ("", getattr(signal, field)) for field, text in awaited.items()):
                self._signals.remove(signal)
                return self._store(use, to_payload(from_payload(signal, "payload")), [signal.signal_id])
        return _ABSENT

    def _left(self, use: Use, recorded: Any, seconds: float) -> float:
        """The seconds that are left of a wait, whose end is recorded first."""
        if seconds > _LONGEST_WAIT:
            raise FinalFailure("WAIT_TOO_LONG", f"{use.name} must wait at most 365 days (was {seconds} s)")
        if recorded is _ABSENT:
            self._execution.require_fit(self._scope.prefix, use.name)
            until = timestamp_pb2.Timestamp()
            until.FromNanoseconds(int((self._execution.now() + seconds) * 1e9))
            # another part may end this execution before the wait does: no attempt has the number 0
            attempt = 0 if use.is_overlapped else self.attempt
            self._store(use, to_payload(f"{until.ToJsonString()} {attempt} {self.fence}"))
            return max(0.0, seconds)  # all of it, however long the record took
        try:
            text, attempt, fence = recorded.split(" ")
            until = timestamp_pb2.Timestamp()
            until.FromJsonString(text)
        except (AttributeError, ValueError):
            raise FinalFailure("STEP_CHANGED", f"the recorded step {use.name} is not a wait; keep step names stable") from None
        if self.attempt == int(attempt) and self.fence > int(fence):
            return 0.0  # Hapax has measured the wait; the clock decides only if that execution died around it
        return max(0.0, min(until.ToNanoseconds() / 1e9 - self._execution.now(), seconds))


def awaited(name: str, type: Optional[str], hook_name: Optional[str]) -> Mapping[str, str]:
    """The filter of the signals that `await_signal` waits for."""
    return {"hook_name": hook_name or "", "type": type or ("" if hook_name else name)}


def _run_branches(
    execution: Execution,
    branches: "Sequence[tuple[Task, Item]]",
    work: "Callable[[Task, Item], T]",
    concurrency: int,
    settled: bool,
) -> "List[Outcome[T]]":
    """Runs the branches; returns the outcomes of those that began, in their order."""
    outcomes: Dict[int, Outcome[T]] = {}
    numbers = iter(range(len(branches)))
    lock = threading.Lock()

    def is_over() -> bool:
        errors = [each.error for each in outcomes.values() if each.error is not None]
        return any(not settled or not isinstance(each, Exception) for each in errors) or execution.claim.is_revoked

    def run() -> None:
        while True:
            with lock:
                number = None if is_over() else next(numbers, None)
            if number is None:
                return
            try:
                outcome = Outcome(work(*branches[number]))
            except BaseException as error:
                outcome = Outcome(error=error)
            with lock:
                outcomes[number] = outcome

    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(run,), name="hapax-branch", daemon=True)
        for _ in range(min(max(1, concurrency), len(branches)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in outcomes.values():
        if isinstance(each.error, ExecutionEnd):
            raise each.error
    execution.claim.throw_if_revoked()
    return [outcomes[number] for number in sorted(outcomes)]
