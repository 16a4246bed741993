"""Operations: work that runs once for each request id."""

from __future__ import annotations

import uuid
from typing import Any, Callable, Optional, TypeVar

from . import errors
from .claims import Claim, Renewals, hold, log, lost
from .connection import Connection
from .errors import HapaxError
from .protocol import enum_name
from .values import NOT_RETAINED, checked_name, duration, failure, fingerprint, from_payload, seconds, to_payload

T = TypeVar("T")
_BEGIN = "OperationService/BeginOperation"


def once(
    connection: Connection,
    operation: str,
    request_id: str,
    work: Callable[[Claim], T],
    *,
    input: Any = None,
    account: str = "",
    lease: float = 60.0,
    wait: float = 0.0,
    ttl: Optional[float] = None,
    on_stale: str = "TAKE_OVER",
    accept_corrections: bool = False,
    hold_at_most: float = 3600.0,
) -> T:
    """See Client.once."""
    request = {
        "operation": checked_name("operation", operation),
        "request_id": checked_name("request_id", request_id),
        "account": checked_name("account", account),
        "attempt_id": str(uuid.uuid4()),
        "fingerprint": fingerprint(input),
        "lease": duration(lease),
        "ttl": duration(ttl),
        "on_stale": f"ON_STALE_{on_stale}",
        "on_released_mismatch": f"ON_RELEASED_MISMATCH_{'ACCEPT' if accept_corrections else 'KEY_REUSED'}",
    }
    answer = connection.call(_BEGIN, request, wait=wait)
    if answer.response.WhichOneof("outcome") == "acquired" and wait and answer.round_trip > lease / 4:
        # the lease counts from the request, so the wait may have used it up: the same attempt gets it anew
        answer = connection.call(_BEGIN, request, wait=0.0)
    begun, outcome = answer.response, answer.response.WhichOneof("outcome")
    if outcome == "acquired":
        claim = Claim(begun.acquired.claim, answer, seconds(begun.acquired.lease_remaining), hold_at_most)
        recorder = _Recorder(connection, claim)
        renewals = Renewals(connection, "OperationService/RenewOperation", lease)
        return hold(renewals, claim, work, recorder.complete, recorder.fail, overtaken)
    if outcome == "replay":
        return _replayed(begun.replay)
    if outcome == "in_progress":
        retry_after = max(seconds(begun.in_progress.retry_after), 0.1)
        raise errors.InProgress("another call with this request id is in progress", retry_after=retry_after)
    if outcome == "key_reused":
        raise errors.KeyReused(f"request id {request_id} was used with another input; use a new one")
    if outcome == "indeterminate":
        raise errors.Indeterminate("an earlier attempt may have taken effect; an operator must resolve the operation")
    raise HapaxError(f"the outcome {outcome} is unknown to this kit; upgrade it")


class _Recorder:
    """Records the end of an operation."""

    def __init__(self, connection: Connection, claim: Claim) -> None:
        self._connection, self._claim = connection, claim

    def complete(self, value: T) -> T:
        try:
            result: Any = to_payload(value)
        except (TypeError, ValueError) as error:
            log.error("the result of claim %s is not kept: %s", self._claim.message.id, error)
            result = NOT_RETAINED
        try:
            try:
                response = self._record("Complete", result=result)
            except errors.Refused as refused:
                # the effect has happened, so the key must not be free again
                log.error("the result of claim %s was refused and is not kept: %s", self._claim.message.id, refused)
                response = self._record("Complete", result=NOT_RETAINED)
        except HapaxError as error:
            raise errors.Unrecorded(f"the work is done, but its record is not confirmed: {error}", value=value) from error
        return value if response.WhichOneof("outcome") == "completed" else overtaken(response.claim_lost)

    def fail(self, error: BaseException) -> Any:
        kind = error.kind if isinstance(error, errors.WorkFailure) else "RETRYABLE"
        return self._record("Fail", kind=f"FAILURE_KIND_{kind}", failure=failure(error))

    def _record(self, verb: str, **fields: Any) -> Any:
        return self._connection.record(f"OperationService/{verb}Operation", {"claim": self._claim.message, **fields}).response


def overtaken(claim_lost: Any) -> Any:
    """Returns the result of the holder that took over, or raises ClaimLost."""
    if not claim_lost.HasField("replay"):
        raise lost(enum_name(claim_lost, "reason"))
    return _replayed(claim_lost.replay)


def _replayed(replay: Any) -> Any:
    if replay.HasField("failure"):
        text = f"the operation failed: {replay.failure.code} {replay.failure.message}"
        raise errors.Rejected(text, failure_code=replay.failure.code)
    if replay.result.json == NOT_RETAINED["json"]:
        raise errors.NotRetained("the work is done, but its result was not kept")
    return from_payload(replay, "result")
