"""Stand-ins for a Hapax server, below the kit's connection and without a network."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import grpc
import hapax
from hapax.connection import Channels
from hapax.protocol import method

Fields = Mapping[str, Any]
MINUTE = {"seconds": 60}


class Rejection(grpc.RpcError):  # type: ignore[misc]
    """The status of a call that fails."""

    def __init__(self, code: str, text: str = "") -> None:
        self._code, self._text = code, text

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode[self._code]

    def details(self) -> str:
        return self._text

    def trailing_metadata(self) -> None:
        return None


class Call(NamedTuple):
    """A call that the server received."""

    rpc: str
    request: Any
    timeout: float
    metadata: "list[tuple[str, str]]"


class Server:
    """Answers each method by a function that gets the request, and returns the fields of the response or raises a Rejection."""

    def __init__(self, **answers: Callable[[Any], Fields]) -> None:
        self.answers: Dict[str, Callable[[Any], Fields]] = answers
        self.calls: List[Call] = []

    def client(self) -> hapax.Client:
        """Returns a client whose channel is this server."""
        client = hapax.connect("127.0.0.1:7420", workspace="test", tls=False, ca="", api_key="")
        self.join(client._connection)
        return client

    def join(self, connection: Any) -> None:
        connection._channels, connection._pid = Channels([self]), os.getpid()

    def requests(self, rpc: str) -> List[Any]:
        return [call.request for call in self.calls if call.rpc == rpc]

    def close(self) -> None:
        pass

    def unary_unary(self, path: str, *_: Any) -> Any:
        return _Method(self, path[len("/hapax.v1.") :])


class _Method:
    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name

    def future(self, request: Any, timeout: float, metadata: Any) -> "_Future":
        call = Call(self._name.partition("/")[2], request, timeout, metadata)
        self._server.calls.append(call)
        return _Future(self._server.answers[call.rpc], method(self._name)[2], request)


class _Future:
    def __init__(self, answer: Callable[[Any], Fields], response: Any, request: Any) -> None:
        self._answer, self._response, self._request = answer, response, request
        self._is_cancelled = False

    def cancel(self) -> None:
        self._is_cancelled = True

    def result(self) -> Any:
        if self._is_cancelled:
            raise grpc.FutureCancelledError()
        return self._response(**self._answer(self._request))


class Operations(Server):
    """Keeps operations, as far as the tests need it."""

    def __init__(self) -> None:
        super().__init__(
            BeginOperation=self.begin, CompleteOperation=self.complete, FailOperation=self.fail, RenewOperation=self.renew
        )
        self.fingerprints: Dict[Tuple[str, str], bytes] = {}
        self.results: Dict[str, Fields] = {}

    def begin(self, request: Any) -> Fields:
        key = (request.operation, request.request_id)
        if self.fingerprints.setdefault(key, request.fingerprint) != request.fingerprint:
            return {"key_reused": {}}
        result = self.results.get(str(key))
        return {"replay": {"result": result}} if result else acquired(str(key))

    def complete(self, request: Any) -> Fields:
        self.results[request.claim.id] = {"json": request.result.json}
        return {"completed": {}}

    def fail(self, request: Any) -> Fields:
        return {"failed": {}}

    def renew(self, request: Any) -> Fields:
        return {"renewed": {"lease_remaining": MINUTE}}


def acquired(id: str, lease: Optional[Fields] = None) -> Fields:
    return {"acquired": {"claim": {"id": id, "fence": 1}, "lease_remaining": lease or MINUTE}}


def unavailable(_: Any) -> Fields:
    raise Rejection("UNAVAILABLE", "failed to connect to all addresses")
