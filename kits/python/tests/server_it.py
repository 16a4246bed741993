"""Workflows on a test server: HAPAX_TEST_SERVER or HAPAX_HOME says where it is."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Dict, List

import hapax
import hapax.aio
import hapax.testing
from hapax.values import from_payload
from payloads_test import Memory
from testing_test import async_trial, trial

DAY = 86_400
WAIT_END = re.compile(r"\S+Z \d+ \d+")


class TrialTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = hapax.testing.instance()
        self.addCleanup(self.server.close)

    def start(self, workflow: Any) -> None:
        if workflow is async_trial:
            asyncio.run(self.server.aio.worker(workflows=[workflow]).start())
        else:
            self.server.client.worker(workflows=[workflow]).start()

    def trial(self, workflow: Any) -> None:
        runs = self.server.client.runs
        self.start(workflow)
        started = runs.start(workflow, "ada", "ada")
        self.server.settle()
        self.assertEqual(runs.get(started.run_id).status, "WAITING")
        self.assertEqual(self.server.advance(timedelta(days=13)), datetime(2026, 1, 14, tzinfo=timezone.utc))
        self.assertEqual(runs.get(started.run_id).status, "WAITING")
        self.server.advance(2 * DAY)
        self.assertEqual(runs.result(started), "paid")

    def test_threads(self) -> None:
        """given a workflow that waits for 14 days and a day, then it ends when the clock has advanced so far (U1)"""
        self.trial(trial)

    def test_asyncio(self) -> None:
        """given the same in asyncio, then the same (U1)"""
        self.trial(async_trial)

    def test_run_workflow(self) -> None:
        """given a workflow that fails, waits and gets a signal, then its parts without a server are those on a server (U9)"""
        failures = {"pay": [hapax.RetryableFailure("BUSY", "busy")] * 2}
        attempts: List[str] = []

        @hapax.workflow("order", queue="orders")
        def order(task: hapax.Task, input: int) -> Any:
            def pay(key: str) -> int:
                attempts.append(key)
                if is_on_server and len(attempts) <= 2:
                    raise failures["pay"][0]
                return input

            task.record("pay", pay)
            task.map("item", ["a", "b"], lambda branch, item: branch.record("price", lambda key: item), key=str, concurrency=1)
            task.suspend("cooling-off", 14 * DAY)
            approved = task.await_signal("approved", timeout=DAY)
            task.set_state({"approved": approved})
            late = task.await_signal("late", timeout=DAY)
            return [approved, late, task.patched("mail"), task.record("pay", lambda key: 2)]

        is_on_server = True
        self.start(order)
        started = self.server.client.runs.start(order, "o-1", 30, signal=hapax.Signal("approved", True))
        self.server.advance(16 * DAY)
        result = self.server.client.runs.result(started)
        is_on_server = False
        ran = hapax.testing.run_workflow(order, input=30, signals=[hapax.Signal("approved", True)], failures=failures)
        self.assertEqual(ran.result, result)
        self.assertEqual(list(ran.parts.items()), list(self.recorded(started.run_id).items()))
        self.assertEqual(ran.state, {"approved": True})

    def recorded(self, run_id: str) -> Dict[str, Any]:
        """The recorded values of a run on the server; the ends of waits are None."""
        events = self.server.client.call("RunService/ListRunEvents", run_id=run_id, page_size=500).events
        parts = [each.step_recorded for each in events if each.HasField("step_recorded")]
        values = {each.name: from_payload(each, "output") for each in parts}
        return {name: None if WAIT_END.fullmatch(str(value)) else value for name, value in values.items()}

    def test_parallel(self) -> None:
        """given 20 instances at once, then each has a clock and runs of its own (U2)"""
        results: Dict[int, str] = {}

        def test(number: int) -> None:
            with hapax.testing.instance() as server:
                server.client.worker(workflows=[trial]).start()
                started = server.client.runs.start(trial, "ada", "ada")
                server.advance(number * DAY)
                results[number] = server.client.runs.get(started.run_id).status

        threads = [threading.Thread(target=test, args=(number,)) for number in range(1, 21)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {number: "WAITING" if number < 15 else "COMPLETED" for number in range(1, 21)})

    def test_definitions(self) -> None:
        """given a definition with errors, then all of them are named with their paths; without, its timer follows the clock (U7)"""
        register = self.server.client.definitions.register
        with self.assertRaises(hapax.Refused) as raised:
            register(
                {"name": "wait", "steps": [{"name": "a", "timer": {"duration": "soon"}}, {"name": "b", "signal": {"type": 7}}]}
            )
        for path in ("version", "steps[0].timer.duration", "steps[1].signal.type"):
            self.assertIn(path, str(raised.exception))
        definition = {
            "name": "wait",
            "version": "1",
            "steps": [{"name": "wait", "timer": "14d"}, {"name": "s", "signal": {"type": "x"}}],
        }
        self.assertEqual([register(definition), register(definition)], [True, False])
        self.assertEqual(self.server.client.definitions.get("wait").steps[0].timer.duration.seconds, 14 * DAY)
        run_id = self.server.client.runs.start("wait").run_id
        self.server.advance(14 * DAY)
        self.assertEqual(self.server.client.runs.signal(run_id, hapax.Signal("x", 7)), "DELIVERED")
        self.assertEqual(self.server.client.runs.result(run_id), 7)

    def test_changed(self) -> None:
        """given a workflow under a version that has other steps, then its worker does not start, and says what differs (U8)"""
        self.start(trial)
        self.start(trial)
        changed = hapax.workflow("trial", queue="mail")(trial.handler)
        with self.assertRaisesRegex(hapax.HapaxError, r'steps\[0\]\.code\.queue is "trials" \(this: "mail"\)'):
            self.server.client.worker(workflows=[changed]).start()

    def test_after_failure(self) -> None:
        """given a wait that a lost worker leaves, then the rest of it is measured by the clock of the server"""

        @hapax.workflow("wait", queue="waits", lease=1)
        def wait(task: hapax.Task, input: Any) -> str:
            executions.append(task.attempt)
            if len(executions) == 2:
                raise ValueError("the execution after the first wait fails")
            task.suspend("first", 300 * DAY)
            task.suspend("second", 300 * DAY)
            return "done"

        executions: List[int] = []
        self.server = hapax.testing.instance(start=datetime(2090, 1, 1, tzinfo=timezone.utc))  # after the clock of this machine
        self.addCleanup(self.server.close)
        self.start(wait)
        started = self.server.client.runs.start(wait)
        self.server.advance(299 * DAY)
        self.assertEqual(len(executions), 1)
        self.server.advance(2 * DAY)
        self.server.advance(300 * DAY)
        self.assertEqual(self.server.client.runs.result(started), "done")
        self.assertEqual(len(executions), 4)


class PayloadTest(unittest.TestCase):
    def test_stored(self) -> None:
        """given an output of 2 MB, then it goes through the store, also in asyncio; changed bytes fail the run (O4)"""
        store = Memory()

        @hapax.workflow("large", queue="large")
        async def large(task: hapax.aio.Task, input: str) -> str:
            text = await task.record("double", lambda key: input * 2)
            await task.suspend("wait", DAY)
            return text + await task.record("again", lambda key: "!")

        with hapax.testing.instance(payloads=store) as server:
            asyncio.run(server.aio.worker(workflows=[large]).start())
            first, second = (server.client.runs.start(large, key, "x" * 1_000_000) for key in ("first", "second"))
            server.advance(DAY / 2)
            halves = [ref for ref, data in store.stored.items() if len(data) > 2_000_000]
            self.assertEqual(len(halves), 2)
            store.stored[halves[0]] = store.stored[halves[0]].replace(b"xx", b"xy", 1)
            server.advance(DAY)
            ended = sorted((self.result(server.client, run) for run in (first, second)), key=len)
            self.assertIn("STORED_PAYLOAD_CHANGED", ended[0])
            self.assertEqual(ended[1], "x" * 2_000_000 + "!")

    def result(self, client: hapax.Client, run: hapax.Started[str]) -> str:
        try:
            return client.runs.result(run)
        except hapax.RunFailed as failed:
            return str(failed)


class AgentTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = hapax.testing.instance()
        self.addCleanup(self.server.close)

    def program(self, *command: str) -> "subprocess.Popen[str]":
        environment = {**os.environ, "HAPAX_SERVER": self.server.address}
        program = subprocess.Popen([sys.executable, *command], env=environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def state(self, run_id: str) -> Any:
        run = self.server.client.call("RunService/GetRun", run_id=run_id).run
        return from_payload(run, "state")

    def test_example(self) -> None:
        """given the example, then its state shows the call to approve; other arguments are BUFFERED, its own let it pay (O2)"""
        program = self.program(str(Path(__file__).parent.parent / "examples" / "agent.py"))
        assert program.stdout is not None
        run_id = program.stdout.readline().split()[-1]
        self.server.settle()
        ((digits, call),) = self.state(run_id)["approvals"].items()
        self.assertEqual(call, {"tool": "pay", "arguments": {"invoice": "I-17", "cents": 1250}})
        self.assertEqual(digits, hapax.fingerprint(call["arguments"]).hex()[:16])
        other = hapax.fingerprint({"invoice": "I-17", "cents": 9000}).hex()[:16]
        signal = self.server.client.runs.signal
        self.assertEqual(signal(run_id, hapax.Signal(f"approval/{other}", {"approved": True})), "BUFFERED")
        self.server.settle()
        self.assertEqual(self.server.client.runs.get(run_id).status, "WAITING")
        self.assertEqual(signal(run_id, hapax.Signal(f"approval/{digits}", {"approved": True})), "DELIVERED")
        self.assertEqual(program.stdout.read().splitlines(), ["pays 1250 cents for I-17", "done: paid I-17"])
        self.assertNotIn("approvals", self.state(run_id))

    def test_killed(self) -> None:
        """given 50 calls, 15 % of which fail, and a worker that is killed 5 times, then each effect happens once (O1)"""
        with tempfile.TemporaryDirectory() as folder:
            effects = Path(folder, "effects")
            effects.touch()
            command = (str(Path(__file__).parent / "killed_agent.py"), str(effects))
            program = self.program(*command)
            started = None
            for kill in range(1, 6):
                while effects.read_text().count("pay") < 8 * kill:
                    if started is None:
                        started = self.start()
                    self.server.advance(60, past_holders=True)  # the pauses of the model
                program.kill()
                self.server.advance(60, past_holders=True)
                program = self.program(*command)
            assert started is not None
            while self.server.client.runs.get(started).status != "COMPLETED":
                self.server.advance(60, past_holders=True)
            self.assertEqual(self.server.client.runs.result(started), list(range(50)))
            lines = effects.read_text().splitlines()
        self.assertEqual(sorted(line for line in lines if "pay" in line), sorted(f"pay {turn}" for turn in range(50)))

    def start(self) -> "str | None":
        try:
            return self.server.client.runs.start("agent").run_id
        except hapax.Refused:  # not registered yet
            return None


if __name__ == "__main__":
    unittest.main()
