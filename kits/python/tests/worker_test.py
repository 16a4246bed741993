"""Workers and code workflows, with a server that is a fake."""

from __future__ import annotations

import asyncio
import functools
import threading
import unittest
from typing import Any, Callable, Dict, List
from unittest import mock

import hapax
from fakes import MINUTE, Fields, Rejection, Server, unavailable
from hapax.protocol import enum_name

PATIENCE = 10.0


class Queue(Server):
    """Hands out one task, and keeps what becomes of it."""

    def __init__(self) -> None:
        super().__init__(
            PollTasks=self.poll,
            CompleteTask=self.end("completed"),
            FailTask=self.end("failed"),
            SuspendTask=self.end("suspended"),
            RecordStep=self.record,
            GetServerInfo=lambda request: {"server": {"version": "1.2.3", "features": ["SERVER_FEATURE_PARTS"]}},
            ReleaseTask=self.end("released"),
        )
        self.tasks: List[Dict[str, Any]] = [
            {"claim": {"id": "t-1", "fence": 1}, "step": {"id": "step_1", "name": "pay"}, "lease_remaining": MINUTE}
        ]
        self.ended = threading.Event()
        self.polled = threading.Event()

    def poll(self, request: Any) -> Fields:
        tasks, self.tasks = self.tasks, []
        self.polled.set()
        return {"tasks": tasks}

    def record(self, request: Any) -> Fields:
        return {"parts": {"results": [self.report(part) for part in request.parts]}}

    def report(self, part: Any) -> Fields:
        return {"recorded": {"output": {"json": part.output.json}}}

    def end(self, outcome: str) -> Callable[[Any], Fields]:
        def end(request: Any) -> Fields:
            self.ended.set()
            return {outcome: {}}

        return end

    def work(self, handler: Callable[[hapax.Task], Any], **options: Any) -> None:
        """Runs a worker until the task has ended."""
        worker = self.client().worker("shop", {"pay": handler}, **options)
        worker.start()
        self.ended.wait(PATIENCE)
        worker.stop(PATIENCE)


class RecordTest(unittest.TestCase):
    def failed(self, handler: Callable[[hapax.Task], Any]) -> Any:
        queue = Queue()
        queue.work(handler)
        (request,) = queue.requests("FailTask")
        return request

    def assert_final(self, request: Any, name: str) -> None:
        self.assertEqual((enum_name(request, "kind"), request.failure.code), ("FINAL", "RESULT_REFUSED"))
        self.assertIn(name, request.failure.message)

    def test_record(self) -> None:
        """given a record without a JSON, then the task is not retried, and the failure names the record"""
        self.assert_final(self.failed(lambda task: task.record("amount", lambda key: object())), "amount")
        self.assert_final(self.failed(lambda task: task.record("amount", lambda key: "x" * 300_000)), "amount")

    def test_state(self) -> None:
        """given a change of the state without a JSON, then the task is not retried, whether it ends or waits"""

        def suspend(task: hapax.Task) -> None:
            task.patch_state({"paid": object()})
            task.suspend("wait", 60)

        self.assert_final(self.failed(lambda task: task.patch_state({"paid": object()})), "state")
        self.assert_final(self.failed(suspend), "state")

    def test_output(self) -> None:
        """given an output without a JSON, then the task is not retried, and the failure names the step"""
        self.assert_final(self.failed(lambda task: object()), "pay")


class AsyncTest(unittest.TestCase):
    def test_refused(self) -> None:
        """given an async function as a handler, work, action or check, then it is refused at once, with the cure in the text"""

        async def charge(argument: object) -> None:
            pass

        class Charge:
            async def __call__(self, argument: object) -> None:
                pass

        server = Server()
        client = server.client()
        worker = client.worker("shop")
        functions: List[Any] = [charge, functools.partial(charge), Charge()]
        for function in functions:
            registrations: List[Callable[[Any], Any]] = [
                worker.step("charge"),
                lambda refused: client.worker("shop", {"charge": refused}),
                lambda refused: client.once("pay", "r-1", refused),
                lambda refused: client.once("pay", None, refused),
                lambda refused: client.entities.act("invoice", "I-17", "send", "billing", refused),
                lambda refused: client.janitor("shop", refused),
            ]
            for register in registrations:
                with self.assertRaisesRegex(TypeError, r"async function .*hapax\.aio"):
                    register(function)
        self.assertEqual(server.calls, [])

    def test_body(self) -> None:
        """given an async function as the body of a record, then the attempt fails with the cure in the text"""

        async def body(key: str) -> None:
            pass

        queue = Queue()
        queue.work(lambda task: task.record("pay", body))
        (request,) = queue.requests("FailTask")
        self.assertIn("hapax.aio", request.failure.message)

    def test_cure(self) -> None:
        """given a function that runs an async function, then the worker records its result"""

        async def charge(task: hapax.Task) -> str:
            return task.step_id

        queue = Queue()
        queue.work(lambda task: asyncio.run(charge(task)))
        (request,) = queue.requests("CompleteTask")
        self.assertEqual(request.output.json, '"step_1"')


class OutageTest(unittest.TestCase):
    def logged(self, level: str, logs: List[Any]) -> List[str]:
        return [record.getMessage() for record in logs if record.levelname == level]

    def test_outages(self) -> None:
        """given no server for some polls, then the worker logs that once, and once that it answers again; the same the next time"""
        queue = Queue()
        queue.tasks = []
        outage = [unavailable] * 3
        answers = outage + [queue.poll] + outage + [queue.poll]
        queue.answers["PollTasks"] = lambda request: (answers.pop(0) if answers else self.end(request))(request)
        self.done = threading.Event()
        worker = queue.client().worker("shop")
        with mock.patch("hapax.errors.random.uniform", return_value=0.001), self.assertLogs("hapax") as logs:
            worker.start()
            self.assertTrue(self.done.wait(PATIENCE))
            worker.stop(PATIENCE)
        warnings, infos = self.logged("WARNING", logs.records), self.logged("INFO", logs.records)
        self.assertEqual((len(warnings), len(infos)), (2, 2), logs.output)
        self.assertIn("cannot reach Hapax at 127.0.0.1:7420", warnings[0])
        self.assertIn("HAPAX_SERVER", warnings[0])
        self.assertIn("127.0.0.1:7420", infos[0])

    def end(self, request: Any) -> Callable[[Any], Fields]:
        self.done.set()
        return lambda _: {}

    def test_rejected(self) -> None:
        """given a server that rejects the key, then that is what the worker logs, not an outage"""

        def reject(request: Any) -> Fields:
            self.done.set()
            raise Rejection("UNAUTHENTICATED", "unknown key")

        self.done = threading.Event()
        queue = Queue()
        queue.answers["PollTasks"] = reject
        worker = queue.client().worker("shop")
        with self.assertLogs("hapax") as logs:
            worker.start()
            self.done.wait(PATIENCE)
            worker.stop(PATIENCE)
        self.assertFalse([line for line in logs.output if "cannot reach" in line], logs.output)
