"""Hapax makes sure a thing happens once: idempotency keys, durable runs, hooks and claims."""

# fmt: off
from .claims import Claim
from .client import Client, connect
from .definitions import Definitions
from .entities import ActOptions, Entities, Janitor, Recovery, Verdict
from .errors import (
    ClaimFailed, ClaimLost, FinalFailure, HapaxError, Indeterminate, InProgress, Invalid, KeyReused, NeedsRecovery, NotAllowed,
    NotCommitted, NotRetained, PartFailed, PermissionDenied, Refused, Rejected, RetryableFailure, RunCancelled, RunFailed,
    RunNotEnded, Unauthenticated, Unavailable, UnknownAnswer, UnknownEffect, Unrecorded, WorkFailure, WrongStatus,
)
from .hooks import Hook, HookAnswer, Hooks
from .limits import Limit, Limits
from .operations import OnceOptions
from .parts import NOT_DONE, Outcome, Retry
from .payloads import Store
from .runs import Run, Runs, Signal, Started, StartOptions
from .tasks import Task
from .values import fingerprint
from .worker import Worker
from .workflows import Workflow, workflow

__all__ = [
    "ActOptions", "Claim", "ClaimFailed", "ClaimLost", "Client", "Definitions", "Entities", "FinalFailure", "HapaxError", "Hook",
    "HookAnswer", "Hooks", "InProgress", "Indeterminate", "Invalid", "Janitor", "KeyReused", "Limit", "Limits", "NOT_DONE",
    "NeedsRecovery", "NotAllowed", "NotCommitted", "NotRetained", "OnceOptions", "Outcome", "PartFailed", "PermissionDenied", "Recovery", "Refused", "Rejected",
    "Retry", "RetryableFailure", "Run", "RunCancelled", "RunFailed", "RunNotEnded", "Runs", "Signal", "StartOptions", "Started",
    "Store", "Task", "Unauthenticated", "Unavailable", "UnknownAnswer", "UnknownEffect", "Unrecorded", "Verdict", "WorkFailure",
    "Worker", "Workflow", "WrongStatus", "connect", "fingerprint", "workflow",
]
