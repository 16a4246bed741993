"""The test server: one process for the tests of this one, with an instance for each test."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from .. import aio
from ..client import Client
from ..connection import Connection, open_connection
from ..errors import HapaxError
from ..payloads import Store
from ..values import duration, seconds

_SERVICE = "hapax.test.v1.TestServerService"
_LONGEST_CALL = 600.0  # seconds; an advance takes as long as the work of the workers does
_STOP_TIMEOUT = 5.0


class Server:
    """A running test server, such as that of `server()`."""

    def __init__(self, address: str, process: "Optional[subprocess.Popen[str]]" = None) -> None:
        self.address, self._process = address, process
        self._connection = _connection(address)

    def instance(
        self, definitions: Sequence[str] = (), start: Optional[datetime] = None, payloads: Optional[Store] = None
    ) -> "Instance":
        """Returns an empty instance, whose clock starts at `start`, or on 2026-01-01.

        `definitions` are texts of definition files, `payloads` is the store of `connect`.

        Raises Refused if a definition breaks a rule.
        """
        at = {"seconds": int(start.timestamp())} if start else None
        created = self.call("CreateInstance", start=at, definitions=definitions)
        return Instance(self, created.instance, created.address, payloads)

    def call(self, rpc: str, **fields: Any) -> Any:
        # once: a repeated Advance would advance twice
        return self._connection.try_once(f"{_SERVICE}/{rpc}", fields, _LONGEST_CALL).response

    def close(self) -> None:
        """Ends the process, if it was started by this one."""
        self._connection.close()
        if self._process is not None:
            self._process.communicate()  # it ends when its input does


class Instance:
    """A Hapax in memory for one test, with a clock that stands still. Use it in a `with` statement, which deletes it."""

    def __init__(self, server: Server, id: str, address: str, payloads: Optional[Store]) -> None:
        self.address = address
        self._server, self._id = server, id
        self._connection = _connection(address)
        self._connection.payloads.store = payloads
        self.client = Client(self._connection)
        self.aio = aio.Client(self.client)  # the same client for asyncio

    def advance(self, by: Union[float, timedelta], *, past_holders: bool = False) -> datetime:
        """Advances the clock, by seconds or a timedelta of at most 3,650 days, and returns its time.

        It stops at each time at which work is due, and goes on when the workers have done it. It also waits for tasks that
        workers hold now, unless `past_holders`: then their leases expire, as if the workers had died.

        Raises Refused if a task is still held after 30 s.
        """
        length = by.total_seconds() if isinstance(by, timedelta) else by
        fields = {"instance": self._id, "by": duration(length), "past_holders": past_holders}
        return datetime.fromtimestamp(seconds(self._server.call("Advance", **fields).now), timezone.utc)

    def settle(self) -> None:
        """Waits until the workers have done all work that is due. Raises Refused if a task is still held after 30 s."""
        self._server.call("Settle", instance=self._id)

    def close(self) -> None:
        """Stops the workers of the client, and deletes the instance."""
        for each in self._connection.pollers:
            each.stop(_STOP_TIMEOUT)
        self.client.close()
        self._server.call("DeleteInstance", instance=self._id)

    def __enter__(self) -> "Instance":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


@functools.lru_cache(maxsize=None)
def server() -> Server:
    """Returns the test server of this process, which is started by the first call, and ends with the process.

    It is the one at the address HAPAX_TEST_SERVER, or `hapax test-server` of the folder HAPAX_HOME, or that of the PATH.
    """
    address = os.environ.get("HAPAX_TEST_SERVER")
    if address:
        return Server(address)
    home = os.environ.get("HAPAX_HOME")
    command = str(Path(home, "hapax")) if home else shutil.which("hapax")
    if command is None:
        text = "put its `hapax` on the PATH, or set HAPAX_TEST_SERVER to the address of a running `hapax test-server`"
        raise HapaxError(f"no test server found: set HAPAX_HOME to a Hapax distribution or checkout, {text}")
    try:
        process = subprocess.Popen([command, "test-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        raise HapaxError(f"{command} of HAPAX_HOME cannot be run: {error}") from error
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        process.communicate()
        raise HapaxError(f"{command} test-server ended with code {process.returncode} before it served; it says why above")
    started = Server(line, process)
    atexit.register(started.close)
    return started


def instance(definitions: Sequence[str] = (), start: Optional[datetime] = None, payloads: Optional[Store] = None) -> Instance:
    """Returns an empty instance of `server()`: see Server.instance."""
    return server().instance(definitions, start, payloads)


def _connection(address: str) -> Connection:
    # the variables of the `hapax` command are for another server
    return open_connection(address, "", False, "", "", "", "")
