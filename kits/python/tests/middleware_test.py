"""The middleware, in front of applications and a server that are fakes."""

from __future__ import annotations

import asyncio
import contextvars
import io
import json
import unittest
from typing import Any, Callable, Dict, List, Mapping, NamedTuple
from unittest import mock

import hapax
from fakes import Operations
from hapax.middleware import AsgiIdempotency, Idempotency, WsgiIdempotency

KEY = (b"idempotency-key", b"k-1")
START = {"type": "http.response.start", "status": 201, "headers": [(b"content-type", b"text/plain")]}


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def asgi(
    app: Any, server: Operations, chunks: Any = (b"30",), headers: Any = (KEY,), required: bool = False, **scope: Any
) -> Reply:
    """Sends a request through the middleware, with a body in chunks."""
    middleware = AsgiIdempotency(app, Idempotency(server.client(), required=required))
    sent: List[Any] = []
    received = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks] + [{"type": "http.request"}]

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    request = {"type": "http", "method": "POST", "path": "/pay", "query_string": b"", "headers": list(headers), **scope}
    asyncio.run(middleware(request, receive, send))
    replied = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Reply(sent[0]["status"], replied, b"".join(each.get("body", b"") for each in sent[1:]))


def asgi_app(do: Callable[[], bytes]) -> Any:
    """Answers with what `do` returns."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = do()
        await send(START)
        await send({"type": "http.response.body", "body": body})

    return app


class Counter:
    """A handler that numbers its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> bytes:
        self.calls += 1
        return f"receipt {self.calls}".encode()


class AsgiTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server, self.pay = Operations(), Counter()
        self.app = asgi_app(self.pay)

    def test_streams(self) -> None:
        """given an app that streams until its client disconnects, then its whole response is sent, and replayed"""

        async def stream(send: Any) -> None:
            await send(START)
            for number in range(3):
                await asyncio.sleep(0)
                await send({"type": "http.response.body", "body": str(number).encode(), "more_body": True})
            await send({"type": "http.response.body"})

        async def disconnect(receive: Any) -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        async def app(scope: Any, receive: Any, send: Any) -> None:
            tasks = [asyncio.ensure_future(stream(send)), asyncio.ensure_future(disconnect(receive))]
            _, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()

        self.assertEqual(asgi(app, self.server).body, b"012")
        replay = asgi(app, self.server)
        self.assertEqual((replay.body, replay.headers["idempotent-replayed"]), (b"012", "true"))

    def test_unfinished(self) -> None:
        """given an app that ends before its response does, then nothing is recorded, and the key is free"""

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send(START)
            await send({"type": "http.response.body", "body": b"half", "more_body": True})

        with self.assertRaisesRegex(RuntimeError, "ended before its response"):
            asgi(app, self.server)
        self.assertEqual(self.server.results, {})
        self.assertEqual(asgi(self.app, self.server).body, b"receipt 1")

    def test_extensions(self) -> None:
        """given a server with extensions of responses, then the app is not offered them, as their bodies cannot be recorded"""

        async def app(scope: Any, receive: Any, send: Any) -> None:
            self.assertFalse(scope.get("extensions"))
            await asgi_app(self.pay)(scope, receive, send)

        self.assertEqual(asgi(app, self.server, extensions={"http.response.pathsend": {}}).status, 201)

    def test_chunks(self) -> None:
        """given a body in chunks, also empty ones, then it is the same request as the whole body"""
        asgi(self.app, self.server, chunks=(b"", b"30"))
        self.assertEqual(asgi(self.app, self.server, chunks=(b"3", b"", b"0")).headers["idempotent-replayed"], "true")
        self.assertEqual(asgi(self.app, self.server, chunks=()).status, 422)

    def test_context(self) -> None:
        """given a context variable of an outer middleware, then the app sees it"""
        user = contextvars.ContextVar("user", default="")
        user.set("ada")
        self.assertEqual(asgi(asgi_app(lambda: user.get().encode()), self.server).body, b"ada")

    def test_paths(self) -> None:
        """given the path as sent, then it names the operation; without it, the path is encoded again"""
        asgi(self.app, self.server, path="/a/b", raw_path=b"/a%2fb")
        asgi(self.app, self.server, path="/caf\u00e9 (1)")
        names = [request.operation for request in self.server.requests("BeginOperation")]
        self.assertEqual(names, ["POST /a%2fb", "POST /caf%C3%A9%20(1)"])

    def test_keys(self) -> None:
        """given two headers with a key, or none where one is required, then 400"""
        self.assertEqual(asgi(self.app, self.server, headers=(KEY, KEY)).status, 400)
        self.assertEqual(asgi(self.app, self.server, headers=(KEY, (b"Idempotency-Key", b""))).status, 400)
        self.assertEqual(asgi(self.app, self.server, headers=(), required=True).status, 400)
        self.assertEqual(self.pay.calls, 0)


class Wsgi:
    """An app that echoes its body, behind the middleware."""

    def __init__(self, server: Operations) -> None:
        self.app = WsgiIdempotency(self.echo, Idempotency(server.client()))
        self.bodies: List[bytes] = []

    def echo(self, environ: Any, start_response: Any) -> List[bytes]:
        self.bodies.append(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        start_response("201 Created", [("Content-Type", "text/plain")])
        return [self.bodies[-1]]

    def send(self, body: bytes, **environ: Any) -> Reply:
        started: List[Any] = []
        request: Dict[str, Any] = {
            "REQUEST_METHOD": "POST",
            "SCRIPT_NAME": "",
            "PATH_INFO": "/pay",
            "HTTP_IDEMPOTENCY_KEY": "k-1",
            "wsgi.input": io.BytesIO(body),
            **{name.replace("wsgi_", "wsgi."): value for name, value in environ.items()},
        }
        chunks = self.app(request, lambda status, headers: started.extend([status, headers]))
        return Reply(int(started[0].split(" ")[0]), dict(started[1]), b"".join(chunks))


class WsgiTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Operations()
        self.wsgi = Wsgi(self.server)

    def names(self) -> List[str]:
        return [request.operation for request in self.server.requests("BeginOperation")]

    def test_chunked(self) -> None:
        """given a chunked body that the server decodes, then the app and the fingerprint get all of it"""
        chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi_input_terminated": True}
        self.assertEqual(self.wsgi.send(b"30", **chunked).body, b"30")
        self.assertEqual(self.wsgi.send(b"31", **chunked).status, 422)
        self.assertEqual(self.wsgi.send(b"30", CONTENT_LENGTH="2").headers["Idempotent-Replayed"], "true")

    def test_undecoded(self) -> None:
        """given a chunked body that the server does not decode, then 411, as its end is unknown"""
        reply = self.wsgi.send(b"2\r\n30\r\n0\r\n\r\n", HTTP_TRANSFER_ENCODING="chunked")
        self.assertEqual((reply.status, self.wsgi.bodies), (411, []))

    def test_truncated(self) -> None:
        """given a body that is shorter than its length, then 400, and the app does not run"""
        self.assertEqual((self.wsgi.send(b"3", CONTENT_LENGTH="2").status, self.wsgi.bodies), (400, []))

    def test_paths(self) -> None:
        """given the path as sent, then it names the operation; without it, the decoded path is encoded again"""
        decoded = "/caf\u00e9".encode().decode("latin-1")
        self.wsgi.send(b"30", CONTENT_LENGTH="2", SCRIPT_NAME="/v1", PATH_INFO=decoded)
        self.wsgi.send(b"30", CONTENT_LENGTH="2", PATH_INFO="/a/b", RAW_URI="/a%2fb?x=1", QUERY_STRING="x=1")
        self.wsgi.send(b"30", CONTENT_LENGTH="2", PATH_INFO="/pay", REQUEST_URI="http://localhost/pay")
        self.assertEqual(self.names(), ["POST /v1/caf%C3%A9", "POST /a%2fb", "POST /pay"])

    def test_keys(self) -> None:
        """given two headers with a key, which a server joins by a comma, then 400"""
        reply = self.wsgi.send(b"30", CONTENT_LENGTH="2", HTTP_IDEMPOTENCY_KEY="k-1,k-2")
        self.assertEqual((reply.status, self.wsgi.bodies), (400, []))


class OutcomeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Operations()

    def lost(self, **more: Any) -> None:
        """Lets the server say at the end that another holder took over."""
        self.server.answers["CompleteOperation"] = self.server.answers["FailOperation"] = lambda _: {
            "claim_lost": {"reason": "CLAIM_LOST_REASON_LEASE_LOST", **more}
        }

    def test_nested(self) -> None:
        """given an error of another call in the handler, then it passes, and is not taken for that of the request"""
        for nested in (hapax.KeyReused("inner"), hapax.Unrecorded("inner"), hapax.InProgress("inner"), hapax.FinalFailure("NO")):

            def fail() -> bytes:
                raise nested

            with self.subTest(type(nested).__name__), self.assertRaises(hapax.HapaxError) as raised:
                asgi(asgi_app(fail), self.server)
            self.assertIs(raised.exception, nested)
        kinds = [request.kind for request in self.server.requests("FailOperation")]
        self.assertEqual(len(kinds), 4)

    def test_overtaken(self) -> None:
        """given a holder that was overtaken, then its client gets the recorded response instead of its own"""
        kept = {"status": 202, "headers": [["content-type", "text/plain"]], "body": "b3RoZXI="}
        self.lost(replay={"result": {"json": json.dumps(kept)}})
        reply = asgi(asgi_app(lambda: b"own"), self.server)
        self.assertEqual((reply.status, reply.body, reply.headers["idempotent-replayed"]), (202, b"other", "true"))

    def test_lost(self) -> None:
        """given a holder that was overtaken by one in progress, then 409 and when to ask again"""
        self.lost()
        for status in (201, 503):
            with self.subTest(status), mock.patch.dict(START, status=status):
                reply = asgi(asgi_app(lambda: b"own"), self.server)
            self.assertEqual((reply.status, reply.headers["retry-after"]), (409, "1"))
