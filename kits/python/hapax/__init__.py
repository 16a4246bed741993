"""Hapax makes sure a thing happens once: idempotency keys, durable runs, hooks and claims."""

# fmt: off
from .claims import Claim
from .client import Client, connect
from .entities import ActOptions, Entities, Janitor, Recovery, Verdict
from .errors import (
    ClaimFailed, ClaimLost, FinalFailure, HapaxError, Indeterminate, InProgress, Invalid, KeyReused, NeedsRecovery, NotAllowed,
    NotCommitted, NotRetained, PermissionDenied, Refused, Rejected, RetryableFailure, RunCancelled, RunFailed, RunNotEnded,
    Unauthenticated, Unavailable, UnknownAnswer, UnknownEffect, Unrecorded, WorkFailure, WrongStatus,
)
from .hooks import Hook, HookAnswer, Hooks
from .operations import OnceOptions
from .runs import Run, Runs, Signal, Started, StartOptions
from .tasks import Task
from .values import fingerprint
from .worker import Worker

__all__ = [
    "ActOptions", "Claim", "ClaimFailed", "ClaimLost", "Client", "Entities", "FinalFailure", "HapaxError", "Hook", "HookAnswer",
    "Hooks", "InProgress", "Indeterminate", "Invalid", "Janitor", "KeyReused", "NeedsRecovery", "NotAllowed", "NotCommitted",
    "NotRetained", "OnceOptions", "PermissionDenied", "Recovery", "Refused", "Rejected", "RetryableFailure", "Run",
    "RunCancelled", "RunFailed", "RunNotEnded", "Runs", "Signal", "StartOptions", "Started", "Task", "Unauthenticated",
    "Unavailable", "UnknownAnswer", "UnknownEffect", "Unrecorded", "Verdict", "WorkFailure", "Worker", "WrongStatus", "connect",
    "fingerprint",
]
