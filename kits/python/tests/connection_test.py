"""The key, and that it is never sent without TLS beyond this machine."""

from __future__ import annotations

import os
import pathlib
import tempfile
import unittest
from typing import Any

import hapax
from fakes import Server


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
