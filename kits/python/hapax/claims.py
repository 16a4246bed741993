"""Claims and their leases, which are renewed while the work runs."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, TypeVar

from .connection import Answer, Connection
from .errors import ClaimLost, HapaxError, NotCommitted, NotRetained, Refused, Rejected, Unrecorded
from .payloads import Payloads
from .protocol import enum_name, message
from .values import NOT_RETAINED, duration, refuse_coroutine, seconds

T = TypeVar("T")
log = logging.getLogger("hapax")
_MAX_CLAIMS = 500
_MAX_DETAILS_OF_CALL = 524_288
_TAKEN_KEPT = 10_000


class TakenClaims:
    """The last claims that this process was given: one that comes again is in work or finished, and is ignored."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: Dict[str, None] = {}

    def add(self, claim_id: str) -> bool:
        """Returns False for a claim that was added before."""
        with self._lock:
            if claim_id in self._ids:
                log.warning("claim %s is ignored, it was received before", claim_id)
                return False
            self._ids[claim_id] = None
            if len(self._ids) > _TAKEN_KEPT:
                del self._ids[next(iter(self._ids))]
            return True


class Claim:
    """The right to finish one piece of work, with a lease that is renewed until the work is recorded.

    `fence` only rises for one resource: hand it to what the work writes to, and refuse lower ones there. `lost` is an event.
    """

    def __init__(
        self, claim: Any, answer: Answer, remaining: float, hold_at_most: float = float("inf"), attempt: Optional[float] = None
    ) -> None:
        """`remaining` and `attempt` are the seconds of the lease and of the attempt, from when the request was sent."""
        self.message = claim
        self.fence: int = claim.fence
        self.lost = threading.Event()
        self.lost_reason = ""
        self.is_revoked = False
        self.on_loss: List[Callable[[], None]] = []  # called when the claim is lost, on any thread
        self.renewals: Optional[Renewals] = None
        self.in_sql: Any = None  # a tuple with the value that a transaction completed the work with
        self.changed = threading.Condition()  # of the next one, and of is_revoked
        self.details: Optional[Mapping[str, Any]] = None  # for the next attempt of a task, until they are stored
        self.parts = 0  # durable calls of a task that are in progress, on any thread
        granted = answer.sent_at + answer.round_trip
        self.length = max(0.001, remaining - answer.round_trip)
        self.safe_until = granted + self.length * 0.9
        self.due_at = granted + self.length / 3
        self._longest = self.length
        self.attempt_until = float("inf")
        self._cut(answer.sent_at, remaining, attempt)
        self._renew_until = granted + hold_at_most

    def _cut(self, sent_at: float, remaining: float, attempt: Optional[float]) -> None:
        """No renewal leads beyond the end of the attempt, so the lease needs no margin there."""
        if attempt is None:
            return
        self.attempt_until = sent_at + attempt
        if attempt <= remaining:
            self.safe_until, self.due_at = self.attempt_until, time.monotonic() + self._longest / 3

    @staticmethod
    def untracked() -> "Claim":
        """Returns a stand-in for work that Hapax does not track."""
        return Claim(message("hapax.v1.Claim")(), Answer(None, 0.0, 0.0), float("inf"))

    @property
    def is_lost(self) -> bool:
        """Whether another holder may have the work by now; then stop it. Once true, it stays true."""
        if time.monotonic() >= self.safe_until:
            self._lose("LEASE_LOST")
        return self.lost.is_set()

    def throw_if_lost(self) -> None:
        """Raises ClaimLost if the claim is lost."""
        if self.is_lost:
            raise lost(self.lost_reason)

    def throw_if_revoked(self) -> None:
        """Raises ClaimLost if Hapax has reported the loss."""
        if self.is_revoked:
            raise lost(self.lost_reason)

    def revoke(self, reason: str) -> None:
        """Marks the claim as lost, because Hapax said so: what the holder sends would not be recorded."""
        with self.changed:
            self.is_revoked = True
            self._lose(reason)
            self.changed.notify_all()

    def _lose(self, reason: str) -> None:
        if not self.lost.is_set():
            self.lost_reason = reason
            self.lost.set()
            log.warning("claim %s is lost: %s", self.message.id, reason)
            for each in list(self.on_loss):
                each()

    def next_event(self) -> float:
        """When to renew, or when the lease ends, by time.monotonic()."""
        is_kept = not self.is_revoked and self.due_at < self._renew_until
        return min(self.due_at if is_kept else float("inf"), float("inf") if self.lost.is_set() else self.safe_until)

    def is_due(self, now: float) -> bool:
        """Whether to renew now. A renewal that is nearly due joins the others."""
        return not self.is_revoked and now < self._renew_until and now >= self.due_at - self.length / 6

    def renewed(self, result: Any, sent_at: float) -> None:
        """Applies the result of a renewal; None if it failed."""
        now = time.monotonic()
        outcome = None if result is None else result.WhichOneof("outcome")
        if outcome == "renewed":
            renewed = result.renewed
            self.length = max(0.001, seconds(renewed.lease_remaining))
            self._longest = max(self._longest, self.length)
            self.safe_until = sent_at + self.length - max(self.length / 10, 2 * (now - sent_at))
            self.due_at = sent_at + self.length / 3
            attempt = seconds(renewed.attempt_remaining) if renewed.HasField("attempt_remaining") else None
            self._cut(sent_at, self.length, attempt)
        elif outcome == "claim_lost":
            self.revoke(enum_name(result.claim_lost, "reason"))
        else:
            self.due_at = now + min(self.length / 12, 2.0)


def lost(reason: str) -> ClaimLost:
    return ClaimLost(f"the claim is lost ({reason}): the work was not recorded", reason=reason)


class Renewals:
    """Renews claims at a third of their lease, on a thread that lives while there are some."""

    def __init__(self, connection: Connection, method: str, lease: Optional[float] = None) -> None:
        """`method` renews one claim, or is HeartbeatTasks, which renews all that are due."""
        self._connection, self._lease = connection, lease
        self.method, self._is_batch = method, method.endswith("HeartbeatTasks")
        self._claims: Set[Claim] = set()
        self._changed = threading.Condition()
        self._thread: Optional[threading.Thread] = None

    def keep(self, claim: Claim) -> None:
        claim.renewals = self
        with self._changed:
            self._claims.add(claim)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hapax-renewals", daemon=True)
                self._thread.start()
            self._changed.notify()

    def report(self, claim: Claim) -> None:
        """Renews the claim now if it has details that are not stored."""
        if claim.details is not None:
            self._renew([claim])

    def release(self, claim: Claim) -> None:
        """Renews the claim no longer. A renewal that is on its way still counts."""
        with self._changed:
            self._claims.discard(claim)
            self._changed.notify()

    def renew_last(self, claim: Claim) -> None:
        """As release, for a claim whose record is about to be locked, as a renewal would wait for that lock.

        Renews before, if less than half of the lease remains.
        """
        self.release(claim)
        if not claim.is_revoked and claim.safe_until - time.monotonic() < claim.length / 2:
            self._renew([claim])

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._claims:
                    self._thread = None
                    return
                now = time.monotonic()
                for claim in self._claims:
                    claim.is_lost  # compares with the clock; a late holder is still renewed
                due = self._most_urgent([claim for claim in self._claims if claim.is_due(now)])
                if not due:
                    soonest = min(claim.next_event() for claim in self._claims)
                    self._changed.wait(max(0.005, min(soonest - now, 3600.0)))
                for claim in due:
                    claim.due_at = float("inf")  # until the answer, while others are renewed
            if due:
                threading.Thread(target=self._renew, args=(due,), name="hapax-renewal", daemon=True).start()

    @staticmethod
    def _most_urgent(due: Sequence[Claim]) -> Sequence[Claim]:
        """The next call is for leases of about the same length, as its deadline is a third of the shortest."""
        shortest = min((claim.length for claim in due), default=0.0)
        return [claim for claim in due if claim.length <= 4 * shortest][:_MAX_CLAIMS]

    def _renew(self, due: Sequence[Claim]) -> None:
        fields: Mapping[str, Any] = {"claims": [claim.message for claim in due]}
        details = _details(due)
        if any(details):
            fields = {**fields, "details": [each or {} for each in details]}
        if not self._is_batch:
            fields = {"claim": due[0].message, "lease": duration(self._lease)}
        timeout = max(0.02, min(5.0, *(claim.length / 3 for claim in due)))
        sent_at = time.monotonic()
        try:
            response = self._connection.try_once(self.method, fields, timeout).response
            results = list(response.results) if self._is_batch else [response]
        except HapaxError as error:
            log.debug("a renewal failed, will retry: %s", error)
            results = [None] * len(due)
        with self._changed:
            for claim, result, sent in zip(due, results, details):
                claim.renewed(result, sent_at)
                if sent is not None and sent is claim.details and result is not None and result.HasField("renewed"):
                    claim.details = None
            self._changed.notify()


def _details(due: Sequence[Claim]) -> List[Optional[Mapping[str, Any]]]:
    """The details to send; what is too much for a request goes with a later one."""
    details, size = [], 0
    for claim in due:
        unsent = claim.details
        size += len(next(iter(unsent.values()))) if unsent else 0
        details.append(unsent if size <= _MAX_DETAILS_OF_CALL else None)
    return details


class WorkKind(NamedTuple):
    """How the end of a kind of work is recorded."""

    rpc: str  # with a place for the verb
    result: str  # the field of a completion
    unkept: Optional[Mapping[str, Any]]  # stands for a result that cannot be kept
    is_replayed: bool  # whether a late holder gets the result of the one that took over
    failed: Callable[[BaseException], Mapping[str, Any]]  # the fields of a failure


class Holder:
    """Runs the work of a claim, which is renewed until its end is recorded."""

    def __init__(self, connection: Connection, kind: WorkKind, claim: Claim, lease: Optional[float]) -> None:
        self._connection, self._kind, self._claim = connection, kind, claim
        self._renewals = Renewals(connection, kind.rpc.format("Renew"), lease)

    def run(self, work: Callable[[Claim], T]) -> T:
        self._renewals.keep(self._claim)
        try:
            try:
                value = work(self._claim)
                refuse_coroutine(value)
                if self._claim.in_sql is not None:
                    # only a failure finds out whether the transaction was committed; a completion would hide a rollback
                    raise NotCommitted("the work was completed in a transaction that was not committed")
            except BaseException as error:
                return self._fail(error)
            return self._complete(value)
        finally:
            self._renewals.release(self._claim)

    def _fail(self, error: BaseException) -> Any:
        try:
            response = self._record("Fail", self._kind.failed(error))
        except HapaxError as unrecorded:
            log.error("the failure of claim %s is not recorded: %s", self._claim.message.id, unrecorded)
            raise error from unrecorded
        if response.WhichOneof("outcome") == "failed":
            raise error
        if self._claim.in_sql is not None and enum_name(response.claim_lost, "reason") == "ENDED":
            return self._claim.in_sql[0]  # the transaction was committed
        return self._overtaken(response.claim_lost, error)

    def _complete(self, value: Any) -> Any:
        if not self._kind.is_replayed:
            self._claim.throw_if_revoked()
        try:
            result = self._connection.payloads.encode(value)
        except Exception as error:
            log.error("the result of claim %s is not kept: %s", self._claim.message.id, error)
            result = self._kind.unkept
        try:
            try:
                response = self._record("Complete", {self._kind.result: result})
            except Refused as refused:
                # the effect has happened, so the key must not be free again
                log.error("the result of claim %s was refused and is not kept: %s", self._claim.message.id, refused)
                response = self._record("Complete", {self._kind.result: self._kind.unkept})
        except HapaxError as error:
            self._claim.throw_if_revoked()
            raise Unrecorded(f"the work is done, but its record is not confirmed: {error}", value=value) from error
        return self._overtaken(response.claim_lost) if response.WhichOneof("outcome") == "claim_lost" else value

    def _record(self, verb: str, fields: Mapping[str, Any]) -> Any:
        return self._connection.record(self._kind.rpc.format(verb), {"claim": self._claim.message, **fields}).response

    def _overtaken(self, claim_lost: Any, cause: Optional[BaseException] = None) -> Any:
        """Returns the result of the holder that took over, or raises ClaimLost."""
        if not claim_lost.HasField("replay"):
            raise lost(enum_name(claim_lost, "reason")) from cause
        return replayed(claim_lost.replay, self._connection.payloads)


def replayed(replay: Any, payloads: Payloads) -> Any:
    """Returns the result of an earlier call, or raises its failure."""
    if replay.HasField("failure"):
        text = f"the operation failed: {replay.failure.code} {replay.failure.message}"
        raise Rejected(text, failure_code=replay.failure.code)
    if replay.result.json == NOT_RETAINED["json"]:
        raise NotRetained("the work is done, but its result was not kept")
    return payloads.decode(replay, "result")
