"""Async handlers and calls, with a server that is a fake."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
import time
import unittest
from typing import Any, Callable, Dict, List

import hapax
import hapax.aio
from fakes import Operations
from hapax.protocol import enum_name
from parts_test import Parts, recorded
from worker_test import PATIENCE, Queue

variable: "contextvars.ContextVar[str]" = contextvars.ContextVar("variable")


def work(server: Queue, handler: Callable[[Any], Any], **options: Any) -> None:
    """Runs a worker until the task and the bodies of its part pay have ended."""

    def await_end() -> None:
        server.ended.wait(PATIENCE)
        for thread in threading.enumerate():
            if thread.name == "hapax-pay":  # one whose timeout has passed may still be about to begin
                thread.join(PATIENCE)

    async def main() -> None:
        worker = hapax.aio.Client(server.client()).worker("shop", {"pay": handler}, **options)
        await worker.start()
        await hapax.aio.in_thread(await_end)
        await worker.stop(PATIENCE)

    asyncio.run(main())


class HandlerTest(unittest.TestCase):
    def test_parts(self) -> None:
        """given an async handler, then its parts are recorded: async bodies on its loop, others on threads"""
        server = Parts(input={"json": '{"cents":30}'})
        loops: Dict[str, Any] = {}

        async def body(id: str) -> str:
            loops["body"] = asyncio.get_running_loop()
            await asyncio.sleep(0)
            return id

        def blocking(id: str) -> bool:
            return threading.current_thread().name == "hapax-loop"

        async def handler(task: hapax.aio.Task) -> Any:
            loops["handler"] = asyncio.get_running_loop()
            first = await task.record("pay", body)
            again = await task.record("pay", lambda id: body(id))
            await task.set_state({"paid": True})
            return [task.input["cents"], first, again, await task.record("thread", blocking), await task.patched("fraud")]

        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, '[30,"step_1/pay","step_1/pay#2",false,true]')
        self.assertEqual(server.names(), ["pay", "pay#2", "state", "thread", "patched/fraud"])
        self.assertIs(loops["body"], loops["handler"])

    def test_sync_handler(self) -> None:
        """given a handler that is not async, then it runs on a thread, with a task of threads"""
        server = Parts()
        work(server, lambda task: task.record("pay", lambda id: type(task) is hapax.Task))
        self.assertEqual(server.the("CompleteTask").output.json, "true")

    def test_together(self) -> None:
        """given bodies that run together, then each waits for the others on one loop, and they are recorded as overlapped"""
        server = Parts()

        async def handler(task: hapax.aio.Task) -> Any:
            all_here = asyncio.Event()
            here: List[str] = []

            async def body(id: str) -> int:
                here.append(id)
                if len(here) == 40:  # more than an executor has threads
                    all_here.set()
                await all_here.wait()
                return len(here)

            return await asyncio.gather(*(task.record(f"part-{number}", body) for number in range(40)))

        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, str([40] * 40).replace(" ", ""))
        self.assertTrue(all(part.overlapped for part in server.reports))

    def test_ambiguous(self) -> None:
        """given one name used together, then the task fails for good"""
        server = Parts()

        async def handler(task: hapax.aio.Task) -> Any:
            await asyncio.gather(task.record("pay", lambda id: 1), task.record("pay", lambda id: 2))

        work(server, handler)
        self.assertEqual(server.the("FailTask").failure.code, "STEP_NAME_AMBIGUOUS")

    def test_order(self) -> None:
        """given records of parts that are awaited together, then none of them counts as not asked for"""
        for _ in range(20):
            names = [f"part-{number}" for number in range(10)]
            server = Parts(recorded=[recorded(name) for name in names[:-1]])

            async def handler(task: hapax.aio.Task) -> Any:
                return await asyncio.gather(*(task.record(name, lambda id: 1) for name in names))

            work(server, handler)
            self.assertEqual(server.requests("ReleaseTask"), [])
            self.assertEqual(server.names(), names[-1:])

    def test_map(self) -> None:
        """given a map with async work, then the parts of each branch have its key"""
        server = Parts()

        async def branch(task: hapax.aio.Task, item: str) -> str:
            return await task.record("price", lambda id: id)

        async def handler(task: hapax.aio.Task) -> Any:
            return await task.map("item", ["a", "b"], branch, key=str)

        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, '["step_1/item/a/price","step_1/item/b/price"]')

    def test_waits(self) -> None:
        """given a wait beside a body, then the body ends and is recorded, and the task is suspended"""
        server = Parts()

        async def handler(task: hapax.aio.Task) -> None:
            waits = asyncio.Event()

            async def body(id: str) -> int:
                await waits.wait()
                return 7

            async def suspend() -> None:
                try:
                    await task.suspend("cooling-off", 60)
                finally:
                    waits.set()

            await asyncio.gather(task.record("pay", body), suspend())

        work(server, handler)
        suspended = server.the("SuspendTask")
        self.assertEqual(suspended.duration.seconds, 59)
        self.assertEqual(sorted(server.names()), ["cooling-off", "pay"])

    def test_signal(self) -> None:
        """given a signal in the inbox, then it is received; without one, the task waits for it"""
        signal = {"signal_id": "s-1", "type": "approved", "payload": {"json": "true"}}

        async def handler(task: hapax.aio.Task) -> Any:
            return await task.await_signal("approved")

        server = Parts(signals=[signal])
        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, "true")
        server = Parts()
        work(server, handler)
        self.assertEqual(server.the("SuspendTask").signal_filter.type, "approved")

    def test_context(self) -> None:
        """given a context variable of the handler, then async bodies and bodies on threads have it"""
        server = Parts()

        async def body(id: str) -> str:
            return variable.get()

        async def handler(task: hapax.aio.Task) -> Any:
            variable.set("blue")
            return [await task.record("a", body), await task.record("b", lambda id: variable.get())]

        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, '["blue","blue"]')

    def test_failures(self) -> None:
        """given a FinalFailure, also of a body or in a group of tasks, then the run fails for good with its code"""

        async def fail(*_: Any) -> None:
            raise hapax.FinalFailure("DECLINED")

        async def record(task: hapax.aio.Task) -> None:
            await task.record("pay", fail)

        class Group(Exception):
            exceptions = [hapax.FinalFailure("DECLINED")]

        async def group(task: hapax.aio.Task) -> None:
            raise Group()

        handlers: List[Callable[[hapax.aio.Task], Any]] = [fail, record, group]
        for handler in handlers:
            server = Parts()
            work(server, handler)
            failed = server.the("FailTask")
            self.assertEqual((failed.failure.code, enum_name(failed, "kind")), ("DECLINED", "FINAL"))


class CancelTest(unittest.TestCase):
    def test_timeout(self) -> None:
        """given a body that is too slow, then it gets a CancelledError, and has failed with PART_TIMEOUT"""
        server = Parts()
        begun: List[str] = []
        seen: List[str] = []

        async def body(id: str) -> None:
            begun.append(id)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append(id)
                raise

        async def handler(task: hapax.aio.Task) -> None:
            await task.record("pay", body, timeout=0.2)

        work(server, handler)
        self.assertEqual([part.failure.failure.code for part in server.reports], ["PART_TIMEOUT"] * 3)
        # on a busy machine a body may be too late to begin
        self.assertIn("step_1/pay", seen)
        self.assertEqual(seen, begun)

    def test_own_timeout(self) -> None:
        """given a body that raises TimeoutError, or is cancelled by itself, then that is its failure"""
        for error, code in ((asyncio.TimeoutError(), "TimeoutError"), (asyncio.CancelledError(), "CANCELLED")):
            server = Parts()

            async def body(id: str) -> None:
                raise error

            async def handler(task: hapax.aio.Task) -> None:
                await task.record("pay", body, timeout=60)

            work(server, handler)
            self.assertEqual(server.reports[0].failure.failure.code, code)

    def test_lost(self) -> None:
        """given a claim that is lost, then the handler and its bodies get a CancelledError, and nothing is sent"""
        server = Parts()
        server.tasks[0]["lease_remaining"] = {"nanos": 300_000_000}
        server.answers["HeartbeatTasks"] = lambda request: {
            "results": [{"claim_lost": {"reason": "CLAIM_LOST_REASON_RUN_CANCELLED"}}]
        }
        cancelled: List[str] = []

        async def wait(name: str) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(name)
                if len(cancelled) == 2:
                    server.ended.set()
                raise

        async def handler(task: hapax.aio.Task) -> None:
            await asyncio.gather(task.record("pay", lambda id: wait("body")), wait("handler"))

        work(server, handler)
        self.assertEqual(sorted(cancelled), ["body", "handler"])
        self.assertEqual(server.reports + server.requests("FailTask") + server.requests("CompleteTask"), [])

    def test_blocked(self) -> None:
        """given a loop that is blocked for several leases, then the task is renewed meanwhile"""
        server = Parts()
        server.tasks[0]["lease_remaining"] = {"nanos": 200_000_000}
        server.answers["HeartbeatTasks"] = lambda request: {"results": [{"renewed": {"lease_remaining": {"nanos": 200_000_000}}}]}

        async def handler(task: hapax.aio.Task) -> bool:
            until = time.monotonic() + 1
            while time.monotonic() < until:  # no await: the loop does nothing else
                time.sleep(0.01)
            return task.is_lost

        work(server, handler)
        self.assertEqual(server.the("CompleteTask").output.json, "false")
        self.assertGreater(len(server.requests("HeartbeatTasks")), 5)


class CoroutineTest(unittest.TestCase):
    def test_refused(self) -> None:
        """given a function that returns a coroutine, then a client of threads refuses it, with the cure in the text"""

        async def charge(argument: Any) -> int:
            return 30

        def returned(task: Any) -> Any:
            return charge(task)

        def recorded(task: hapax.Task) -> Any:
            return task.record("pay", lambda id: charge(id))

        for handler in (returned, recorded):
            server = Parts()
            server.work(handler)
            failed = [*server.requests("FailTask"), *server.reports][-1]
            self.assertEqual(failed.failure.code, "RESULT_REFUSED")
            self.assertRegex(failed.failure.message, r"charge is an async function.*hapax\.aio\.connect\(\)")
        operations = Operations()
        with self.assertRaisesRegex(TypeError, r"hapax\.aio\.connect\(\)"):
            operations.client().once("pay", "r-1", returned)
        self.assertEqual([call.rpc for call in operations.calls], ["BeginOperation", "FailOperation"])


class ClientTest(unittest.TestCase):
    def test_once(self) -> None:
        """given async work, then it runs once on the loop of the caller, and its result is replayed"""
        server = Operations()
        ran: List[Any] = []

        async def work(claim: hapax.Claim) -> int:
            ran.append(asyncio.get_running_loop())
            return 30

        async def main() -> None:
            async with hapax.aio.Client(server.client()) as client:
                results = [await client.once("pay", "r-1", work, input={"cents": 30}) for _ in range(2)]
                self.assertEqual(results, [30, 30])
                self.assertEqual(ran, [asyncio.get_running_loop()])
                with self.assertRaises(hapax.KeyReused):
                    await client.once("pay", "r-1", work, input={"cents": 31})

        asyncio.run(main())

    def test_run(self) -> None:
        """given a worker that runs in an event loop, then SIGTERM lets it drain"""
        server = Queue()
        loop: Any = None

        async def handler(task: hapax.aio.Task) -> str:
            loop.call_soon_threadsafe(terminate)
            await task.record("pay", lambda id: asyncio.sleep(0.1))
            return "drained"

        def terminate() -> None:
            signal.raise_signal(signal.SIGTERM)

        async def main() -> None:
            nonlocal loop
            loop = asyncio.get_running_loop()
            await hapax.aio.Client(server.client()).worker("shop", {"pay": handler}).run()

        asyncio.run(main())
        (request,) = server.requests("CompleteTask")
        self.assertEqual(request.output.json, '"drained"')


if __name__ == "__main__":
    unittest.main()
