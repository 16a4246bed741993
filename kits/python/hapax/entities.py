"""Entities: one caller at a time acts on an invoice; and the janitor of a module that takes back what was abandoned."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, TypedDict, TypeVar

from . import errors
from .claims import Claim, Holder, WorkKind, log
from .connection import Answer, Connection
from .polling import Poller
from .values import duration, failure, refuse_async, seconds

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class ActOptions(TypedDict, total=False):
    """The options of `Entities.act`."""

    lease: Optional[float]
    wait: float
    expected_version: int
    hold_at_most: float
    actor: str


def _failed(error: BaseException) -> Mapping[str, Any]:
    is_declared = isinstance(error, errors.WorkFailure)
    kind = "INVALID" if isinstance(error, errors.Invalid) else "FAILURE" if is_declared else "EXCEPTION"
    return {"kind": f"ACTION_FAILURE_KIND_{kind}", "message": failure(error)["message"]}


_ACTION = WorkKind("EntityService/{}Action", "output", None, False, _failed)


class Entities:
    """Creates entities and acts on them, one holder at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(self, lifecycle: str, entity_id: str, status: str) -> str:
        """Lets an entity follow the lifecycle. Returns its status; one that is there is returned as it is."""
        fields = {"lifecycle": lifecycle, "entity_id": entity_id, "status": status}
        return str(self._connection.call("EntityService/CreateEntity", fields).response.entity.status)

    def get(self, lifecycle: str, entity_id: str) -> Any:
        """Returns the message of the entity, with its `status`, `version` and `claim`, or raises Refused (ENTITY_NOT_FOUND)."""
        fields = {"lifecycle": lifecycle, "entity_id": entity_id}
        return self._connection.call("EntityService/GetEntity", fields).response.entity

    def act(
        self,
        lifecycle: str,
        entity_id: str,
        step: str,
        requester: str,
        action: Callable[[Claim], T],
        **options: Unpack[ActOptions],
    ) -> T:
        """Runs the action as the holder of the entity, and completes it; what it returns is the output in the history.

        If the action raises, the entity goes back to where it was, and the exception passes. Write `claim.fence` with what the
        action writes, and refuse lower ones there. `lease` is in seconds; None = that of the janitor. `wait` is how many
        seconds, at most 30, to wait for another holder. Renewals end after `hold_at_most` seconds (3,600).

        Raises ClaimFailed, WrongStatus, NotAllowed or NeedsRecovery if there is no grant, and ClaimLost or Unrecorded if the
        end is not recorded.
        """
        refuse_async("the action", action)
        lease, hold_at_most = options.pop("lease", None), options.pop("hold_at_most", 3600.0)
        wait = options.pop("wait", 0.0)
        request: Mapping[str, Any] = {
            "lifecycle": lifecycle,
            "entity_id": entity_id,
            "step_key": step,
            "requester": requester,
            "attempt_id": str(uuid.uuid4()),
            "lease": duration(lease),
            **options,
        }
        answer = self._connection.call("EntityService/BeginAction", request, wait=wait)
        begun, outcome = answer.response, answer.response.WhichOneof("outcome")
        if outcome == "granted":
            claim = Claim(begun.granted.claim, answer, seconds(begun.granted.lease_remaining), hold_at_most)
            return Holder(self._connection, _ACTION, claim, lease).run(action)
        if outcome == "claim_failed":
            raise errors.ClaimFailed(begun.claim_failed.message, holder=begun.claim_failed.holder)
        if outcome == "wrong_status":
            status = begun.wrong_status.status
            raise errors.WrongStatus(f"step {step} does not start from status {status}", status=status)
        if outcome == "not_allowed":
            raise errors.NotAllowed(f"lifecycle {lifecycle} has no step {step} for {requester}")
        raise errors.NeedsRecovery("the janitor of the module must recover the entity first")


class Verdict(Enum):
    """What became of an action whose holder is gone."""

    COMPLETE = "RECOVERY_OUTCOME_COMPLETE"
    REVERT = "RECOVERY_OUTCOME_REVERT"


@dataclass(frozen=True)
class Recovery:
    """An entity whose holder is gone. What the lost action wrote carries `lost_fence`; `fence` is above it."""

    lifecycle: str
    entity_id: str
    step: str
    requester: str
    action: str
    lost_fence: int
    fence: int


class Janitor:
    """Finds out for a module whether abandoned actions took effect. Make it with `client.janitor`, and call `run`."""

    def __init__(
        self, connection: Connection, module: str, check: Callable[[Recovery], Verdict], concurrency: int, lease: float
    ) -> None:
        refuse_async("the check of the janitor", check)
        self._connection, self._check = connection, check
        request = {"module": module, "lease": duration(lease)}
        method = "JanitorService/PollRecoveries"
        self._poller = Poller(connection, method, request, "max_recoveries", "recoveries", concurrency, self._do)
        self.run, self.start, self.stop = self._poller.run, self._poller.start, self._poller.stop

    def _do(self, message: Any, answer: Answer) -> None:
        lost, entity, fence = message.lost, message.entity, message.claim.fence
        recovery = Recovery(entity.lifecycle, entity.id, lost.step_key, lost.requester, lost.action, lost.fence, fence)
        verdict = self._check(recovery)
        fields = {"claim": message.claim, "outcome": verdict.value}
        ended = self._connection.record("JanitorService/CompleteRecovery", fields).response.WhichOneof("outcome")
        log.info("recovery of %s %s: %s, %s", recovery.lifecycle, recovery.entity_id, verdict.name, ended)
