"""The key, and that it is never sent without TLS beyond this machine."""

from __future__ import annotations

import os
import pathlib
import socket
import tempfile
import time
import unittest
from concurrent import futures
from typing import Any, List, Tuple

import grpc

import hapax
from fakes import Server
from hapax.protocol import method


class KeyFileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "hapax.key")
        self.file.touch()
        os.utime(self.file, (1, 1))
        self.server = Server(GetRun=lambda _: {"run": {"id": "run_1"}})

    def connect(self, target: str, **options: Any) -> hapax.Client:
        client = hapax.connect(target, ca="", api_key_file=str(self.file), **options)
        self.server.join(client._connection)
        return client

    def test_plaintext(self) -> None:
        """given a key file that was empty at connect, when it is filled, then its key is not sent without TLS"""
        client = self.connect("192.0.2.1:7420", tls=False)
        client.runs.get("run_1")
        self.file.write_text("hpx_secret")
        with self.assertRaisesRegex(hapax.Unauthenticated, "not sent to 192.0.2.1:7420 without TLS") as refused:
            client.runs.get("run_1")
        self.assertNotIn("secret", str(refused.exception))
        self.assertEqual([call.metadata for call in self.server.calls], [[]])
        self.file.write_text("")
        os.utime(self.file, (2, 2))
        client.runs.get("run_1")

    def test_allowed(self) -> None:
        """given TLS, or this machine, then the key is sent once it is in the file"""
        for target, tls in (("192.0.2.1:7420", True), ("localhost:7420", False)):
            with self.subTest(target):
                self.file.write_text("")
                client = self.connect(target, tls=tls)
                self.file.write_text("hpx_secret")
                os.utime(self.file, (3, 3))
                client.runs.get("run_1")
                self.assertEqual(self.server.calls[-1].metadata, [("authorization", "Bearer hpx_secret")])

    def test_connect(self) -> None:
        """given a key at connect, then connect refuses a target without TLS"""
        with self.assertRaisesRegex(ValueError, "without TLS"):
            hapax.connect("192.0.2.1:7420", tls=False, ca="", api_key="hpx_secret")


class Counting(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A server that answers each call by a run, and counts them."""

    def __init__(self, address: str = "127.0.0.1:0") -> None:
        self.calls = 0
        self._server = grpc.server(futures.ThreadPoolExecutor(2), [self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port(address)}"
        self._server.start()

    def service(self, _: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(self._answer)

    def _answer(self, _: bytes, __: Any) -> bytes:
        self.calls += 1
        return bytes(method("RunService/GetRun")[2](run={"id": "run_1"}).SerializeToString())

    def stop(self) -> None:
        self._server.stop(None).wait()


class ServersTest(unittest.TestCase):
    def servers(self) -> Tuple[hapax.Client, List[Counting]]:
        """A client of two servers that is connected to both."""
        servers = [Counting(), Counting()]
        for server in servers:
            self.addCleanup(server.stop)
        client = hapax.connect(", ".join(server.address for server in servers), tls=False, ca="", api_key="")
        self.addCleanup(client.close)
        self.await_calls(client, servers)
        return client, servers

    def await_calls(self, client: hapax.Client, servers: List[Counting]) -> None:
        end = time.monotonic() + 20
        while not all(server.calls for server in servers):
            self.assertLess(time.monotonic(), end, "both servers must be called")
            client.runs.get("run_1")
        for server in servers:
            server.calls = 0

    def test_list(self) -> None:
        """given a list of two servers, then calls use them in turn; without one of them, the other one"""
        client, servers = self.servers()
        for _ in range(20):
            client.runs.get("run_1")
        self.assertEqual([server.calls for server in servers], [10, 10])

        servers[0].stop()
        for _ in range(20):
            client.runs.get("run_1")
        self.assertEqual([server.calls for server in servers], [10, 30])

        servers[0] = Counting(servers[0].address)
        self.addCleanup(servers[0].stop)
        self.await_calls(client, servers)

    def test_name(self) -> None:
        """given a name with two addresses, then calls use them in turn"""
        servers = [Counting(), Counting()]
        client = hapax.connect("127.0.0.1:1", tls=False, ca="", api_key="")
        self.addCleanup(client.close)
        client._connection._targets = ["ipv4:" + ",".join(server.address for server in servers)]  # a name without DNS
        self.await_calls(client, servers)
        for _ in range(20):
            client.runs.get("run_1")
        self.assertEqual([server.calls for server in servers], [10, 10])
        for server in servers:
            server.stop()

    def test_refused(self) -> None:
        """given a list that is malformed, then connect names it"""
        for server in ("a:1,", "a:1,b", "a:1,::1"):
            with self.subTest(server), self.assertRaisesRegex(ValueError, rf"or a list HOST:PORT,HOST:PORT \(was {server}\)"):
                hapax.connect(server)
        with self.assertRaisesRegex(ValueError, "not sent to localhost:1,a:2 without TLS"):
            hapax.connect("localhost:1,a:2", tls=False, ca="", api_key="hpx_secret")

    def test_call_timeout(self) -> None:
        """given a call timeout, when there is no server, then a call fails after it, and names the address"""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        client = hapax.connect(address, tls=False, ca="", api_key="", call_timeout=0.001)
        self.addCleanup(client.close)
        begun = time.monotonic()
        with self.assertRaisesRegex(hapax.Unavailable, address):
            client.runs.get("run_1")
        self.assertLess(time.monotonic() - begun, 5)
        with self.assertRaisesRegex(ValueError, "call_timeout must be positive"):
            hapax.connect(call_timeout=0)
