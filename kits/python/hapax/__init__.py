"""Hapax makes sure a thing happens once: idempotency keys, durable runs, hooks and claims."""

from .claims import Claim
from .client import Client, connect
from .entities import Entities, Janitor, Recovery, Verdict
from .errors import (
    ClaimFailed,
    ClaimLost,
    FinalFailure,
    HapaxError,
    Indeterminate,
    InProgress,
    Invalid,
    KeyReused,
    NeedsRecovery,
    NotAllowed,
    NotCommitted,
    NotRetained,
    PermissionDenied,
    Refused,
    Rejected,
    RetryableFailure,
    RunCancelled,
    RunFailed,
    RunNotEnded,
    Unauthenticated,
    Unavailable,
    UnknownEffect,
    Unrecorded,
    WorkFailure,
    WrongStatus,
)
from .hooks import Hook, HookAnswer, Hooks
from .runs import Run, Runs, Signal, Started
from .tasks import Task
from .values import fingerprint
from .worker import Worker

__all__ = [name for name in dir() if not name.startswith("_") and name[0].isupper()] + ["connect", "fingerprint"]
