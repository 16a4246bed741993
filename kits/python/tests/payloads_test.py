"""Large payloads in a store."""

from __future__ import annotations

import hashlib
import json
import unittest
from typing import Any, Dict, List

import hapax
from fakes import Fields, Operations, Server
from hapax.payloads import Payloads
from hapax.protocol import message
from parts_test import Parts, recorded


class Memory:
    """A store in memory."""

    def __init__(self) -> None:
        self.stored: Dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        ref = f"ref-{len(self.stored) + 1}"
        self.stored[ref] = data
        return ref

    def get(self, ref: str) -> bytes:
        return self.stored[ref]


LARGE = "x" * 2_000_000
DATA = json.dumps(LARGE).encode()
STORED = '{"@type":"hapax.dev/stored","ref":"ref-1","sha256":"%s","bytes":2000002}' % hashlib.sha256(DATA).hexdigest()


def output(payload: Any) -> Any:
    return message("hapax.v1.RecordedStep")(output=payload)


class PayloadTest(unittest.TestCase):
    def setUp(self) -> None:
        self.store = Memory()
        self.payloads = Payloads(self.store)

    def test_forms(self) -> None:
        """given values above 128 KiB, then their bytes are stored, and Hapax gets this text in the form of the value"""
        self.assertEqual(self.payloads.encode(LARGE), {"json": STORED})
        self.assertEqual(self.store.stored, {"ref-1": DATA})
        binary = self.payloads.encode(bytes(131_073))
        self.assertEqual(json.loads((binary or {})["binary"])["bytes"], 131_073)
        self.assertEqual(self.payloads.decode(output({"json": STORED}), "output"), LARGE)
        self.assertEqual(self.payloads.decode(output(binary), "output"), bytes(131_073))

    def test_small(self) -> None:
        """given values of at most 128 KiB, or no store, then they are sent as they are"""
        values: Any = [None, 7, "x" * 131_070, bytes(131_072)]
        for value in values:
            self.assertEqual(self.payloads.decode(output(self.payloads.encode(value)), "output"), value)
        self.assertEqual(self.store.stored, {})
        with self.assertRaisesRegex(ValueError, "at most 262144 bytes"):
            Payloads().encode(LARGE)

    def test_changed(self) -> None:
        """given other bytes in the store, of the same length or not, then reading fails for good"""
        for data in (DATA[:-2] + b'y"', DATA[:-1]):
            self.store.stored["ref-1"] = data
            with self.assertRaises(hapax.FinalFailure) as raised:
                self.payloads.decode(output({"json": STORED}), "output")
            self.assertEqual(raised.exception.failure_code, "STORED_PAYLOAD_CHANGED")

    def test_no_store(self) -> None:
        """given a stored payload and a client without a store, then the error says to connect with one"""
        with self.assertRaisesRegex(hapax.HapaxError, "in a store, as ref-1: connect with `payloads`"):
            Payloads().decode(output({"json": STORED}), "output")


class UseTest(unittest.TestCase):
    def setUp(self) -> None:
        self.store = Memory()

    def client(self, server: Server) -> hapax.Client:
        client = server.client()
        client._connection.payloads.store = self.store
        return client

    def test_once(self) -> None:
        """given a large result of an operation, then a duplicate gets it from the store"""
        client = self.client(Operations())
        for _ in range(2):
            self.assertEqual(client.once("pay", "r-1", lambda claim: LARGE, input=LARGE), LARGE)
        self.assertEqual(len(self.store.stored), 1)

    def test_broken_store(self) -> None:
        """given a store that fails after the work, then the operation is completed without its result"""
        server = Operations()
        client = self.client(server)
        self.store.put = lambda data: 1 / 0  # type: ignore
        with self.assertLogs("hapax", "ERROR"):
            self.assertEqual(client.once("pay", "r-1", lambda claim: LARGE), LARGE)
        with self.assertRaises(hapax.NotRetained):
            client.once("pay", "r-1", lambda claim: LARGE)

    def test_start(self) -> None:
        """given a large input, then it is stored, and the same start again has the same fingerprint"""
        server = Server(StartRun=lambda request: {"run": {"id": "run_1"}})
        client = self.client(server)
        for _ in range(2):
            client.runs.start("order", "order-1", LARGE)
        first, second = server.requests("StartRun")
        self.assertEqual((first.input.json, first.fingerprint), (STORED, hapax.fingerprint(LARGE)))
        self.assertNotEqual(first.input, second.input)
        self.assertEqual(first.fingerprint, second.fingerprint)
        client.runs.start("order", "order-2", 30)
        self.assertEqual(server.requests("StartRun")[-1].fingerprint, b"")

    def test_result(self) -> None:
        """given a stored output of a run that goes on, then it is read once the run is COMPLETED"""
        self.store.put(DATA)
        gets: List[str] = []
        self.store.get = lambda ref: gets.append(ref) or DATA  # type: ignore
        statuses = iter(["RUNNING", "COMPLETED"])
        server = Server(AwaitRun=lambda request: {"run": {"status": f"RUN_STATUS_{next(statuses)}", "output": {"json": STORED}}})
        self.assertEqual(self.client(server).runs.result("run_1", 0.1), LARGE)
        self.assertEqual(gets, ["ref-1"])

    def work(self, server: Parts, handler: Any) -> None:
        worker = self.client(server).worker("shop", {"pay": handler})
        worker.start()
        server.ended.wait(10)
        worker.stop(10)

    def test_task(self) -> None:
        """given large inputs, records and outputs, then a task reads them from the store, and stores its own"""
        self.store.put(DATA)
        stored: Fields = {"json": STORED}
        server = Parts(input=stored, run={"output": stored}, recorded=[recorded("old", STORED)])

        def handler(task: hapax.Task) -> Any:
            lengths = [len(each) for each in (task.input, task.previous_output, task.record("old", len))]
            return [lengths, len(task.record("new", lambda key: LARGE)), LARGE]

        self.work(server, handler)
        self.assertEqual(json.loads(self.store.stored["ref-3"]), [[2_000_000] * 3, 2_000_000, LARGE])
        self.assertEqual(server.reports[0].output.json, STORED.replace("ref-1", "ref-2"))
        self.assertIn('"ref":"ref-3"', server.the("CompleteTask").output.json)

    def test_step_of_broken_store(self) -> None:
        """given a store that fails for the output of a step, then the attempt fails, and may be tried again"""

        def put(data: bytes) -> str:
            raise OSError("no space is left")

        self.store.put = put  # type: ignore
        server = Parts()
        self.work(server, lambda task: LARGE)
        failed = server.the("FailTask")
        self.assertEqual((failed.failure.code, failed.kind), ("PAYLOAD_NOT_STORED", 1))
        self.assertIn("no space is left", failed.failure.message)

    def test_changed(self) -> None:
        """given changed bytes of a record, then the run fails for good, with the code"""
        self.store.put(DATA[:-1])
        server = Parts(recorded=[recorded("old", STORED)])
        self.work(server, lambda task: task.record("old", len))
        self.assertEqual(server.the("FailTask").failure.code, "STORED_PAYLOAD_CHANGED")
        self.assertEqual(server.the("FailTask").kind, 2)


if __name__ == "__main__":
    unittest.main()
