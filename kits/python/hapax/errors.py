"""The errors of calls, the outcomes without a result, and the failures that work may raise."""

from __future__ import annotations

import random
from typing import Any, Mapping, Optional

import grpc

from .protocol import message


class HapaxError(Exception):
    """The root of all errors of this package.

    `code` is the gRPC status and `reason` the name of an ErrorReason; both are empty if the error is not the answer to a call.
    `metadata` belongs to the reason, such as `run_id`.
    """

    code: str = ""
    reason: str = ""
    metadata: Mapping[str, str] = {}

    def __init__(self, text: str = "", **facts: Any) -> None:
        """`facts` are the attributes of the kind of error."""
        super().__init__(text)
        self.__dict__.update(facts)


class Unavailable(HapaxError):
    """Hapax was unreachable for too long. The call may have taken effect; the same call with the same key is safe to repeat."""


class Refused(HapaxError):
    """Hapax rejected the call and changed nothing; the same call would be rejected again."""


class Unauthenticated(HapaxError):
    """Hapax did not accept the API key: it is missing, unknown, expired or revoked."""


class PermissionDenied(HapaxError):
    """Hapax knows the caller, which has no role for this call in this workspace."""


class UnknownAnswer(HapaxError):
    """Hapax is newer than this package, and answered what it does not know. The call may have taken effect. Upgrade the package."""


class InProgress(HapaxError):
    """Another call with this request id is in progress. Repeat after `retry_after` seconds."""

    retry_after: float = 1.0


class KeyReused(HapaxError):
    """The request id was used with another input; use a new one."""


class Indeterminate(HapaxError):
    """An earlier attempt may have taken effect; an operator must resolve the operation."""


class Rejected(HapaxError):
    """The operation failed for good, in an earlier call. `failure_code` is the code of its FinalFailure."""

    failure_code: str = ""


class NotRetained(HapaxError):
    """The work is done, but its result was above 256 KiB, or had no JSON, and was not kept."""


class NotCommitted(HapaxError):
    """The work was completed in a transaction that was not committed. Nothing happened."""


class ClaimFailed(HapaxError):
    """Another action on the entity is in progress. `holder` is the actor of its begin."""

    holder: str = ""


class WrongStatus(HapaxError):
    """The entity is free, but the step does not start from its `status`."""

    status: str = ""


class NotAllowed(HapaxError):
    """The lifecycle has no such step for this requester."""


class NeedsRecovery(HapaxError):
    """The lease of the last holder expired, and the janitor of the module must recover the entity first."""


class ClaimLost(HapaxError):
    """Another holder took over, or an operator did. The work of this holder was not recorded. `reason` says why."""


class Unrecorded(HapaxError):
    """The work is done, but Hapax did not confirm its record in time. `value` is what the work returned."""

    value: Any = None


class RunFailed(HapaxError):
    """The run ended as FAILED. `failure_code` is the code of its failure."""

    failure_code: str = ""


class RunCancelled(HapaxError):
    """The run ended as CANCELLED."""


class RunNotEnded(HapaxError):
    """The run has not ended in time."""


class PartFailed(HapaxError):
    """A part of a code workflow failed for good. Each later execution raises it again. `code` and `message` are of its failure."""

    part: str
    message: str
    attempts: int

    def __init__(self, part: str, code: str, message: str, attempts: int) -> None:
        text = f"part {part} failed for good in attempt {attempts}: {code} {message}"
        super().__init__(text, part=part, code=code, message=message, attempts=attempts)


class WorkFailure(HapaxError):
    """A failure that work raises to decide what a duplicate gets. Raise one of the kinds below."""

    kind = "RETRYABLE"
    failure_code: str

    def __init__(self, code: str, text: str = "") -> None:
        """`code` is for programs, such as `CARD_DECLINED`, at most 255 characters; `text` for people, at most 4 KiB."""
        super().__init__(text or code, failure_code=code)


class RetryableFailure(WorkFailure):
    """Nothing happened: the next call, or the next attempt of a step or part, does the work. Other exceptions count as this one.

    The next attempt of a step or part begins after `retry_after` seconds if that is given.
    """

    def __init__(self, code: str, text: str = "", *, retry_after: Optional[float] = None) -> None:
        super().__init__(code, text)
        self.retry_after = retry_after


class FinalFailure(WorkFailure):
    """The work failed for good: each duplicate gets this failure. A step ends its run as FAILED, and a part raises PartFailed."""

    kind = "FINAL"


class UnknownEffect(WorkFailure):
    """The effect may have happened: the request id, or the part of a run, is kept for an operator.

    Of a step outside of its parts: the same as RetryableFailure.
    """

    kind = "UNKNOWN_EFFECT"


class Invalid(WorkFailure):
    """The request to an action was invalid: the entity goes back to where it was, and its history says INVALID."""


class CallError(Exception):
    """The status of a call that failed, with its details."""

    def __init__(self, code: str, text: str = "", reason: str = "", advised: Optional[float] = None) -> None:
        super().__init__(text)
        self.code, self.text, self.reason, self.advised = code, text, reason, advised
        self.metadata: Mapping[str, str] = {}

    @staticmethod
    def of(error: grpc.RpcError) -> "CallError":
        found = CallError(error.code().name, error.details() or "")
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                for detail in message("google.rpc.Status").FromString(value).details:
                    found._read(detail.type_url.rpartition("/")[2], detail.value)
        return found

    def _read(self, name: str, value: bytes) -> None:
        if name == "google.rpc.ErrorInfo":
            info = message(name).FromString(value)
            self.reason, self.metadata = info.reason, dict(info.metadata)
        elif name == "google.rpc.RetryInfo":
            delay = message(name).FromString(value).retry_delay
            self.advised = delay.seconds + delay.nanos / 1e9

    def is_repeatable(self) -> bool:
        """Whether the same call may succeed when it is sent again. Every call carries its key, so that is safe."""
        if self.code == "RESOURCE_EXHAUSTED":
            return self.advised is not None
        if self.code in ("INTERNAL", "UNKNOWN", "CANCELLED"):
            return not self.reason  # from a proxy or the transport, not from Hapax
        return self.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED")

    def pause(self, retry: int, of_holder: bool = False) -> Optional[float]:
        """Returns the seconds before the next try; None if the error would repeat. `retry` is 0 after the first try.

        The holder of a claim has done its work, so it also waits for a new key while its key is not accepted.
        """
        if of_holder and self.code == "UNAUTHENTICATED":
            return random.uniform(1.0, 2.0)
        if not self.is_repeatable():
            return None
        ceiling = min(0.1 * 2 ** min(retry, 20), 2.0)
        return random.uniform(ceiling / 2, ceiling) + (self.advised or 0.0)

    def exception(self) -> HapaxError:
        """Returns the exception for the caller."""
        kinds: Mapping[str, type] = {"UNAUTHENTICATED": Unauthenticated, "PERMISSION_DENIED": PermissionDenied}
        kind = kinds.get(self.code, Unavailable if self.is_repeatable() else Refused)
        error: HapaxError = kind(f"{self.code}: {self.text}", code=self.code, reason=self.reason, metadata=self.metadata)
        return error
