"""Claims, their renewals and the options of what begins them, with a server that is a fake."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any, List
from unittest import mock

import hapax
import hapax.aio
from fakes import MINUTE, Operations, Rejection, Server, unavailable
from hapax.attempts import NULL
from hapax.claims import Claim, Renewals
from hapax.connection import Answer
from hapax.protocol import enum_name, message
from hapax.values import to_payload

PATIENCE = 10.0


class OnceTest(unittest.TestCase):
    def test_lost_unrecorded(self) -> None:
        """given a holder that heard of its loss and cannot reach Hapax at the end, then its claim is lost, not unrecorded"""
        server = Operations()
        server.answers["CompleteOperation"] = unavailable

        def work(claim: Claim) -> str:
            claim.revoke("LEASE_LOST")
            return "own"

        with mock.patch("hapax.connection.RECORD_TIMEOUT", 0.0), self.assertRaises(hapax.ClaimLost):
            server.client().once("pay", "r-1", work)

    def test_stale(self) -> None:
        """given the policy for a holder that died, then it is sent"""
        server = Server(BeginOperation=lambda _: {"indeterminate": {}})
        with self.assertRaises(hapax.Indeterminate):
            server.client().once("pay", "r-1", lambda claim: None, on_stale="HOLD")
        self.assertEqual(enum_name(server.requests("BeginOperation")[0], "on_stale"), "HOLD")

    def test_nested_code(self) -> None:
        """given the rejection of another call in the work, then its failure code is not recorded as that of the work"""
        server = Operations()

        def work(claim: Claim) -> None:
            raise hapax.Rejected("the card was declined", failure_code="CARD_DECLINED")

        with self.assertRaises(hapax.Rejected):
            server.client().once("pay", "r-1", work)
        self.assertEqual(server.requests("FailOperation")[0].failure.code, "Rejected")


class RenewalsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.changed = threading.Condition()
        self.renewed: List[List[str]] = []
        self.server = Server(HeartbeatTasks=self.heartbeat)
        self.slow = ""
        self.resume = threading.Event()
        self.addCleanup(self.resume.set)
        client = self.server.client()
        self.renewals = Renewals(client._connection, "WorkerService/HeartbeatTasks")

    def heartbeat(self, request: Any) -> Any:
        ids = [claim.id for claim in request.claims]
        with self.changed:
            self.renewed.append(ids)
            self.changed.notify_all()
        if self.slow in ids:
            self.resume.wait(6 * PATIENCE)
            raise Rejection("DEADLINE_EXCEEDED")
        return {"results": [{"renewed": {"lease_remaining": MINUTE}}] * len(ids)}

    def await_renewal(self, *ids: str) -> None:
        with self.changed:
            is_renewed = self.changed.wait_for(lambda: list(ids) in self.renewed, PATIENCE)
        self.assertTrue(is_renewed, f"{ids} are not in {self.renewed}")

    def keep(self, id: str, lease: float, *, is_due: bool = False) -> Claim:
        """Keeps a claim, which is due at once or at a third of its lease."""
        claim = Claim(message("hapax.v1.Claim")(id=id), Answer(None, time.monotonic(), 0.0), lease)
        if is_due:
            claim.due_at = 0.0
        self.renewals.keep(claim)
        self.addCleanup(self.renewals.release, claim)
        return claim

    def test_slow(self) -> None:
        """given a heartbeat that hangs, then a task with a shorter lease is renewed meanwhile"""
        self.slow = "long"
        self.keep("long", 60.0, is_due=True)
        self.await_renewal("long")
        urgent = self.keep("urgent", 20.0, is_due=True)
        self.await_renewal("urgent")
        self.assertFalse(urgent.is_lost)
        self.assertEqual(self.renewed, [["long"], ["urgent"]])

    def test_deadlines(self) -> None:
        """given tasks that are due with a short and a long lease, then the call for the short one has a third of its time"""
        with self.renewals._changed:
            # both are there when the renewals look
            self.keep("long", 60.0, is_due=True)
            self.keep("short", 9.0, is_due=True)
        self.await_renewal("short")
        self.await_renewal("long")
        timeouts = {call.request.claims[0].id: call.timeout for call in self.server.calls}
        self.assertEqual(timeouts, {"short": 3.0, "long": 5.0})

    def test_empty_details(self) -> None:
        """given details without content, then they are sent with the next renewal, too"""
        for details, sent in ((b"", {"binary": b""}), ("", {"json": '""'}), (None, {"json": "null"})):
            claim = Claim(message("hapax.v1.Claim")(id="c"), Answer(None, time.monotonic(), 0.0), 60.0)
            claim.details = to_payload(details) or NULL
            self.renewals.report(claim)
            (payload,) = self.server.calls[-1].request.details
            self.assertEqual(payload, message("hapax.v1.Payload")(**sent))
            self.assertIsNotNone(payload.WhichOneof("content"))
            self.assertIsNone(claim.details)


class LimitsTest(unittest.TestCase):
    def test_change(self) -> None:
        """given a limit that is set and removed, then both are sent, and the answers say what changed"""
        answers: List[Any] = [{"setting": {"max_running": 2}}, {}, {"already": True}]
        server = Server(SetLimit=lambda request: answers.pop(0))
        limits = server.client().limits
        self.assertTrue(limits.set("openai", max_running=2, key="acme", reason="slow"))
        self.assertTrue(limits.set("openai", max_starts=60, per=90))
        self.assertFalse(limits.remove("openai", "acme", of_definitions=True))
        change, rate, removal = server.requests("SetLimit")
        self.assertEqual((rate.key, rate.max_running, rate.max_starts, rate.per.seconds), ("", 0, 60, 90))
        self.assertEqual((change.name, change.key, change.max_running, change.reason), ("openai", "acme", 2, "slow"))
        self.assertEqual((removal.name, removal.key, removal.remove), ("openai", "acme", True))
        self.assertEqual((change.of_definitions, removal.of_definitions), (False, True))

    def test_pages(self) -> None:
        """given two pages of limits, then all are listed, also by hapax.aio"""

        def page(request: Any) -> Any:
            return {"limits": [{"key": "b"}]} if request.page_token else {"limits": [{"key": "a"}], "next_page_token": "next"}

        server = Server(ListLimits=page)
        self.assertEqual([each.key for each in server.client().limits.list("openai")], ["a", "b"])
        listed = asyncio.run(hapax.aio.Client(server.client()).limits.list())
        self.assertEqual([each.key for each in listed], ["a", "b"])
        self.assertEqual([each.name for each in server.requests("ListLimits")], ["openai", "openai", "", ""])


class ActTest(unittest.TestCase):
    def act(self, begun: Any, **options: Any) -> Any:
        self.server = Server(
            BeginAction=lambda _: begun, CompleteAction=lambda _: {"completed": {}}, FailAction=lambda _: {"failed": {}}
        )
        return self.server.client().entities.act("invoice", "I-17", "send", "billing", lambda claim: claim.fence, **options)

    def test_version(self) -> None:
        """given an expected version, then it is sent, and the action runs"""
        granted = {"granted": {"claim": {"id": "c-1", "fence": 7}, "lease_remaining": MINUTE}}
        self.assertEqual(self.act(granted, expected_version=3), 7)
        self.assertEqual(self.server.requests("BeginAction")[0].expected_version, 3)
        self.assertEqual(self.server.requests("CompleteAction")[0].output.json, "7")

    def test_refusals(self) -> None:
        """given an outcome without a grant, then it is an error of its kind"""
        with self.assertRaises(hapax.WrongStatus) as wrong:
            self.act({"wrong_status": {"status": "sent"}})
        self.assertEqual(wrong.exception.status, "sent")
        with self.assertRaises(hapax.NeedsRecovery):
            self.act({"needs_recovery": {}})


class HooksTest(unittest.TestCase):
    def test_create(self) -> None:
        """given a token, then it is asked for; its owner, or the loss of the step's claim, is the answer"""
        server = Server(CreateHook=lambda request: {"hook": {"fingerprint": "f"}})
        hooks = server.client().hooks
        hook = hapax.Hook("order/1", on_conflict="SUPERSEDE", expected_owner="run_0", retention=1.5, name="paid")
        self.assertEqual(hooks.create("run_1", hook), hapax.HookAnswer("", "f"))
        sent = server.requests("CreateHook")[0]
        self.assertEqual((sent.run_id, sent.token, sent.name, sent.expected_owner), ("run_1", "order/1", "paid", "run_0"))
        self.assertEqual((sent.retention.seconds, sent.retention.nanos), (1, 500_000_000))
        server.answers["CreateHook"] = lambda _: {"conflict": {"run_id": "run_2"}}
        self.assertEqual(hooks.create("run_1", hook).owner, "run_2")
        server.answers["CreateHook"] = lambda _: {"claim_lost": {"reason": "CLAIM_LOST_REASON_LEASE_LOST"}}
        with self.assertRaises(hapax.ClaimLost):
            hooks.create("run_1", hook)

    def test_queue(self) -> None:
        """given a start that queues, then its limit is sent, and the answer says how many runs are ahead"""
        queued = {"run": {"id": "run_2"}, "disposition": "DISPOSITION_QUEUED", "runs_ahead": 3, "superseded_run_ids": ["run_1"]}
        server = Server(StartRun=lambda _: queued)
        runs = server.client().runs
        started = runs.start("sync", hooks=[hapax.Hook("a", on_conflict="QUEUE", queue_limit=1, queue_full="SUPERSEDE")])
        self.assertEqual((started.disposition, started.run_id, started.runs_ahead), ("QUEUED", "run_2", 3))
        self.assertEqual(started.superseded_run_ids, ("run_1",))
        runs.start("sync", hooks=[hapax.Hook("a")])
        queue, plain = [
            (enum_name(hook, "on_conflict"), hook.queue_limit, enum_name(hook, "queue_full"))
            for request in server.requests("StartRun")
            for hook in request.hooks
        ]
        self.assertEqual(queue, ("QUEUE", 1, "SUPERSEDE"))
        self.assertEqual(plain, ("REJECT", 0, "UNSPECIFIED"))

    def test_get(self) -> None:
        """given a token, then its owner is found, or else the first run that waits"""
        server = Server(GetHook=lambda _: {"hook": {"run_id": "run_1"}, "waiting": [{"run_id": "run_2"}]})
        hooks = server.client().hooks
        self.assertEqual(hooks.get("a"), "run_1")
        server.answers["GetHook"] = lambda _: {"waiting": [{"run_id": "run_2"}, {"run_id": "run_3"}]}
        self.assertEqual(hooks.get("a"), "run_2")

    def test_dispose(self) -> None:
        """given a token, then dispose frees it for its run"""
        server = Server(DisposeHook=lambda _: {})
        server.client().hooks.dispose("order/1", "run_1")
        sent = server.requests("DisposeHook")[0]
        self.assertEqual((sent.token, sent.run_id), ("order/1", "run_1"))
