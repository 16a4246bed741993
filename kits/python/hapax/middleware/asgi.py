"""The middleware of ASGI."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List

from .idempotency import Idempotency, Request, Response, encoded


class AsgiIdempotency:
    """ASGI middleware: `app = AsgiIdempotency(app, Idempotency(client))`. At most `threads` requests with keys run at once."""

    def __init__(self, app: Any, idempotency: Idempotency, threads: int = 64) -> None:
        self._app, self._idempotency = app, idempotency
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hapax-asgi")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        keys = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name.lower() == b"idempotency-key"]
        if scope["type"] != "http" or not self._idempotency.applies(scope["method"], keys):
            await self._app(scope, receive, send)
            return
        chunks, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            chunks += message.get("body", b"")
            more = message.get("more_body", False)
        body = bytes(chunks)
        path = (scope.get("raw_path") or b"").partition(b"?")[0].decode("latin-1") or encoded(scope["path"].encode())
        request = Request(scope, f"{scope['method']} {path}", keys, scope.get("query_string", b""), body)
        loop = asyncio.get_running_loop()

        def run() -> Response:
            return asyncio.run_coroutine_threadsafe(self._run(scope, body), loop).result()

        context = contextvars.copy_context()  # the app may use variables of outer middlewares
        response: Response = await loop.run_in_executor(
            self._threads, lambda: context.run(self._idempotency.respond, request, run)
        )
        raw = [(header.lower().encode("latin-1"), value.encode("latin-1")) for header, value in response.headers]
        await send({"type": "http.response.start", "status": response.status, "headers": raw})
        await send({"type": "http.response.body", "body": response.body})

    async def _run(self, scope: Any, body: bytes) -> Response:
        """Runs the app without the extensions of responses; its response is sent after it is recorded."""
        sent: List[Any] = []
        requests = [{"type": "http.request", "body": body, "more_body": False}]
        ended = asyncio.Event()

        async def receive() -> Any:
            if requests:
                return requests.pop()
            await ended.wait()  # an app may stop its response when the client disconnects
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                ended.set()

        await self._app({**scope, "extensions": {}}, receive, send)
        if not ended.is_set():
            raise RuntimeError("the application ended before its response did; nothing is recorded")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in sent[0].get("headers", ())]
        return Response(sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:]))
