"""Parts of code workflows, with a server that is a fake."""

from __future__ import annotations

import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Tuple

import hapax
from fakes import MINUTE, Fields, Rejection
from hapax.protocol import enum_name
from worker_test import PATIENCE, Queue

FAST = hapax.Retry(max_attempts=3, initial=0.001)


def recorded(name: str, json: str = "1", **more: Any) -> Fields:
    return {"id": f"step_1/{name}", "name": name, "output": {"json": json}, **more}


class Parts(Queue):
    """Keeps what is reported of parts, and decides about failures: three attempts, with pauses in place."""

    def __init__(self, **task: Any) -> None:
        super().__init__()
        self.tasks[0].update(task)
        self.reports: List[Any] = []
        self.pause: Fields = {"retry_in": {"nanos": 1_000_000}, "hold": True}
        self.is_in_doubt = False
        self.decide = self.result

    def report(self, part: Any) -> Fields:
        self.reports.append(part)
        return self.decide(part)

    def result(self, part: Any) -> Fields:
        if part.HasField("begin"):
            return {"begun": {"step_id": f"step_1/{part.name}", "in_doubt": self.is_in_doubt}}
        if part.HasField("failure"):
            failed = {"failure": {"code": part.failure.failure.code, "message": "x"}, "attempts": part.failure.attempt}
            is_over = enum_name(part.failure, "kind") == "FINAL" or part.failure.attempt >= 3
            return {"failed": failed if is_over else {**failed, "retry_at": {"seconds": 1}, **self.pause}}
        return super().report(part)

    def the(self, rpc: str) -> Any:
        (request,) = self.requests(rpc)
        return request

    def names(self) -> List[str]:
        return [part.name for part in self.reports]

    def kinds(self) -> List[Tuple[str, str]]:
        return [(part.name, str(part.WhichOneof("result"))) for part in self.reports]


class Body:
    """A body that counts its runs, and fails so many times."""

    def __init__(self, failures: int = 0, error: Exception = ValueError("no connection")) -> None:
        self.failures, self.error = failures, error
        self.ids: List[str] = []

    def __call__(self, id: str) -> int:
        self.ids.append(id)
        if len(self.ids) <= self.failures:
            raise self.error
        return 7


class FailureTest(unittest.TestCase):
    def test_retried(self) -> None:
        """given a body that fails twice, then it runs again in place, and its output is recorded"""
        server, body = Parts(), Body(failures=2)
        server.work(lambda task: task.record("pay", body, retry=FAST))
        self.assertEqual(body.ids, ["step_1/pay"] * 3)
        self.assertEqual([part.failure.attempt for part in server.reports], [1, 2, 0])
        first = server.reports[0].failure
        self.assertEqual((first.retry.max_attempts, first.failure.code, enum_name(first, "kind")), (3, "ValueError", "RETRYABLE"))
        self.assertIn("no connection", first.failure.stack)
        self.assertIn("parts_test.py", first.failure.stack)
        self.assertEqual(server.the("CompleteTask").output.json, "7")

    def test_default(self) -> None:
        """given no retry, then the policy is that of the definition; retry_after of the failure is sent"""
        server = Parts()
        server.work(lambda task: task.record("pay", Body(1, hapax.RetryableFailure("BUSY", retry_after=30))))
        failure = server.reports[0].failure
        self.assertFalse(failure.HasField("retry"))
        self.assertEqual((failure.retry_after.seconds, failure.failure.code), (30, "BUSY"))

    def test_for_good(self) -> None:
        """given a failure for good, then the body runs once, and the task fails as the part did"""
        server, body = Parts(), Body(9, hapax.FinalFailure("DECLINED"))
        server.work(lambda task: task.record("pay", body))
        failed = server.the("FailTask")
        self.assertEqual(len(body.ids), 1)
        self.assertEqual((enum_name(failed, "kind"), failed.failure.code, failed.failure.part), ("FINAL", "DECLINED", "pay"))

    def test_caught(self) -> None:
        """given a part that failed for good before, then it raises the same, its body does not run, and code may catch it"""
        opened = {"name": "pay", "state": "PART_STATE_FAILED", "attempts": 8, "failure": {"code": "DECLINED", "message": "no"}}
        server, body = Parts(open_parts=[opened]), Body()

        def handler(task: hapax.Task) -> Any:
            try:
                task.record("pay", body)
            except hapax.PartFailed as error:
                return [error.part, error.code, error.message, error.attempts]

        server.work(handler)
        self.assertEqual(server.the("CompleteTask").output.json, '["pay","DECLINED","no",8]')
        self.assertEqual((body.ids, server.reports), ([], []))

    def test_long_pause(self) -> None:
        """given a pause that is not to be held, then the task is suspended for it, with the pending state"""
        server = Parts()
        server.pause = {"retry_in": {"seconds": 40}}

        def handler(task: hapax.Task) -> None:
            task.patch_state({"seen": True})
            task.record("pay", Body(1))

        server.work(handler)
        suspended = server.the("SuspendTask")
        self.assertTrue(39 <= suspended.duration.seconds <= 40)
        self.assertEqual(suspended.state_patch.json, '{"seen":true}')

    def test_due(self) -> None:
        """given a part whose next attempt is due later, then the task is suspended; one that is due runs as the next attempt"""

        def opened(seconds: float) -> Fields:
            return {"name": "pay", "state": "PART_STATE_RETRY", "attempts": 1, "due_at": {"seconds": int(time.time() + seconds)}}

        server, body = Parts(open_parts=[opened(100)]), Body()
        server.work(lambda task: task.record("pay", body))
        self.assertTrue(90 < server.the("SuspendTask").duration.seconds <= 100)
        self.assertEqual(body.ids, [])
        server = Parts(open_parts=[opened(-1)])
        server.work(lambda task: task.record("pay", Body(1)))
        self.assertEqual([part.failure.attempt for part in server.reports], [2, 0])

    def test_unknown_state(self) -> None:
        """given a part in a state that the kit does not know, then the task is released"""
        server, body = Parts(open_parts=[{"name": "pay", "state": 99}]), Body()
        server.work(lambda task: task.record("pay", body))
        self.assertEqual((server.the("ReleaseTask").delay.seconds, body.ids), (5, []))

    def test_unknown_outcome(self) -> None:
        """given a result without an outcome, then the attempt fails, with the advice to upgrade"""
        server = Parts()
        server.answers["RecordStep"] = lambda request: {"parts": {"results": [{}]}}
        server.work(lambda task: task.record("pay", Body()))
        failed = server.the("FailTask")
        self.assertEqual(enum_name(failed, "kind"), "RETRYABLE")
        self.assertIn("upgrade", failed.failure.message)

    def test_timeout(self) -> None:
        """given a body that takes too long, then that is a failure, and it runs again only after its end"""
        server, running, most = Parts(), 0, 0
        left: List[Any] = []

        def body(id: str, task: hapax.Task) -> int:
            nonlocal running, most
            running += 1
            most = max(most, running)
            left.append(task.time_left)
            if len(left) == 1:
                threading.Event().wait(0.4)
            running -= 1
            return 7

        server.work(lambda task: task.record("pay", lambda id: body(id, task), timeout=0.1, retry=FAST))
        self.assertEqual([part.failure.failure.code for part in server.reports], ["PART_TIMEOUT", ""])
        self.assertEqual((len(left), most), (2, 1))
        self.assertTrue(all(0 < each <= 0.1 for each in left))
        self.assertEqual(server.the("CompleteTask").output.json, "7")


class AtMostOnceTest(unittest.TestCase):
    begun = {"name": "pay", "state": "PART_STATE_BEGUN", "attempts": 2}

    def test_begins(self) -> None:
        """given a part that runs at most once, then its begin is reported before the body, and before each further attempt"""
        server = Parts()
        begun: List[int] = []

        def body(id: str) -> int:
            begun.append(len(server.reports))
            if len(begun) == 1:
                raise ValueError()
            return 7

        server.work(lambda task: task.record("pay", body, at_most_once=True))
        self.assertEqual([kind for _, kind in server.kinds()], ["begin", "failure", "begin", "output"])
        self.assertEqual(begun, [1, 3])

    def test_doubt(self) -> None:
        """given a part in doubt, then its body does not run, and the run fails with an unknown effect"""
        for server, options in (
            (Parts(open_parts=[self.begun]), {"at_most_once": True}),
            (Parts(open_parts=[self.begun]), {}),
            (Parts(), {"at_most_once": True}),
        ):
            server.is_in_doubt = True
            body = Body()
            server.work(lambda task, body=body, options=options: task.record("pay", body, **options))  # type: ignore[misc]
            failed = server.the("FailTask")
            self.assertEqual(body.ids, [])
            self.assertEqual(
                (enum_name(failed, "kind"), failed.failure.code, failed.failure.part, len(failed.parts)),
                ("UNKNOWN_EFFECT", "UNKNOWN_EFFECT", "pay", 0),
            )

    def test_verified(self) -> None:
        """given verify, then what it finds is recorded, also if that is None"""
        for found, json in ((8, "8"), (None, "null")):
            server, body = Parts(open_parts=[self.begun]), Body()
            server.work(lambda task: task.record("pay", body, at_most_once=True, verify=lambda id: found))
            self.assertEqual(body.ids, [])
            self.assertEqual([part.output.json for part in server.reports], [json])

    def test_not_done(self) -> None:
        """given verify that finds no effect, then a failure and a new begin are reported in one call, and the body runs"""
        server, body = Parts(open_parts=[self.begun]), Body()
        server.work(lambda task: task.record("pay", body, at_most_once=True, verify=lambda id: hapax.NOT_DONE))
        self.assertEqual([kind for _, kind in server.kinds()], ["failure", "begin", "output"])
        first = server.reports[0].failure
        self.assertEqual((first.attempt, first.failure.code, first.failure.message), (2, "NOT_DONE", "verify found no effect"))
        self.assertEqual([len(call.parts) for call in server.requests("RecordStep")], [2, 1])
        self.assertEqual(body.ids, ["step_1/pay"])

    def test_verify_fails(self) -> None:
        """given verify that raises, then the attempt of the step fails, and the part stays begun"""
        server = Parts(open_parts=[self.begun])
        server.work(lambda task: task.record("pay", Body(), at_most_once=True, verify=Body(1)))
        failed = server.the("FailTask")
        self.assertEqual((enum_name(failed, "kind"), failed.failure.part), ("RETRYABLE", "pay"))
        self.assertEqual(server.reports, [])

    def test_unknown_effect(self) -> None:
        """given a body whose effect is unknown, then the part is begun with the end of the task, whatever the handler catches"""

        def handler(task: hapax.Task, **options: Any) -> Any:
            try:
                return task.record("pay", Body(1, hapax.UnknownEffect("LOST")), **options)
            except Exception:
                return "caught"

        for options, parts in (({}, 1), ({"at_most_once": True}, 0)):
            server = Parts()
            server.work(lambda task, options=options: handler(task, **options))  # type: ignore[misc]
            failed = server.the("FailTask")
            self.assertEqual((enum_name(failed, "kind"), failed.failure.part), ("UNKNOWN_EFFECT", "pay"))
            self.assertEqual([part.HasField("begin") for part in failed.parts], [True] * parts)

    def test_timeout(self) -> None:
        """given a timeout, then the part stays begun, and the attempt of the step fails"""
        server = Parts()
        release = threading.Event()
        server.work(lambda task: task.record("pay", lambda id: release.wait(PATIENCE), at_most_once=True, timeout=0.05))
        release.set()
        failed = server.the("FailTask")
        self.assertEqual(
            (enum_name(failed, "kind"), failed.failure.code, failed.failure.part), ("RETRYABLE", "PART_TIMEOUT", "pay")
        )
        self.assertEqual([kind for _, kind in server.kinds()], ["begin"])


class NameTest(unittest.TestCase):
    def assert_failed(self, code: str, handler: Callable[[hapax.Task], Any], **task: Any) -> Parts:
        server = Parts(**task)
        server.work(handler)
        failed = server.the("FailTask")
        self.assertEqual((enum_name(failed, "kind"), failed.failure.code), ("FINAL", code), failed.failure.message)
        return server

    def test_repeats(self) -> None:
        """given a name again, then it is numbered, in each scope"""
        server = Parts()

        def branch(task: hapax.Task, item: str) -> None:
            for _ in range(2):
                task.record("price", Body())

        def handler(task: hapax.Task) -> None:
            for _ in range(2):
                task.record("pay", Body())
                task.map("item", ["a"], branch, key=str)

        server.work(handler)
        prices = [f"item{number}/a/price{repeat}" for number in ("", "#2") for repeat in ("", "#2")]
        self.assertEqual(server.names(), ["pay", *prices[:2], "pay#2", *prices[2:]])

    def test_refused(self) -> None:
        """given a name that a kit could not tell from its own ones, then the task fails for good"""
        for name in ("", "a/b", "pay#2", "x" * 256):
            self.assert_failed("STEP_NAME_INVALID", lambda task: task.record(name, Body()))
        self.assert_failed("STEP_NAME_INVALID", lambda task: task.patched("a/b"))
        self.assert_failed("STEP_NAME_INVALID", lambda task: task.map("m#1", ["a"], lambda each, item: None, key=str))

    def test_ambiguous(self) -> None:
        """given a name again while its first part runs, then the task fails for good, and the second body does not run"""
        second = Body()

        def handler(task: hapax.Task) -> None:
            begun, go = threading.Event(), threading.Event()

            def body(id: str) -> bool:
                begun.set()
                return go.wait(PATIENCE)

            threading.Thread(target=lambda: task.record("pay", body)).start()
            begun.wait(PATIENCE)
            try:
                task.record("pay", second)
            finally:
                go.set()

        server = self.assert_failed("STEP_NAME_AMBIGUOUS", handler)
        self.assertEqual(second.ids, [])
        self.assertEqual(server.names(), ["pay"])
        self.assert_failed(
            "STEP_NAME_AMBIGUOUS",
            lambda task: [task.record("pay", second) for _ in range(2)],
            recorded=[recorded("pay", overlapped=True)],
        )

    def test_kinds(self) -> None:
        """given a record of a wait where the code asks for a part, or the reverse, then the task fails for good"""
        self.assert_failed("STEP_CHANGED", lambda task: task.record("pay", Body()), recorded=[recorded("pay", is_wait=True)])
        self.assert_failed("STEP_CHANGED", lambda task: task.suspend("pay", 1), recorded=[recorded("pay")])

    def test_overlapped(self) -> None:
        """given parts at the same time, then both are recorded as overlapped; parts after each other are not"""
        server = Parts()

        def handler(task: hapax.Task) -> None:
            barrier = threading.Barrier(2)
            threads = [
                threading.Thread(target=lambda each=each: task.record(each, lambda id: barrier.wait(PATIENCE)))
                for each in ("a", "b")
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            task.record("c", Body())

        server.work(handler)
        self.assertEqual({part.name: part.overlapped for part in server.reports}, {"a": True, "b": True, "c": False})


class CodeChangeTest(unittest.TestCase):
    def run_with(self, handler: Callable[[hapax.Task], Any], records: List[Fields], **options: Any) -> Parts:
        server = Parts(recorded=records)
        server.work(handler, **options)
        return server

    def test_released(self) -> None:
        """given a record that the code has not asked for, then a new body does not run, and the task is released"""
        body = Body()
        server = self.run_with(lambda task: task.record("charge", body), [recorded("pay"), recorded("mail")])
        released = server.the("ReleaseTask")
        text = "records `pay`, `mail` are not asked for before `charge`"
        self.assertEqual((released.reason.code, released.reason.message), ("CODE_CHANGED", text))
        self.assertEqual((released.delay.seconds, body.ids), (5, []))
        server = self.run_with(lambda task: task.suspend("wait", 9), [recorded("pay")])
        self.assertEqual(server.the("ReleaseTask").reason.message, "records `pay` is not asked for before `wait`")

    def test_policies(self) -> None:
        """given fail, then the task fails for good; given warn, then it goes on"""
        server = self.run_with(lambda task: task.record("charge", Body()), [recorded("pay")], on_code_change="fail")
        failed = server.the("FailTask")
        self.assertEqual((enum_name(failed, "kind"), failed.failure.code), ("FINAL", "STEP_CHANGED"))
        with self.assertLogs("hapax", "WARNING") as logs:
            server = self.run_with(
                lambda task: [task.record(each, Body()) for each in ("charge", "ship")], [recorded("pay")], on_code_change="warn"
            )
        self.assertEqual(server.names(), ["charge", "ship"])
        self.assertEqual(len([line for line in logs.output if "has changed" in line]), 1)

    def test_delay(self) -> None:
        """given a run that is released again, then its delay doubles, up to 5 min"""
        server = Parts(recorded=[recorded("pay")])
        task = server.tasks[0]
        server.tasks = [{**task, "claim": {"id": f"t-{number}", "fence": number}} for number in range(8)]
        polls = list(server.tasks)
        done = threading.Event()

        def poll(request: Any) -> Fields:
            if polls and len(server.requests("ReleaseTask")) == 8 - len(polls):
                return {"tasks": [polls.pop(0)]}
            if not polls:
                done.set()
            return {}

        server.answers["PollTasks"] = poll
        worker = server.client().worker("shop", {"pay": lambda task: task.record("charge", Body())})
        worker.start()
        done.wait(PATIENCE)
        worker.stop(PATIENCE)
        delays = [request.delay.seconds for request in server.requests("ReleaseTask")]
        self.assertEqual(delays, [5, 10, 20, 40, 80, 160, 300, 300])

    def test_fits(self) -> None:
        """given records that overlapped, of other scopes, in another order, or of a deadline, then the code fits"""
        records = [
            recorded("late", overlapped=True),
            recorded("item/1/price"),
            recorded("patched/x", "true", overlapped=True),
            recorded("a"),
            recorded("b"),
            recorded("paid.deadline", '"x"', is_wait=True),
            recorded("paid", "5", is_wait=True),
        ]

        def handler(task: hapax.Task) -> int:
            task.record("b", Body())
            task.record("a", Body())
            task.await_signal("paid", timeout=9)
            return task.record("new", Body())

        server = self.run_with(handler, records)
        self.assertEqual((server.names(), server.the("CompleteTask").output.json), (["new"], "7"))

    def test_patched(self) -> None:
        """given patched, then it is recorded and true where no record is left over, false where one is, and always the same"""
        server = self.run_with(lambda task: [task.patched("x"), task.patched("x")], [])
        self.assertEqual(server.the("CompleteTask").output.json, "[true,true]")
        (part,) = server.reports
        self.assertEqual((part.name, part.output.json, part.overlapped), ("patched/x", "true", True))

        def later(task: hapax.Task) -> Any:
            before = task.patched("x")
            task.record("pay", Body())
            return [before, task.patched("x"), task.patched("y")]

        server = self.run_with(later, [recorded("pay")])
        self.assertEqual((server.the("CompleteTask").output.json, server.names()), ("[false,false,true]", ["patched/y"]))
        server = self.run_with(lambda task: task.patched("x"), [recorded("patched/x", "true", overlapped=True), recorded("pay")])
        self.assertEqual((server.the("CompleteTask").output.json, server.reports), ("true", []))


class RecordsTest(unittest.TestCase):
    def test_pages(self) -> None:
        """given records that did not fit into the task, then pages are read when a name is missing, and never after the last"""
        server = Parts(recorded=[recorded("a")], more_recorded_token="1")
        pages: Dict[str, Fields] = {
            "1": {"recorded": [recorded("b")], "next_page_token": "2"},
            "2": {"recorded": [recorded("c")]},
        }
        server.answers["ListRecords"] = lambda request: pages[request.page_token]
        reads: List[int] = []

        def handler(task: hapax.Task) -> None:
            for name in ("a", "b", "c", "d", "e"):
                task.record(name, Body())
                reads.append(len(server.requests("ListRecords")))

        server.work(handler)
        self.assertEqual((reads, server.names()), ([0, 1, 2, 2, 2], ["d", "e"]))

    def test_lost(self) -> None:
        """given a page that reports the loss of the claim, then nothing is recorded"""
        server = Parts(more_recorded_token="1")
        ended = threading.Event()

        def page(request: Any) -> Fields:
            ended.set()
            return {"claim_lost": {"reason": "CLAIM_LOST_REASON_RUN_CANCELLED"}}

        server.answers["ListRecords"] = page
        worker = server.client().worker("shop", {"pay": lambda task: task.record("pay", Body())})
        worker.start()
        ended.wait(PATIENCE)
        worker.stop(PATIENCE)
        self.assertEqual({call.rpc for call in server.calls}, {"GetServerInfo", "PollTasks", "ListRecords"})

    def together(self, server: Parts, count: int, *refused: int) -> List[Any]:
        """Records a part, and while that is under way `count` others, of which some are refused; returns the calls."""
        failed: List[int] = []
        first, go = threading.Event(), threading.Event()
        record = server.answers["RecordStep"]

        def hold(request: Any) -> Fields:
            if not first.is_set():
                first.set()
                go.wait(PATIENCE)
            return record(request)

        server.answers["RecordStep"] = hold

        def handler(task: hapax.Task) -> None:
            reports = task._execution.reports
            threads = [threading.Thread(target=lambda: task.record("first", Body()))]
            threads[0].start()
            first.wait(PATIENCE)

            def record(each: int) -> None:
                try:
                    task.record(f"part-{each}", lambda id: "x" * 100_000)
                except hapax.FinalFailure:
                    failed.append(each)

            threads += [threading.Thread(target=record, args=(each,)) for each in range(count)]
            for thread in threads[1:]:
                thread.start()
            while len(reports._waiting) < count:
                threading.Event().wait(0.001)
            go.set()
            for thread in threads:
                thread.join()

        server.work(handler)
        self.assertEqual(failed, list(refused))
        return server.requests("RecordStep")

    def test_batches(self) -> None:
        """given reports while a call is under way, then they go together, as many as fit into 768 KiB"""
        self.assertEqual([len(call.parts) for call in self.together(Parts(), 10)], [1, 7, 3])

    def test_refused_batch(self) -> None:
        """given a call of several reports that is refused, then each is sent alone, and only the wrong one fails"""
        server = Parts()
        record = server.answers["RecordStep"]

        def refuse(request: Any) -> Fields:
            if any(part.name == "part-1" for part in request.parts):
                raise Rejection("INVALID_ARGUMENT", "parts[1].name")
            return record(request)

        server.answers["RecordStep"] = refuse
        self.together(server, 3, 1)
        self.assertEqual(sorted(server.names()), ["first", "part-0", "part-2"])


class MapTest(unittest.TestCase):
    def test_order(self) -> None:
        """given branches, then their results have the order of the items, and at most so many run at once"""
        server, lock = Parts(), threading.Lock()
        running = most = 0

        def branch(task: hapax.Task, item: int) -> int:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            task.record("price", lambda id: threading.Event().wait(0.02))
            with lock:
                running -= 1
            return item * 2

        server.work(lambda task: task.map("item", range(9), branch, key=str, concurrency=3))
        self.assertEqual(server.the("CompleteTask").output.json, str([each * 2 for each in range(9)]).replace(" ", ""))
        self.assertEqual(most, 3)
        self.assertEqual(sorted(server.names()), sorted(f"item/{each}/price" for each in range(9)))
        self.assertFalse(any(part.overlapped for part in server.reports))

    def test_failure(self) -> None:
        """given branches that fail, then no other begins, the running ones end, and the first in the order of items is raised"""
        begun: List[int] = []
        both = threading.Barrier(2)

        def branch(task: hapax.Task, item: int) -> None:
            begun.append(item)
            both.wait(PATIENCE)
            if item == 0:
                threading.Event().wait(0.05)
            raise hapax.FinalFailure(f"CODE_{item}")

        server = Parts()
        server.work(lambda task: task.map("item", range(5), branch, key=str, concurrency=2))
        self.assertEqual((server.the("FailTask").failure.code, sorted(begun)), ("CODE_0", [0, 1]))

    def test_settled(self) -> None:
        """given a settled map, then all branches run, and each has a value or an error"""

        def branch(task: hapax.Task, item: int) -> int:
            if item == 1:
                raise ValueError("odd")
            return item

        def handler(task: hapax.Task) -> Any:
            outcomes = task.map("item", range(3), branch, key=str, settled=True)
            return [str(each.error) if each.error else each.value for each in outcomes]

        server = Parts()
        server.work(handler)
        self.assertEqual(server.the("CompleteTask").output.json, '[0,"odd",2]')

    def test_refused(self) -> None:
        """given keys that are equal, empty or have a slash, or a wait in a branch, then the task fails for good"""

        def wait(task: hapax.Task, item: str) -> None:
            task.suspend("wait", 1)

        def signal(task: hapax.Task, item: str) -> None:
            task.await_signal("paid")

        cases: List[Tuple[List[str], Any, str]] = [
            (["a", "a"], lambda task, item: None, "MAP_KEY_INVALID"),
            ([""], lambda task, item: None, "MAP_KEY_INVALID"),
            (["a/b"], lambda task, item: None, "MAP_KEY_INVALID"),
            (["a"], wait, "WAIT_IN_BRANCH"),
            (["a"], signal, "WAIT_IN_BRANCH"),
        ]
        for keys, work, code in cases:
            server = Parts()
            server.work(lambda task: task.map("item", keys, work, key=str))
            failed = server.the("FailTask")
            self.assertEqual((enum_name(failed, "kind"), failed.failure.code), ("FINAL", code))

    def test_pause(self) -> None:
        """given a branch that pauses, then the others end, and the task is suspended for the shortest pause"""
        server = Parts()
        pauses = {"item/0/price": 90, "item/1/price": 40}
        decide = server.decide

        def report(part: Any) -> Fields:
            server.pause = {"retry_in": {"seconds": pauses.get(part.name, 0)}}
            return decide(part)

        server.decide = report
        both = threading.Barrier(3)

        def branch(task: hapax.Task, item: int) -> None:
            def body(id: str) -> int:
                both.wait(PATIENCE)
                threading.Event().wait((0.1, 0, 0.2)[item])
                if item < 2:
                    raise ValueError()
                return item

            task.record("price", body)

        server.work(lambda task: task.map("item", range(3), branch, key=str))
        self.assertTrue(35 < server.the("SuspendTask").duration.seconds <= 40)
        self.assertIn(("item/2/price", "output"), server.kinds())

    def test_doubt(self) -> None:
        """given a branch that pauses, and then one whose effect is unknown, then the run fails"""
        server = Parts()
        server.pause = {"retry_in": {"seconds": 40}}
        both = threading.Barrier(2)

        def branch(task: hapax.Task, item: int) -> None:
            def body(id: str) -> None:
                both.wait(PATIENCE)
                if item == 0:
                    raise ValueError()
                threading.Event().wait(0.1)
                raise hapax.UnknownEffect("LOST")

            task.record("price", body)

        server.work(lambda task: task.map("item", range(2), branch, key=str))
        self.assertEqual(server.the("FailTask").failure.part, "item/1/price")


class StateTest(unittest.TestCase):
    def test_pending(self) -> None:
        """given changes of the state, then they go with the next output, once, and the last one wins"""
        server = Parts()

        def handler(task: hapax.Task) -> None:
            task.patch_state({"a": 1, "b": 1})
            task.patch_state({"b": 2})
            task.record("pay", Body(1))
            task.record("ship", Body())
            task.patch_state({"c": 3})

        server.work(handler)
        patches = [request.state_patch.json for request in server.requests("RecordStep")]
        self.assertEqual(patches, ["", '{"a":1,"b":2}', ""])
        self.assertEqual(server.the("CompleteTask").state_patch.json, '{"c":3}')

    def test_not_merged(self) -> None:
        """given an output that was recorded before, then the change goes with the next one, since it was not merged"""
        server = Parts()
        server.decide = lambda part: {"recorded": {"already": part.name == "pay", "output": {"json": "1"}}}

        def handler(task: hapax.Task) -> None:
            task.patch_state({"a": 1})
            task.record("pay", Body())
            task.record("ship", Body())

        server.work(handler)
        self.assertEqual([request.state_patch.json for request in server.requests("RecordStep")], ['{"a":1}'] * 2)

    def test_at_once(self) -> None:
        """given set_state, then it is a part of its own with the pending changes, and is not sent again"""
        server = Parts(recorded=[recorded("state", "null")])

        def handler(task: hapax.Task) -> None:
            task.set_state({"a": 1})
            task.patch_state({"b": 1, "c": 1})
            task.set_state({"c": 2})

        server.work(handler)
        (request,) = server.requests("RecordStep")
        self.assertEqual(server.names(), ["state#2"])
        self.assertEqual((request.state_patch.json, request.parts[0].output.json), ('{"b":1,"c":2}', "null"))

    def test_older_changes(self) -> None:
        """given a set_state that is recorded, then an older change of its members is not sent again after it"""
        server = Parts(recorded=[recorded("first", "1"), recorded("state", "null")])

        def handler(task: hapax.Task) -> None:
            task.patch_state({"done": 1, "b": 1})
            task.record("first", Body())
            task.set_state({"done": 2})
            task.record("last", Body())

        server.work(handler)
        (request,) = server.requests("RecordStep")
        self.assertEqual(request.state_patch.json, '{"b":1}')


class ServerTest(unittest.TestCase):
    def test_without_parts(self) -> None:
        """given a server without parts, then the worker does not poll, and says what to do"""
        server = Parts()
        server.answers["GetServerInfo"] = lambda request: {"server": {"version": "0.9.0"}}
        worker = server.client().worker("shop")
        with self.assertLogs("hapax", "ERROR"), self.assertRaisesRegex(
            hapax.HapaxError, r"lacks parts \(version 0\.9\.0\): upgrade"
        ):
            worker.run()
        self.assertEqual([call.rpc for call in server.calls], ["GetServerInfo"])

    def test_asks_once(self) -> None:
        """given a server that is unreachable at first, then the worker asks again, and once it is answered no more"""
        server = Parts()
        answer, failures = server.answers["GetServerInfo"], [1]

        def info(request: Any) -> Fields:
            if failures:
                failures.pop()
                raise Rejection("UNAVAILABLE", "no server")
            return answer(request)

        server.answers["GetServerInfo"] = info
        server.work(lambda task: task.last_attempt)
        self.assertEqual(len(server.requests("GetServerInfo")), 2)
        self.assertEqual(server.the("CompleteTask").output.json, "false")
