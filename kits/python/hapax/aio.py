"""Hapax for asyncio: the same client, workers and tasks, with methods to await.

Their calls block threads, not the event loop. A loop that is blocked loses no lease, because heartbeats have a thread of their own.
A cancelled `await` ends the waiting; the call goes on.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import signal
import threading
from concurrent import futures
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    ParamSpec,
    Sequence,
    Type,
    TypeVar,
    Union,
    overload,
)

from . import client as blocking
from . import tasks
from .attempts import PartOptions, PartTimeout, time_left
from .claims import Claim
from .definitions import Definitions as BlockingDefinitions
from .entities import ActOptions, Entities as BlockingEntities, Recovery, Verdict
from .errors import RetryableFailure
from .hooks import Hook, HookAnswer, Hooks as BlockingHooks
from .limits import Limits as BlockingLimits
from .operations import OnceOptions
from .parts import NotDone, Outcome, Retry
from .runs import Runs as BlockingRuns, Started, StartOptions
from .values import is_async
from .worker import OnCodeChange
from .workflows import In, Workflow

if TYPE_CHECKING:
    from typing_extensions import Unpack

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")
H = TypeVar("H", bound=Callable[..., Any])
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a blocking function on a thread of its own. The executor of a loop has few threads, and waits would use them up."""
    future: futures.Future[T] = futures.Future()
    future.set_running_or_notify_cancel()  # a cancelled await does not cancel it
    context = contextvars.copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(function, *args, **kwargs))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="hapax-call", daemon=True).start()
    return await asyncio.wrap_future(future)


def awaitable(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await in_thread(function, *args, **kwargs)

    return call


class Loop:
    """Runs coroutines for threads, which wait for their ends."""

    def __init__(self, loop: Optional[asyncio.AbstractEventLoop] = None) -> None:
        self._loop = loop

    def start(self) -> None:
        """Starts a loop on a thread of its own."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._serve, args=(self._loop,), name="hapax-loop", daemon=True).start()

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for each in left:
            each.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    def stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None

    def blocking(self, claim: Claim, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function for threads: what the given one returns is awaited on the loop, unless it is no awaitable."""

        def call(*args: Any) -> Any:
            result = function(*args)
            return self._wait(self._loop, claim, result) if inspect.isawaitable(result) else result

        return call

    @staticmethod
    def _wait(loop: Any, claim: Claim, result: Awaitable[Any]) -> Any:
        """Cancels the coroutine if the claim is lost, and at the end of the part's timeout."""
        ended: futures.Future[Any] = futures.Future()
        running: List["asyncio.Task[Any]"] = []

        async def run() -> Any:
            return await result

        def start() -> None:
            running.append(loop.create_task(run()))
            running[0].add_done_callback(end)

        def end(task: "asyncio.Task[Any]") -> None:
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            while len(getattr(error, "exceptions", ())) == 1:
                error = getattr(error, "exceptions")[0]  # a TaskGroup puts what its tasks raise into a group
            if error is None:
                ended.set_result(task.result())
            else:
                ended.set_exception(error)

        def cancel() -> None:
            loop.call_soon_threadsafe(lambda: running[0].cancel())

        loop.call_soon_threadsafe(start)
        claim.on_loss.append(cancel)
        try:
            is_late = False
            if claim.is_lost:
                cancel()
            elif not futures.wait([ended], time_left()).done:
                is_late = True
                cancel()
            return ended.result()
        except (asyncio.CancelledError, futures.CancelledError) as error:
            claim.throw_if_lost()
            if is_late:
                raise PartTimeout("the body was cancelled at the end of its timeout") from None
            raise RetryableFailure("CANCELLED", "the coroutine was cancelled") from error
        finally:
            claim.on_loss.remove(cancel)


class Task(tasks.HeldTask):
    """As hapax.Task, for an `async def` handler: `await task.record(…)`.

    What is awaited together, such as by `asyncio.gather`, needs different names, or `map`. When the claim is lost, the handler and
    its bodies get a CancelledError.
    """

    def __init__(self, task: tasks.Task, loop: Loop) -> None:
        super().__init__(task._execution)
        self._task, self._loop = task, loop
        if task._execution.connection.payloads.store is not None:
            self.input, self.previous_output  # fetched here, on a thread

    @overload
    async def record(
        self,
        name: str,
        body: Callable[[str], Awaitable[T]],
        *,
        retry: Optional[Retry] = ...,
        timeout: Optional[float] = ...,
        at_most_once: bool = ...,
        verify: Optional[Callable[[str], Awaitable[Union[T, NotDone]]]] = ...,
    ) -> T:
        ...

    @overload
    async def record(
        self,
        name: str,
        body: Callable[[str], T],
        *,
        retry: Optional[Retry] = ...,
        timeout: Optional[float] = ...,
        at_most_once: bool = ...,
        verify: Optional[Callable[[str], Union[T, NotDone]]] = ...,
    ) -> T:
        ...

    async def record(
        self,
        name: str,
        body: Callable[[str], Any],
        *,
        retry: Optional[Retry] = None,
        timeout: Optional[float] = None,
        at_most_once: bool = False,
        verify: Optional[Callable[[str], Any]] = None,
    ) -> Any:
        """As hapax.Task.record. `body` and `verify` may be async; others run on a thread.

        An async body gets a CancelledError at the end of `timeout`. To cancel this call does not cancel the body, which is
        recorded.
        """
        options: PartOptions[Any] = PartOptions(retry, timeout, at_most_once, None if verify is None else self._blocking(verify))
        return await self._durable(self._task._record, name, self._blocking(body), options)

    @overload
    async def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], Awaitable[T]]",
        *,
        key: Callable[[Item], str],
        concurrency: int = ...,
        settled: Literal[False] = ...,
    ) -> List[T]:
        ...

    @overload
    async def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], Awaitable[T]]",
        *,
        key: Callable[[Item], str],
        concurrency: int = ...,
        settled: Literal[True],
    ) -> List[Outcome[T]]:
        ...

    async def map(
        self,
        name: str,
        items: Iterable[Item],
        work: "Callable[[Task, Item], Awaitable[T]]",
        *,
        key: Callable[[Item], str],
        concurrency: int = 10,
        settled: bool = False,
    ) -> Any:
        """As hapax.Task.map, with async work: up to `concurrency` branches run at once on the loop."""
        branch = self._blocking(lambda task, item: work(Task(task, self._loop), item))
        return await self._durable(self._task._map, name, name, items, branch, key, concurrency, settled)

    async def patched(self, name: str) -> bool:
        """As hapax.Task.patched."""
        return await in_thread(self._task.patched, name)

    async def set_state(self, members: Mapping[str, Any]) -> None:
        """As hapax.Task.set_state."""
        await self._durable(self._task._set_state, "state", members)

    async def suspend(self, name: str, seconds: float) -> None:
        """As hapax.Task.suspend."""
        await self._durable(self._task._suspend, name, seconds, is_wait=True)

    async def await_signal(
        self,
        name: str,
        *,
        type: Optional[str] = None,
        hook_name: Optional[str] = None,
        timeout: Optional[float] = None,
        default: Any = None,
    ) -> Any:
        """As hapax.Task.await_signal."""
        awaited = tasks.awaited(name, type, hook_name)
        return await self._durable(self._task._await_signal, name, awaited, timeout, default, is_wait=True)

    async def create_hook(self, hook: Hook) -> HookAnswer:
        """As hapax.Task.create_hook."""
        return await in_thread(self._task.create_hook, hook)

    def _blocking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._loop.blocking(self.claim, function)

    async def _durable(self, call: Callable[..., T], name: str, *args: Any, is_wait: bool = False) -> T:
        # enters and leaves on the loop: what is awaited together is in flight together, in the order of the calls
        held, loop = self._task._use(name, is_wait), asyncio.get_running_loop()
        use = held.__enter__()

        def run() -> T:
            try:
                return call(use, *args)
            finally:
                loop.call_soon_threadsafe(held.__exit__, None, None, None)

        return await in_thread(run)


class _Poller:
    """What workers and janitors have in common."""

    def __init__(self) -> None:
        self._loop = Loop()
        self._blocking: Any = None

    async def run(self) -> None:
        """Polls until SIGTERM or SIGINT, or until `stop`. Then polls no more, and returns when the items are done.

        Signals are handled only on the main thread. A second one ends the process as usual.
        """
        loop = asyncio.get_running_loop()
        handled = _SIGNALS if threading.current_thread() is threading.main_thread() else ()

        def restore() -> None:
            for each in handled:
                loop.remove_signal_handler(each)

        def drain() -> None:
            restore()
            self._blocking.stop(0)

        for each in handled:
            loop.add_signal_handler(each, drain)
        self._loop.start()
        try:
            await in_thread(self._blocking.run)
            self._loop.stop()
        finally:
            restore()

    async def start(self) -> None:
        """Polls on other threads, and returns at once; a worker with workflows when they are registered."""
        self._loop.start()
        await in_thread(self._blocking.start)

    async def stop(self, at_most: Optional[float] = None) -> bool:
        """Polls no more, and waits until all items are done, at most so many seconds. Returns whether they are."""
        is_done: bool = await in_thread(self._blocking.stop, at_most)
        if is_done:
            self._loop.stop()
        return is_done


class Worker(_Poller):
    """As hapax.Worker. `async def` handlers run on one event loop, which has a thread of its own; others run on threads."""

    def __init__(
        self,
        client: blocking.Client,
        *args: Any,
        steps: Mapping[str, Callable[..., Any]],
        workflows: Sequence[Workflow[Any, Any]],
        **options: Any,
    ) -> None:
        super().__init__()
        workflows = [replace(each, handler=self._handler(each.handler)) if is_async(each.handler) else each for each in workflows]
        self._blocking = client.worker(*args, workflows=workflows, **options)
        for name, handler in steps.items():
            self.step(name)(handler)

    def step(self, name: str) -> Callable[[H], H]:
        """As hapax.Worker.step. An async handler gets a hapax.aio.Task, another one a hapax.Task."""

        def add(handler: H) -> H:
            self._blocking.step(name)(self._handler(handler) if is_async(handler) else handler)
            return handler

        return add

    def _handler(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        return lambda task, *args: self._loop.blocking(task.claim, handler)(Task(task, self._loop), *args)


class Janitor(_Poller):
    """As hapax.Janitor, with an async check."""

    def __init__(self, client: blocking.Client, module: str, check: Callable[[Recovery], Any], **options: Any) -> None:
        super().__init__()
        self._blocking = client.janitor(module, self._loop.blocking(Claim.untracked(), check), **options)


class Runs:
    """As hapax.Runs."""

    def __init__(self, runs: BlockingRuns) -> None:
        self._blocking = runs
        self.get, self.signal, self.cancel = awaitable(runs.get), awaitable(runs.signal), awaitable(runs.cancel)

    @overload
    async def start(
        self, definition: Workflow[In, T], idempotency_key: str = "", input: In = ..., **options: Unpack[StartOptions]
    ) -> Started[T]:
        ...

    @overload
    async def start(
        self, definition: str, idempotency_key: str = "", input: Any = None, **options: Unpack[StartOptions]
    ) -> Started[Any]:
        ...

    async def start(
        self, definition: Any, idempotency_key: str = "", input: Any = None, **options: Unpack[StartOptions]
    ) -> Started[Any]:
        """As hapax.Runs.start."""
        return await in_thread(lambda: self._blocking.start(definition, idempotency_key, input, **options))

    @overload
    async def result(self, run: Started[T], at_most: float = 60.0) -> T:
        ...

    @overload
    async def result(self, run: str, at_most: float = 60.0) -> Any:
        ...

    @overload
    async def result(self, run: Union[str, Started[Any]], at_most: float = 60.0, *, type: Type[T]) -> T:
        ...

    async def result(self, run: Any, at_most: float = 60.0, *, type: Any = None) -> Any:
        """As hapax.Runs.result."""
        return await in_thread(self._blocking.result, run, at_most)


class Definitions:
    """As hapax.Definitions."""

    def __init__(self, definitions: BlockingDefinitions) -> None:
        self.register, self.get = awaitable(definitions.register), awaitable(definitions.get)


class Hooks:
    """As hapax.Hooks."""

    def __init__(self, hooks: BlockingHooks) -> None:
        self.create, self.signal = awaitable(hooks.create), awaitable(hooks.signal)
        self.get, self.dispose = awaitable(hooks.get), awaitable(hooks.dispose)


class Limits:
    """As hapax.Limits."""

    def __init__(self, limits: BlockingLimits) -> None:
        self.set, self.remove, self.list = awaitable(limits.set), awaitable(limits.remove), awaitable(limits.list)


class Entities:
    """As hapax.Entities."""

    def __init__(self, entities: BlockingEntities) -> None:
        self._blocking = entities
        self.create, self.get = awaitable(entities.create), awaitable(entities.get)

    async def act(
        self,
        lifecycle: str,
        entity_id: str,
        step: str,
        requester: str,
        action: Callable[[Claim], Awaitable[T]],
        **options: Unpack[ActOptions],
    ) -> T:
        """As hapax.Entities.act. The action gets a CancelledError when the claim is lost."""
        work = _here(action)
        return await in_thread(lambda: self._blocking.act(lifecycle, entity_id, step, requester, work, **options))


class Client:
    """As hapax.Client. `blocking` is the client that it wraps, such as for the middleware of hapax.middleware."""

    def __init__(self, client: blocking.Client) -> None:
        self.blocking = client
        self.runs, self.hooks, self.entities = Runs(client.runs), Hooks(client.hooks), Entities(client.entities)
        self.definitions, self.limits = Definitions(client.definitions), Limits(client.limits)
        self.call, self.close = awaitable(client.call), awaitable(client.close)

    async def once(
        self, operation: str, request_id: Optional[str], work: Callable[[Claim], Awaitable[T]], **options: Unpack[OnceOptions]
    ) -> T:
        """As hapax.Client.once. The work runs on this loop, and gets a CancelledError when its claim is lost.

        To cancel this call does not cancel the work, which is recorded.
        """
        here = _here(work)
        return await in_thread(lambda: self.blocking.once(operation, request_id, here, **options))

    def worker(
        self,
        queues: Union[str, Sequence[str]] = (),
        steps: Mapping[str, Callable[..., Any]] = {},
        *,
        concurrency: int = 10,
        worker_id: str = "",
        on_code_change: OnCodeChange = "release",
        workflows: Sequence[Workflow[Any, Any]] = (),
    ) -> Worker:
        """As hapax.Client.worker. Its handlers and workflows may be async."""
        options: Mapping[str, Any] = {"concurrency": concurrency, "worker_id": worker_id, "on_code_change": on_code_change}
        return Worker(self.blocking, queues, steps=steps, workflows=workflows, **options)

    def janitor(
        self,
        module: str,
        check: Callable[[Recovery], Union[Awaitable[Verdict], Verdict]],
        *,
        concurrency: int = 10,
        lease: float = 60.0,
    ) -> Janitor:
        """As hapax.Client.janitor."""
        return Janitor(self.blocking, module, check, concurrency=concurrency, lease=lease)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()


def _here(work: Callable[[Claim], Any]) -> Callable[[Claim], Any]:
    """Returns a function for threads that runs the work on this loop."""
    loop = Loop(asyncio.get_running_loop())
    return lambda claim: loop.blocking(claim, work)(claim)


def _wrapped(connect: Callable[P, blocking.Client]) -> Callable[P, Client]:
    @functools.wraps(connect)
    def call(*args: P.args, **kwargs: P.kwargs) -> Client:
        return Client(connect(*args, **kwargs))

    return call


connect = _wrapped(blocking.connect)
