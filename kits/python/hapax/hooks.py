"""Hooks: one run owns a token, such as `order/4711`, and is reached by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Mapping

from .claims import lost
from .connection import Connection
from .protocol import enum_name
from .values import checked_name, duration

if TYPE_CHECKING:
    from .runs import Signal


@dataclass(frozen=True)
class Hook:
    """A token to own, and what happens if another run owns it.

    `on_conflict` is REJECT (nothing starts, the owner is named), USE_EXISTING (the owner stands for the request), SIGNAL_EXISTING
    (it also gets the signal), SUPERSEDE (it is cancelled), with `expected_owner` only that run, or QUEUE (the run waits for its
    turn), which all hooks of a start have or none. `retention` is how many seconds the token stays with the run after its end.
    `name` is for steps that wait for its signals.

    With QUEUE, `queue_limit` is how many runs may wait, at most 10,000; 0 = 1,000. `queue_full` says what happens beyond it:
    REJECT (nothing starts), or SUPERSEDE, only with a limit of 1: the run that waits is CANCELLED, and this one waits instead.
    """

    token: str = field(repr=False)  # who knows it can signal its owner
    on_conflict: str = "REJECT"
    expected_owner: str = ""
    retention: float = 0.0
    name: str = ""
    queue_limit: int = 0
    queue_full: Literal["", "REJECT", "SUPERSEDE"] = ""

    def fields(self) -> Mapping[str, Any]:
        return {
            "token": checked_name("token", self.token),
            "name": self.name,
            "retention": duration(self.retention),
            "on_conflict": f"ON_CONFLICT_{self.on_conflict}",
            "expected_owner": self.expected_owner,
        }

    def start_fields(self) -> Mapping[str, Any]:
        full = f"QUEUE_FULL_{self.queue_full or 'UNSPECIFIED'}"
        return {**self.fields(), "queue_limit": self.queue_limit, "queue_full": full}


@dataclass(frozen=True)
class HookAnswer:
    """`owner` is the id of the run that owns the token instead; empty = the run got it. `fingerprint` stands for the token."""

    owner: str
    fingerprint: str


class Hooks:
    """Reaches runs by their tokens. A token without an owner is Refused (HOOK_NOT_FOUND)."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(self, run_id: str, hook: Hook, claim: Any = None) -> HookAnswer:
        """Gives an existing run the token. With a claim, only while the step is held by it."""
        fields = {"run_id": run_id, "claim": claim, **hook.fields()}
        answer = self._connection.call("HookService/CreateHook", fields).response
        if answer.WhichOneof("outcome") == "claim_lost":
            raise lost(enum_name(answer.claim_lost, "reason"))
        return HookAnswer(answer.conflict.run_id, answer.hook.fingerprint)

    def signal(self, token: str, signal: "Signal") -> str:
        """Puts a signal into the inbox of the owner; returns DELIVERED, BUFFERED or DUPLICATE."""
        fields = {"token": token, "signal": signal.fields()}
        return enum_name(self._connection.call("HookService/SignalHook", fields).response, "disposition")

    def get(self, token: str) -> str:
        """Returns the id of the run that owns the token, or has ended and keeps it; if there is none, of the first that waits."""
        answer = self._connection.call("HookService/GetHook", {"token": token}).response
        return str(answer.hook.run_id if answer.HasField("hook") or not answer.waiting else answer.waiting[0].run_id)

    def dispose(self, token: str, run_id: str) -> None:
        """Frees the token, if this run owns it."""
        self._connection.call("HookService/DisposeHook", {"token": token, "run_id": run_id})
