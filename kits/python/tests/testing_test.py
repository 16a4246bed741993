"""Runs without a server, and the fit check."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import mock

import hapax
import hapax.aio
import hapax.testing
from google.protobuf import json_format
from hapax.protocol import message

TIMED_OUT = {"@type": "hapax.dev/signal-timeout"}


@hapax.workflow("trial", queue="trials")
def trial(task: hapax.Task, input: str) -> str:
    task.record("welcome", lambda key: f"mail to {input}")
    task.suspend("trial", 14 * 86_400)
    if task.await_signal("cancelled", timeout=86_400, default=False):
        return "cancelled"
    task.patch_state({"paid": True})
    task.record("pay", lambda key: 30, retry=hapax.Retry(max_attempts=3))
    return "paid"


@hapax.workflow("trial", queue="trials")
async def async_trial(task: hapax.aio.Task, input: str) -> str:
    await task.record("welcome", lambda key: asyncio.sleep(0, f"mail to {input}"))
    await task.suspend("trial", 14 * 86_400)
    if await task.await_signal("cancelled", timeout=86_400, default=False):
        return "cancelled"
    task.patch_state({"paid": True})
    await task.record("pay", lambda key: asyncio.sleep(0, 30), retry=hapax.Retry(max_attempts=3))
    return "paid"


class RunTest(unittest.TestCase):
    def test_run(self) -> None:
        """given a workflow with waits, async or not, then it runs to its end at once, with its parts in order"""
        workflows: List[Any] = [trial, async_trial]
        for workflow in workflows:
            ran = hapax.testing.run_workflow(workflow, input="ada")
            self.assertEqual((ran.result, ran.slept, ran.state), ("paid", 15 * 86_400, {"paid": True}))
            values = [
                ("welcome", "mail to ada"), ("trial", None), ("cancelled.deadline", None), ("cancelled", TIMED_OUT), ("pay", 30)
            ]  # fmt: skip
            self.assertEqual(list(ran.parts.items()), values)

    def test_signal(self) -> None:
        """given a signal in the inbox, then it ends the wait; without it, the error says what to give"""
        ran = hapax.testing.run_workflow(trial, input="ada", signals=[hapax.Signal("cancelled", True)])
        self.assertEqual((ran.result, ran.slept), ("cancelled", 14 * 86_400))
        with self.assertRaisesRegex(
            hapax.RunFailed, "waits for a signal of type approved, which is not there: give it in signals"
        ):
            hapax.testing.run_workflow(lambda task: task.await_signal("approved"))

    def test_failures(self) -> None:
        """given failures of a part, then its first attempts raise them, the pauses are skipped, and its body runs after them"""
        busy = hapax.RetryableFailure("BUSY", retry_after=60)
        ran = hapax.testing.run_workflow(trial, input="ada", failures={"pay": [busy, ValueError("503")]})
        self.assertEqual((ran.result, ran.parts["pay"], ran.slept), ("paid", 30, 15 * 86_400 + 60 + 2))
        with self.assertRaises(hapax.PartFailed) as raised:
            hapax.testing.run_workflow(trial, input="ada", failures={"pay": [ValueError("503")] * 3})
        self.assertEqual((raised.exception.part, raised.exception.code, raised.exception.attempts), ("pay", "ValueError", 3))

    def test_decided(self) -> None:
        """given policies of retries, then they decide as those of a server: kinds, codes, times"""
        policies: List[Any] = [
            (hapax.FinalFailure("DECLINED"), hapax.Retry(), 1),
            (hapax.RetryableFailure("LATE"), hapax.Retry(non_retryable=["LATE"]), 1),
            (hapax.RetryableFailure("LATE"), hapax.Retry(retry_only=["BUSY"]), 1),
            (hapax.RetryableFailure("LATE"), hapax.Retry(max_attempts=-1, initial=10, factor=1, give_up_after=35), 4),
            (hapax.RetryableFailure("LATE"), None, 8),
        ]
        for error, retry, attempts in policies:
            with self.assertRaises(hapax.PartFailed) as raised:
                hapax.testing.run_workflow(lambda task: task.record("pay", len, retry=retry), failures={"pay": [error] * 9})
            self.assertEqual(raised.exception.attempts, attempts)

    def test_caught(self) -> None:
        """given a part that failed for good and a wait after it, then the part raises the same again, and its body never runs"""
        seen: List[int] = []

        def handler(task: hapax.Task) -> None:
            try:
                task.record("pay", lambda key: seen.append(-1))
            except hapax.PartFailed as error:
                seen.append(error.attempts)
            task.suspend("wait", 60)

        hapax.testing.run_workflow(handler, failures={"pay": [hapax.FinalFailure("DECLINED")]})
        self.assertEqual(seen, [1, 1])

    def test_map(self) -> None:
        """given branches and repeated names, then the full names are those of a server"""

        def handler(task: hapax.Task) -> Any:
            task.record("fetch", len)
            task.record("fetch", len, at_most_once=True)
            return task.map("item", ["a"], lambda branch, item: branch.record("price", lambda key: key), key=str)

        ran = hapax.testing.run_workflow(handler, failures={"item/a/price": [ValueError("503")]})
        self.assertEqual(list(ran.parts), ["fetch", "fetch#2", "item/a/price"])
        self.assertEqual(ran.result, ["step_test/item/a/price"])

    def test_raised(self) -> None:
        """given an exception of the handler, then it is raised, as is code that changes between its executions"""

        def handler(task: hapax.Task) -> None:
            raise KeyError("cents")

        with self.assertRaises(KeyError):
            hapax.testing.run_workflow(handler)
        names = iter(["first", "second"])

        def random(task: hapax.Task) -> None:
            task.record(next(names), lambda key: 1)
            task.suspend("wait", 60)

        with self.assertRaisesRegex(hapax.RunFailed, "STEP_CHANGED records `first`, `wait` are not asked for before `second`"):
            hapax.testing.run_workflow(random)


class FitTest(unittest.TestCase):
    def fits(self, handler: Any, *tasks: Dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "runs.jsonl")
            file.write_text("".join(export(f"run_{number}", **task) for number, task in enumerate(tasks)), encoding="utf-8")
            hapax.testing.fits(handler, file)

    def test_versions(self) -> None:
        """given runs of former code, then renamed and inserted parts do not fit; patched, appended and swapped ones do"""
        began = {"recorded": [part("pay")]}
        waited = {"recorded": [part("pay"), part("wait", '"2100-01-15T00:00:00Z 1 1"', is_wait=True), part("mail")]}
        with self.assertRaises(hapax.testing.DoesNotFit) as raised:
            self.fits(handler("charge", "wait", "mail"), began, {"recorded": []}, waited)
        text = "2 of 3 runs do not fit the code:\n  run_0: records `pay` is not asked for before `charge`\n  run_2: records"
        self.assertTrue(str(raised.exception).startswith(text), raised.exception)
        with self.assertRaisesRegex(hapax.testing.DoesNotFit, "run_0: records `mail` is not asked for before `post`"):
            self.fits(handler("pay", "wait", "post"), waited)  # a wait that has a record after it is over
        with self.assertRaisesRegex(hapax.testing.DoesNotFit, "run_1: records `pay`.* before `fraud-check`"):
            self.fits(handler("fraud-check", "pay", "wait", "mail"), {"recorded": []}, began)
        self.fits(handler("pay", "wait", "mail"), began, waited)
        self.fits(handler("patched fraud-check", "pay", "wait", "mail"), began, waited, {"recorded": []})
        self.fits(handler("pay", "wait", "mail", "survey"), began, waited)
        swapped = {"recorded": [part("pay", overlapped=True), part("stock", overlapped=True)]}
        self.fits(handler("stock", "pay", "wait"), swapped)

    def test_async(self) -> None:
        """given an async workflow, then its runs are checked too"""
        began = {"recorded": [part("welcome")], "input": {"json": '"ada"'}}
        self.fits(async_trial, began)
        with self.assertRaisesRegex(hapax.testing.DoesNotFit, "run_0: records `mail` is not asked for before `welcome`"):
            self.fits(async_trial, {**began, "recorded": [part("mail")]})

    def test_raised(self) -> None:
        """given an exception over the records, then the code does not fit; given a part that failed or is in doubt, it does"""

        def changed(task: hapax.Task) -> None:
            task.record("pay", lambda key: {"receipt": 7})["number"]

        with self.assertRaisesRegex(hapax.testing.DoesNotFit, "run_0: KeyError: 'number'"):
            self.fits(changed, {"recorded": [part("pay", '{"receipt":7}')]})
        failure = {"code": "DECLINED", "message": "no"}
        failed = {"name": "pay", "state": "PART_STATE_FAILED", "attempts": 1, "failure": failure}
        begun = {"name": "pay", "state": "PART_STATE_BEGUN"}
        self.fits(changed, {"open_parts": [failed]}, {"open_parts": [begun]})

    def test_bodies(self) -> None:
        """given bodies and verify of any kind, then none of them runs"""
        ran: List[str] = []

        def effects(task: hapax.Task) -> None:
            task.map("item", ["a", "b"], lambda branch, item: branch.record("price", ran.append), key=str)
            task.record("pay", ran.append, at_most_once=True, verify=ran.append, timeout=60)

        prices = [part(f"item/{key}/price") for key in ("a", "b")]
        tasks: List[Dict[str, Any]] = [{}, {"recorded": prices[:1]}, {"recorded": prices}]
        begun = {"name": "pay", "state": "PART_STATE_BEGUN"}
        self.fits(effects, *tasks, {"recorded": prices, "open_parts": [begun]})
        self.assertEqual(ran, [])


def handler(*names: str) -> Callable[[hapax.Task], None]:
    """Code with these parts; one of the name `wait` is a wait."""

    def body(key: str) -> Any:
        raise AssertionError("a body must not run")

    def run(task: hapax.Task) -> None:
        for name in names:
            if name == "wait":
                task.suspend(name, 14 * 86_400)
            elif not name.startswith("patched ") or task.patched(name[len("patched ") :]):
                task.record(name.rpartition(" ")[2], body)

    return run


def part(name: str, json: str = "1", **more: Any) -> Dict[str, Any]:
    return {"name": name, "output": {"json": json}, **more}


def export(run_id: str, **task: Any) -> str:
    """A line of `hapax run export`."""
    exported = message("hapax.v1.Task")(run={"id": run_id}, step={"name": "main", "attempt": 1}, **task)
    return json.dumps(json_format.MessageToDict(exported), ensure_ascii=False) + "\n"


class FindTest(unittest.TestCase):
    def test_none(self) -> None:
        """given no test server, then the error says how to get one; given a program that fails, it names that"""
        hapax.testing.server.cache_clear()
        with mock.patch.dict(os.environ, {"PATH": "", "HAPAX_HOME": "", "HAPAX_TEST_SERVER": ""}):
            with self.assertRaisesRegex(hapax.HapaxError, "no test server found: set HAPAX_HOME .* or set HAPAX_TEST_SERVER"):
                hapax.testing.server()
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "hapax")
            program.write_text("#!/bin/sh\nexit 3\n")
            with mock.patch.dict(os.environ, {"HAPAX_HOME": folder, "HAPAX_TEST_SERVER": ""}):
                with self.assertRaisesRegex(hapax.HapaxError, "hapax of HAPAX_HOME cannot be run: .*ermission denied"):
                    hapax.testing.server()
                program.chmod(0o700)
                with self.assertRaisesRegex(hapax.HapaxError, "hapax test-server ended with code 3 before it served"):
                    hapax.testing.server()
