"""Tools of agents: calls that happen once for their arguments, and after an approval where one is needed."""

from __future__ import annotations

import functools
import threading
import weakref
from concurrent.futures import Future
from typing import Any, Awaitable, Callable, Coroutine, Dict, List, Mapping, Optional, ParamSpec, Tuple, TypeVar, Union, overload

from . import aio
from .attempts import PartOptions
from .errors import FinalFailure
from .execution import Execution
from .parts import NotDone, Scope, Use
from .tasks import Task, awaited
from .values import fingerprint

P = ParamSpec("P")
T = TypeVar("T")
_DIGITS = 16


class ApprovalDenied(FinalFailure):
    """A call was not approved. `note` says why, in the words of the person. Catch it to tell the model; otherwise the run fails."""

    def __init__(self, tool: str, note: str) -> None:
        super().__init__("APPROVAL_DENIED", f"the call of {tool} was not approved: {note}")
        self.note = note


@overload
def guard(
    task: Task,
    name: str,
    function: Callable[P, T],
    *,
    approval: bool = ...,
    repeat: bool = ...,
    verify: Optional[Callable[P, Union[T, NotDone]]] = ...,
) -> Callable[P, T]:
    ...


@overload
def guard(
    task: aio.Task,
    name: str,
    function: Callable[P, Awaitable[T]],
    *,
    approval: bool = ...,
    repeat: bool = ...,
    verify: Optional[Callable[P, Awaitable[Union[T, NotDone]]]] = ...,
) -> Callable[P, Coroutine[Any, Any, T]]:
    ...


@overload
def guard(
    task: aio.Task,
    name: str,
    function: Callable[P, T],
    *,
    approval: bool = ...,
    repeat: bool = ...,
    verify: Optional[Callable[P, Union[T, NotDone]]] = ...,
) -> Callable[P, Coroutine[Any, Any, T]]:
    ...


def guard(
    task: Any,
    name: str,
    function: Callable[..., Any],
    *,
    approval: bool = False,
    repeat: bool = False,
    verify: Optional[Callable[..., Any]] = None,
) -> Any:
    """Returns the function as a tool: a call with the same arguments happens once in a run, and returns the recorded result.

    The arguments must have a JSON. The call is a part `tool/NAME/F`, at most once: after a crash in its middle, `verify` gets the
    same arguments, and returns the result of that call, or NOT_DONE. `F` are the first 16 hexadecimal digits of `hapax.fingerprint` of the arguments:
    of the keyword arguments as an object, or of the positional ones as a list. One argument that is an object counts as
    keyword arguments.

    With `repeat` each call happens, and they are numbered: the agent must make them in one order.

    With `approval` a call first waits for the signal `approval/F`, with the payload `{"approved": true, "note": "…"}`. Meanwhile
    the state of the run has it: `{"approvals": {F: {"tool": NAME, "arguments": …}}}`. An approval of other arguments is not for
    this call. Any other payload raises ApprovalDenied. Calls that wait together are decided one after the other. Two tools with the
    same arguments cannot both wait for one: the second fails for good, with APPROVAL_AMBIGUOUS.
    """
    held: Task = task._task if isinstance(task, aio.Task) else task
    blocking = task._blocking if isinstance(task, aio.Task) else lambda each: each
    tools = _Tools.of(held)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        body = blocking(lambda id: function(*args, **kwargs))
        verified = None if verify is None else blocking(functools.partial(_verified, verify, args, kwargs))
        options: PartOptions[Any] = PartOptions(None, None, True, verified)
        return tools.call(held, name, _arguments(args, kwargs), body, options, approval, repeat)

    return aio.awaitable(call) if isinstance(task, aio.Task) else call


def _verified(verify: Callable[..., Any], args: Tuple[Any, ...], kwargs: Mapping[str, Any], id: str) -> Any:
    return verify(*args, **kwargs)


def _arguments(args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    if not args:
        return kwargs
    if len(args) == 1 and isinstance(args[0], dict) and not kwargs:
        return args[0]
    return [*args, kwargs] if kwargs else list(args)


class _Tools:
    """The guarded calls of one execution."""

    _of: "weakref.WeakKeyDictionary[Execution, _Tools]" = weakref.WeakKeyDictionary()
    _lock = threading.Lock()

    def __init__(self, task: Task) -> None:
        self._calls: Dict[str, List["Future[Any]"]] = {}
        self._approved: Dict[str, str] = {}  # the tool of each approval
        self._open = set(task.state.get("approvals") or {})
        self._changes: Dict[str, Any] = {}

    @classmethod
    def of(cls, task: Task) -> "_Tools":
        with cls._lock:
            tools = cls._of.get(task._execution)
            if tools is None:
                tools = cls._of[task._execution] = _Tools(task)
            return tools

    def call(
        self,
        task: Task,
        name: str,
        arguments: Any,
        body: Callable[[str], Any],
        options: PartOptions[Any],
        approval: bool,
        repeat: bool,
    ) -> Any:
        digits = fingerprint(arguments).hex()[:_DIGITS]
        tool = Scope(f"{task._scope.prefix}tool/").full_name(name)
        with self._lock:
            calls = self._calls.setdefault(f"{tool}/{digits}", [])
            is_first = repeat or not calls
            if is_first:
                calls.append(Future())
            call, number = calls[-1], f"#{len(calls)}" if len(calls) > 1 else ""
        if is_first:
            try:
                with task._execution.part():
                    if approval:
                        self._await_approval(task, name, arguments, digits, number)
                    own, use = _within(task, f"{tool}/", digits + number)
                    call.set_result(own._record(use, body, options))
            except BaseException as error:
                call.set_exception(error)
        return call.result()

    def _await_approval(self, task: Task, name: str, arguments: Any, digits: str, number: str) -> None:
        if task._scope.prefix:
            raise FinalFailure("WAIT_IN_BRANCH", f"{name} waits for an approval in a branch of a map, which is not possible")
        with self._lock:
            other = self._approved.setdefault(digits, name)
        if other != name:
            text = f"approval/{digits} approves the call of {other}, and {name} has the same arguments"
            raise FinalFailure("APPROVAL_AMBIGUOUS", f"{text}; give one of them an argument that differs, such as its name")
        own, use = _within(task, "approval/", digits + number)
        if task._execution.records.find(use.name) is None:
            self._show(task, digits, {"tool": name, "arguments": arguments})
        decision = own._await_signal(use, awaited(f"approval/{digits}", None, None), None, None)
        self._show(task, digits, None)
        if not isinstance(decision, dict) or decision.get("approved") is not True:
            raise ApprovalDenied(name, str(decision.get("note", "")) if isinstance(decision, dict) else "")

    def _show(self, task: Task, digits: str, call: Optional[Mapping[str, Any]]) -> None:
        """Changes an open approval in the state of the run."""
        with self._lock:
            if (digits in self._open) == (call is not None):
                return
            self._open.symmetric_difference_update({digits})
            self._changes[digits] = call
            # a merge patch, and the last one wins: it has all changes of this execution
            task.patch_state({"approvals": dict(self._changes) if self._open else None})


def _within(task: Task, prefix: str, name: str) -> Tuple[Task, Use]:
    """A part of a scope of its own. It counts as overlapped, since the order of the calls means nothing."""
    own, use = type(task)(task._execution, prefix), Use(prefix + name, True)
    own._signals = task._signals
    task._execution.records.ask(use.name)
    return own, use
