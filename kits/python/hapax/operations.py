"""Operations: work that runs once for each request id."""

from __future__ import annotations

import uuid
from typing import Any, Callable, Literal, Mapping, Optional, TypedDict, TypeVar

from . import errors
from .claims import Claim, Holder, WorkKind, replayed
from .connection import Connection
from .errors import HapaxError
from .values import NOT_RETAINED, checked_name, duration, failure, fingerprint, seconds

T = TypeVar("T")
_BEGIN = "OperationService/BeginOperation"


class OnceOptions(TypedDict, total=False):
    """The options of `Client.once`."""

    input: Any
    account: str
    lease: float
    wait: float
    ttl: Optional[float]
    on_stale: Literal["TAKE_OVER", "HOLD"]
    accept_corrections: bool
    hold_at_most: float


def _failed(error: BaseException) -> Mapping[str, Any]:
    kind = error.kind if isinstance(error, errors.WorkFailure) else "RETRYABLE"
    return {"kind": f"FAILURE_KIND_{kind}", "failure": failure(error)}


_OPERATION = WorkKind("OperationService/{}Operation", "result", NOT_RETAINED, True, _failed)


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
        return Holder(connection, _OPERATION, claim, lease).run(work)
    if outcome == "replay":
        return replayed(begun.replay, connection.payloads)
    if outcome == "in_progress":
        retry_after = max(seconds(begun.in_progress.retry_after), 0.1)
        raise errors.InProgress("another call with this request id is in progress", retry_after=retry_after)
    if outcome == "key_reused":
        raise errors.KeyReused(f"request id {request_id} was used with another input; use a new one")
    if outcome == "indeterminate":
        raise errors.Indeterminate("an earlier attempt may have taken effect; an operator must resolve the operation")
    raise HapaxError(f"the outcome {outcome} is unknown to this kit; upgrade it")
