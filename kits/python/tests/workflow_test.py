"""Definitions, and workflows that a worker registers, with a server that is a fake."""

from __future__ import annotations

import asyncio
import json
import unittest
from typing import Any, List

import hapax
import hapax.aio
from fakes import Fields, Rejection, Server
from worker_test import PATIENCE, Queue


class Definitions(Queue):
    """Registers a definition, or refuses that."""

    def __init__(self, register: str = "", get: str = "", found: Fields = {}, starts: int = 60) -> None:
        super().__init__()
        self.tasks[0].update(step={"id": "step_1", "name": "main"}, run={"definition": "order"}, input={"json": '{"cents":30}'})
        self._register, self._get, self._found = register, get, found
        self._limits = [hapax.Limit("orders", max_starts=starts, per=60).fields()]
        self.answers.update(RegisterDefinition=self.register, GetDefinition=self.get)

    def register(self, request: Any) -> Fields:
        if self._register:
            raise Rejection(self._register, "this key may not define")
        return {}

    def get(self, request: Any) -> Fields:
        if self._get:
            raise Rejection(self._get, "no such definition")
        return {"definition": {"name": "order", "version": "1", "steps": [self._found], "limits": self._limits}}


LIMITS = [hapax.Limit("openai", input="/tenant", max_running=5), hapax.Limit("shop", label="shop", max_running=2)]


RUN_LIMITS = [hapax.Limit("orders", max_starts=60, per=60)]


@hapax.workflow("order", queue="orders", lease=1.5, retry=hapax.Retry(max_attempts=5), limits=LIMITS, run_limits=RUN_LIMITS)
def order(task: hapax.Task, input: Any) -> Any:
    return [task.record("charge", lambda key: key), input["cents"]]


@hapax.workflow("order", queue="orders")
async def async_order(task: hapax.aio.Task, input: Any) -> Any:
    return [await task.record("charge", lambda key: key), input["cents"]]


def step(queue: str = "orders", nanos: int = 500_000_000, attempts: int = 5, most: int = 5) -> Fields:
    limits = [{"name": "openai", "input": "/tenant", "max_running": most}, {"name": "shop", "label": "shop", "max_running": 2}]
    retry = {**RETRY, "max_attempts": attempts}
    return {"name": "main", "code": {"queue": queue, "lease": {"seconds": 1, "nanos": nanos}, "retry": retry, "limits": limits}}


RETRY = hapax.Retry().fields()


class WorkflowTest(unittest.TestCase):
    def test_registered(self) -> None:
        """given a workflow, then its worker registers one code step, polls its queue, and hands it the input"""
        server = Definitions()
        worker = server.client().worker("mail", workflows=[order])
        worker.start()
        self.assertEqual(len(server.requests("RegisterDefinition")), 1)
        self.assertTrue(server.ended.wait(PATIENCE))
        worker.stop(PATIENCE)
        (request,) = server.requests("RegisterDefinition")
        self.assertEqual((request.name, request.version, request.steps[0].name), ("order", "1", "main"))
        code = request.steps[0].code
        self.assertEqual((code.queue, code.lease.nanos, code.retry.max_attempts), ("orders", 500_000_000, 5))
        self.assertFalse(code.HasField("part_retry"))
        limits = [(each.name, each.input, each.label, each.max_running) for each in code.limits]
        self.assertEqual(limits, [("openai", "/tenant", "", 5), ("shop", "", "shop", 2)])
        self.assertEqual([each.WhichOneof("key") for each in code.limits], ["input", "label"])
        of_runs = [(each.name, each.max_starts, each.per.seconds) for each in request.limits]
        self.assertEqual(of_runs, [("orders", 60, 60)])
        self.assertEqual(list(server.requests("PollTasks")[0].queues), ["mail", "orders"])
        (completed,) = server.requests("CompleteTask")
        self.assertEqual(completed.output.json, '["step_1/charge",30]')

    def test_async(self) -> None:
        """given an async workflow, then a worker of hapax.aio does it, and one of threads refuses it"""
        server = Definitions()

        async def main() -> None:
            worker = hapax.aio.Client(server.client()).worker(workflows=[async_order])
            await worker.start()
            await hapax.aio.in_thread(server.ended.wait, PATIENCE)
            await worker.stop(PATIENCE)

        asyncio.run(main())
        (completed,) = server.requests("CompleteTask")
        self.assertEqual(completed.output.json, '["step_1/charge",30]')
        with self.assertRaisesRegex(TypeError, r"workflow order is an async function.*hapax\.aio"):
            server.client().worker(workflows=[async_order])

    def refusal(self, server: Definitions) -> str:
        worker = server.client().worker(workflows=[order])
        texts: List[str] = []
        for start in (worker.start, worker.run):
            with self.assertRaises(hapax.HapaxError) as raised:
                start()
            texts.append(str(raised.exception))
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(server.requests("PollTasks"), [])
        return texts[0]

    def test_exists(self) -> None:
        """given other steps under this version, then the worker does not start, and says what the server says"""
        self.assertEqual(self.refusal(Definitions("ALREADY_EXISTS")), "ALREADY_EXISTS: this key may not define")

    def test_not_permitted(self) -> None:
        """given a worker that may not define, then it starts if the same step is registered, and says what differs"""
        worker = Definitions("PERMISSION_DENIED", found=step()).client().worker(workflows=[order])
        worker.start()
        worker.stop(PATIENCE)
        text = self.refusal(Definitions("PERMISSION_DENIED", found=step("mail", 0, 3)))
        self.assertIn(
            'version "1" of "order" is registered with other steps: steps[0].code.queue is "mail" (this: "orders")', text
        )
        self.assertIn("steps[0].code.lease is 1s (this: 1.500s); steps[0].code.retry.max_attempts is 3 (this: 5)", text)
        text = self.refusal(Definitions("PERMISSION_DENIED", found=step(most=4)))
        self.assertRegex(text, r"steps\[0\]\.code\.limits is .*max_running: 4.* \(this: .*max_running: 5")
        text = self.refusal(Definitions("PERMISSION_DENIED", found=step(), starts=30))
        self.assertRegex(text, r"other steps: limits is .*max_starts: 30.* \(this: .*max_starts: 60")
        text = self.refusal(Definitions("PERMISSION_DENIED", found={"name": "ship", "task": {"queue": "orders"}}))
        self.assertIn("the steps are ship (this: a code step main)", text)

    def test_not_registered(self) -> None:
        """given a worker that may not define, and no definition, then it does not start, and says who can register it"""
        text = self.refusal(Definitions("PERMISSION_DENIED", "NOT_FOUND"))
        self.assertRegex(text, 'version "1" of "order" is not registered.*a role that may define')

    def test_unreadable(self) -> None:
        """given a worker that may neither define nor read, then it starts with a warning"""
        worker = Definitions("PERMISSION_DENIED", "PERMISSION_DENIED").client().worker(workflows=[order])
        with self.assertLogs("hapax", "WARNING") as logs:
            worker.start()
        worker.stop(PATIENCE)
        self.assertIn('version "1" of "order"', logs.output[0])

    def test_start(self) -> None:
        """given a workflow to start, then the run has its name and version, and its result is found by the start"""
        server = Server(
            StartRun=lambda request: {"run": {"id": "run_1"}, "disposition": "DISPOSITION_CREATED"},
            AwaitRun=lambda request: {"run": {"id": request.run_id, "status": "RUN_STATUS_COMPLETED", "output": {"json": "7"}}},
        )
        client = server.client()
        self.assertEqual(client.runs.result(client.runs.start(order, "order-1", {"cents": 30})), 7)
        client.runs.start(order, version="2")
        first, second = server.requests("StartRun")
        self.assertEqual((first.definition, first.definition_version, first.input.json), ("order", "1", '{"cents":30}'))
        self.assertEqual(second.definition_version, "2")
        self.assertEqual(server.requests("AwaitRun")[0].run_id, "run_1")


class DefinitionTest(unittest.TestCase):
    def test_register(self) -> None:
        """given an object or a text, then its JSON is sent, and the answer says whether it is new"""
        answers: List[Fields] = [{}, {"already": True}]
        server = Server(RegisterDefinition=lambda request: answers.pop(0))
        definition = {"name": "trial", "version": "1", "steps": [{"name": "wait", "timer": {"duration": "14d"}}]}
        client = server.client()
        self.assertTrue(client.definitions.register(definition))
        self.assertFalse(client.definitions.register(json.dumps(definition)))
        self.assertEqual([json.loads(each.json) for each in server.requests("RegisterDefinition")], [definition] * 2)

    def test_signal_output(self) -> None:
        """given a task after signal steps, then the payload of each is found by the name of its step"""
        server = Queue()
        server.tasks[0].update(signal_outputs=[{"step_name": "approval", "output": {"json": "true"}}, {"step_name": "mail"}])
        errors: List[str] = []

        def handler(task: hapax.Task) -> Any:
            with self.assertRaises(ValueError) as raised:
                task.signal_output("receipt")
            errors.append(str(raised.exception))
            return [task.signal_output("approval"), task.signal_output("mail")]

        server.work(handler)
        self.assertEqual(server.requests("CompleteTask")[0].output.json, "[true,null]")
        self.assertEqual(errors, ["no earlier signal step is named receipt"])
