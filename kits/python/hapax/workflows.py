"""Workflows: a function as a definition, which the worker registers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Generic, Iterator, Optional, Sequence, TypeVar, overload

from .claims import log
from .connection import Cancellation, Connection
from .errors import PermissionDenied, Refused
from .limits import Limit
from .parts import Retry
from .protocol import message
from .values import duration

if TYPE_CHECKING:
    from . import aio
    from .tasks import Task

In = TypeVar("In")
Out = TypeVar("Out")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


@dataclass(frozen=True)
class Workflow(Generic[In_contra, Out_co]):
    """A definition with one code step `main`, whose handler gets the task and the input. Make it with `workflow`.

    A worker registers it, and `client.runs.start` takes it: both with the types of its input and result.
    """

    name: str
    version: str
    step: Any  # the message of its step
    handler: Callable[[Any, In_contra], Any]
    run_limits: Sequence[Any] = ()  # the messages of the limits of its runs

    def register(self, connection: Connection, stop: Cancellation) -> str:
        """Returns why a worker cannot work on it; empty if this version is registered with this step."""
        key = {"name": self.name, "version": self.version}
        patience: Any = {"give_up_after": float("inf"), "stop": stop}
        what = f'version "{self.version}" of "{self.name}"'
        definition: Any = {**key, "steps": [self.step], "limits": self.run_limits}
        try:
            connection.call("DefinitionService/RegisterDefinition", definition, **patience)
            return ""
        except PermissionDenied as denied:
            refusal = denied
        except Refused as refused:
            return str(refused)
        try:
            found = connection.call("DefinitionService/GetDefinition", key, **patience).response.definition
        except PermissionDenied:
            log.warning("it is not checked that %s is registered with the steps of this worker: %s", what, refusal)
            return ""
        except Refused as refused:
            if refused.code != "NOT_FOUND":
                return str(refused)
            return (
                f"{what} is not registered, and this worker may not do it: start it once with a role that may define ({refusal})"
            )
        names = [each.name for each in found.steps]
        if names != [self.step.name] or not found.steps[0].HasField("code"):
            differences = [f'the steps are {", ".join(names)} (this: a code step {self.step.name})']
        else:
            differences = list(_differences(self.step, found.steps[0], "steps[0]"))
        if list(found.limits) != list(self.run_limits):
            differences.append(f"limits is {_text(found.limits)} (this: {_text(self.run_limits)})")
        return f"{what} is registered with other steps: {'; '.join(differences)}; give a new version" if differences else ""


def _differences(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    """The fields of our message that have other values in theirs."""
    for field, value in ours.ListFields():
        other, name = getattr(theirs, field.name), f"{path}.{field.name}"
        if hasattr(value, "ListFields") and not hasattr(value, "ToJsonString"):
            yield from _differences(value, other, name)
        elif value != other:
            yield f"{name} is {_text(other)} (this: {_text(value)})"


def _text(value: Any) -> str:
    if hasattr(value, "ToJsonString"):
        return str(value.ToJsonString())
    if isinstance(value, (str, int, float)):
        return json.dumps(value)
    items = [json.dumps(each) if isinstance(each, str) else str(each).replace("\n", " ").strip() for each in value]
    return f"[{', '.join(items)}]"


class _Decorator:
    def __init__(self, name: str, version: str, step: Any, run_limits: Sequence[Any]) -> None:
        self._name, self._version, self._step, self._run_limits = name, version, step, run_limits

    @overload
    def __call__(self, handler: "Callable[[aio.Task, In], Awaitable[Out]]") -> Workflow[In, Out]:
        ...

    @overload
    def __call__(self, handler: "Callable[[Task, In], Out]") -> Workflow[In, Out]:
        ...

    def __call__(self, handler: Callable[[Any, Any], Any]) -> Workflow[Any, Any]:
        return Workflow(self._name, self._version, self._step, handler, self._run_limits)


def workflow(
    name: str,
    *,
    queue: str,
    version: str = "1",
    lease: Optional[float] = None,
    retry: Optional[Retry] = None,
    part_retry: Optional[Retry] = None,
    attempt_timeout: Optional[float] = None,
    limits: Sequence[Limit] = (),
    run_limits: Sequence[Limit] = (),
) -> _Decorator:
    """Decorates a function of a task and the input of the run: it is the workflow `name`, and does its work in `queue`.

    A worker that has it registers it as `version`. A version never changes: give a new one with other options. Changes of the code
    need no version.
    `lease` is the seconds after which a worker that died is replaced (30). `retry` is for the failures of the function (3
    attempts), `part_retry` for those of its parts, unless they bring their own (8). `attempt_timeout` is the seconds of an
    execution, up to its end or its next wait (none): then its worker loses the task, and it fails with ATTEMPT_TIMEOUT.
    `limits` are those that an execution must pass to reach the queue, at most 4: the run waits until all have room. `run_limits`
    are those that a run must pass to start, at most 4: it counts until its end, also while it sleeps. Its start must have no hooks.

    An async function is for a worker of hapax.aio, and gets a hapax.aio.Task.
    """
    code = {
        "queue": queue,
        "lease": duration(lease),
        "retry": None if retry is None else retry.fields(),
        "part_retry": None if part_retry is None else part_retry.fields(),
        "attempt_timeout": duration(attempt_timeout),
        "limits": [each.fields() for each in limits],
    }
    of_runs = tuple(message("hapax.v1.Limit")(**each.fields()) for each in run_limits)
    return _Decorator(name, version, message("hapax.v1.StepDefinition")(name="main", code=code), of_runs)
