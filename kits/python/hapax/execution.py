"""One execution of the handler of a task: what it shares with the branches of its maps, and how it ends."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping, NoReturn, Optional, Tuple

from .claims import Claim
from .connection import Connection
from .parts import Records, Reports
from .values import duration, seconds

_SHORTEST_WAIT = 0.001


class ExecutionEnd(BaseException):
    """Ends an execution that waits, or that this package has ended. It is not for handlers: do not catch it."""


class Execution:
    """A run of the handler. `end_with` and `suspend` decide its end, whatever the handler makes of their exception."""

    def __init__(self, message: Any, claim: Claim, connection: Connection, changed: "Callable[[Execution, str], None]") -> None:
        """`changed` decides what happens if the code does not fit the records; it gets the reason."""
        self.message, self.claim, self.connection = message, claim, connection
        self.records, self.reports = Records(message, claim, connection), Reports(claim, connection)
        self._changed = changed
        self._rpc = ""  # that ends the task
        self._fields: Mapping[str, Any] = {}
        self._due = float("inf")  # of the suspension, by time.monotonic()
        self._has_ended = False
        # by the clock of the server, which may be one of tests
        lease_until = message.step.lease_until
        granted_at = seconds(lease_until) - claim.length if message.step.HasField("lease_until") else time.time()
        self._clock = granted_at - time.monotonic()

    def now(self) -> float:
        """The time in seconds since 1970."""
        return self._clock + time.monotonic()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Counts a durable call, which must end before the execution does."""
        with self.claim.changed:
            if self._rpc:
                raise ExecutionEnd()
            if self._has_ended:
                raise self._late()
            self.claim.parts += 1
        try:
            yield
        finally:
            with self.claim.changed:
                self.claim.parts -= 1
                self.claim.changed.notify_all()

    def _late(self) -> Exception:
        name = self.message.step.name
        return RuntimeError(f"the handler of step {name} has ended; join its threads before it returns")

    def suspend(self, seconds: float, signal_filter: Optional[Mapping[str, str]] = None) -> NoReturn:
        """Suspends the task, for the shortest time that is asked for."""
        with self.claim.changed:
            self._due = min(self._due, time.monotonic() + seconds)
            if not self._rpc:
                self._rpc = "SuspendTask"
            if signal_filter is not None and not self._fields:
                self._fields = {"signal_filter": signal_filter}
            self.claim.changed.notify_all()
        raise ExecutionEnd()

    def end_with(self, rpc: str, **fields: Any) -> NoReturn:
        with self.claim.changed:
            if self._rpc in ("", "SuspendTask"):
                self._rpc, self._fields = rpc, fields
            self.claim.changed.notify_all()
        raise ExecutionEnd()

    def hold(self, seconds: float) -> None:
        """Waits in place, unless the claim is lost or the execution ends meanwhile."""
        due = time.monotonic() + seconds
        with self.claim.changed:
            self.claim.changed.wait_for(lambda: self.claim.is_revoked or self._rpc or self._has_ended, seconds)
        self.claim.throw_if_lost()
        if self._rpc:
            self.suspend(max(0.0, due - time.monotonic()))
        if self._has_ended:
            raise self._late()

    def end(self) -> Optional[Tuple[str, Mapping[str, Any]]]:
        """Refuses further durable calls, and waits for those in progress unless Hapax reports the loss of the task.

        Otherwise a body that is running could not be recorded, and would run again. Returns the call that must end the task.
        """
        with self.claim.changed:
            self._has_ended = True
            self.claim.changed.wait_for(lambda: self.claim.parts == 0 or self.claim.is_revoked)
        if self._rpc != "SuspendTask":
            return (self._rpc, self._fields) if self._rpc else None
        left = max(_SHORTEST_WAIT, self._due - time.monotonic())
        time_left = {} if left == float("inf") else {"duration": duration(left)}
        return self._rpc, {**self._fields, **time_left, **self.reports.changes()}

    def require_fit(self, prefix: str, name: str) -> None:
        """Ends the execution if the code of a scope does not fit its records; `name` is that of the part that is about to run."""
        left = [f"`{each}`" for each in self.records.left_over(prefix)[:10]]
        if left:
            self._changed(self, f"records {', '.join(left)} {'is' if len(left) == 1 else 'are'} not asked for before `{name}`")
