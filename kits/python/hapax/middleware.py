"""Makes HTTP handlers idempotent by the header `Idempotency-Key`, for WSGI and ASGI.

The first request with a key runs the handler, and its response is recorded. Each later one gets that response with the header
`Idempotent-Replayed: true`. While the first is in progress, others get 409; the same key with another request gets 422.
"""

from __future__ import annotations

import asyncio
import base64
import http
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Collection, Iterable, List, Mapping, NamedTuple, Tuple

from . import errors
from .claims import log
from .client import Client
from .values import checked_name

_RETRY_SECONDS = 1


class Response(NamedTuple):
    """What a handler answered."""

    status: int
    headers: List[Tuple[str, str]]
    body: bytes

    def kept(self) -> Mapping[str, Any]:
        return {"status": self.status, "headers": self.headers, "body": base64.b64encode(self.body).decode()}


class _ServerFailure(errors.RetryableFailure):
    """A response of 500 or above: it is sent, and the key is free again."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"HTTP_{response.status}")
        self.response = response


class Idempotency:
    """The settings that both middlewares share.

    `account` finds on whose behalf a request is, from the environment of WSGI or the scope of ASGI: without it, each caller
    that knows a key and its request gets the response. `required` refuses requests without a key. `lease` is in seconds.
    """

    def __init__(
        self,
        client: Client,
        *,
        methods: Collection[str] = ("POST", "PATCH"),
        account: Callable[[Mapping[str, Any]], str] = lambda request: "",
        required: bool = False,
        lease: float = 60.0,
    ) -> None:
        self._client, self._account = client, account
        self._methods, self._required, self._lease = methods, required, lease

    def applies(self, method: str, key: str) -> bool:
        return method in self._methods and (bool(key) or self._required)

    def respond(
        self, request: Mapping[str, Any], name: str, key: str, query: bytes, body: bytes, run: Callable[[], Response]
    ) -> Response:
        """Runs the handler, or returns the response that was recorded, or one that says why not."""
        responses: List[Response] = []

        def work(claim: Any) -> Mapping[str, Any]:
            responses.append(run())
            if responses[0].status >= 500:
                raise _ServerFailure(responses[0])
            return responses[0].kept()

        account = self._account(request)
        try:
            checked_name("the path", name)
            checked_name("the account", account)
            if not checked_name("Idempotency-Key", key):
                raise ValueError("this request needs the header Idempotency-Key")
        except ValueError as error:
            return _problem(400, str(error))
        try:
            kept = self._client.once(name, key, work, account=account, input=query + b"\n" + body, lease=self._lease)
        except _ServerFailure as failed:
            return failed.response
        except errors.Unrecorded:
            return responses[0]
        except errors.HapaxError as error:
            return _refusal(error)
        if responses:
            return responses[0]
        headers = [(header, value) for header, value in kept["headers"]]
        return Response(kept["status"], headers + [("Idempotent-Replayed", "true")], base64.b64decode(kept["body"]))


def _refusal(error: errors.HapaxError) -> Response:
    if isinstance(error, errors.InProgress):
        return _problem(409, "a request with this Idempotency-Key is in progress", max(1, round(error.retry_after)))
    if isinstance(error, errors.KeyReused):
        return _problem(422, "the Idempotency-Key was used with another request; use a new one")
    if isinstance(error, (errors.Indeterminate, errors.ClaimLost, errors.NotRetained)):
        return _problem(409, str(error))
    if isinstance(error, errors.Rejected):
        return _problem(409, "a request with this Idempotency-Key failed for good; use a new one")
    if isinstance(error, errors.Unavailable):
        return _not_begun()
    log.error("a request was not begun: %s", error)
    if isinstance(error, (errors.Unauthenticated, errors.PermissionDenied)):
        return _not_begun()  # the key of this service, which is not its caller's business
    if error.reason == "INVALID_FIELD":
        return _problem(400, "the Idempotency-Key, the path or the account is not valid")
    return _problem(500, "the service cannot track this request; its operator finds the reason in the log")


def _not_begun() -> Response:
    return _problem(503, "the request was not begun; send it again with the same Idempotency-Key", _RETRY_SECONDS)


def _problem(status: int, detail: str, retry_after: int = 0) -> Response:
    body = json.dumps({"title": http.HTTPStatus(status).phrase, "status": status, "detail": detail}).encode()
    headers = [("Content-Type", "application/problem+json"), ("Content-Length", str(len(body)))]
    return Response(status, headers + ([("Retry-After", str(retry_after))] if retry_after else []), body)


class WsgiIdempotency:
    """WSGI middleware: `app = WsgiIdempotency(app, Idempotency(client))`."""

    def __init__(self, app: Callable[..., Iterable[bytes]], idempotency: Idempotency) -> None:
        self._app, self._idempotency = app, idempotency

    def __call__(self, environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        method, key = environ["REQUEST_METHOD"], environ.get("HTTP_IDEMPOTENCY_KEY", "")
        if not self._idempotency.applies(method, key):
            return self._app(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        name = f"{method} {environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        replayable = {**environ, "wsgi.input": io.BytesIO(body)}
        response = self._idempotency.respond(environ, name, key, query, body, lambda: self._run(replayable))
        phrase = http.HTTPStatus(response.status).phrase if response.status in list(http.HTTPStatus) else "Unknown"
        start_response(f"{response.status} {phrase}", response.headers)
        return [response.body]

    def _run(self, environ: Any) -> Response:
        started: List[Any] = []
        written: List[bytes] = []

        def start_response(status: str, headers: List[Tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], None]:
            started[:] = [int(status.split(" ")[0]), headers]
            return written.append

        chunks = self._app(environ, start_response)
        try:
            written.extend(chunks)
        finally:
            getattr(chunks, "close", lambda: None)()
        return Response(started[0], list(started[1]), b"".join(written))


class AsgiIdempotency:
    """ASGI middleware: `app = AsgiIdempotency(app, Idempotency(client))`. At most `threads` requests with keys run at once."""

    def __init__(self, app: Any, idempotency: Idempotency, threads: int = 64) -> None:
        self._app, self._idempotency = app, idempotency
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hapax-asgi")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", ())}
        key = headers.get(b"idempotency-key", "")
        if scope["type"] != "http" or not self._idempotency.applies(scope["method"], key):
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message.get("body", b""), message.get("more_body", False)
        name, loop = f"{scope['method']} {scope['path']}", asyncio.get_running_loop()

        def respond() -> Response:
            def run() -> Response:
                return asyncio.run_coroutine_threadsafe(self._run(scope, body), loop).result()

            return self._idempotency.respond(scope, name, key, scope.get("query_string", b""), body, run)

        response = await loop.run_in_executor(self._threads, respond)
        raw = [(header.lower().encode("latin-1"), value.encode("latin-1")) for header, value in response.headers]
        await send({"type": "http.response.start", "status": response.status, "headers": raw})
        await send({"type": "http.response.body", "body": response.body})

    async def _run(self, scope: Any, body: bytes) -> Response:
        """Runs the app; its response is sent after it is recorded."""
        sent: List[Any] = []
        requests = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Any:
            return next(requests, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        start = sent[0]
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start.get("headers", ())]
        return Response(start["status"], headers, b"".join(each.get("body", b"") for each in sent[1:]))
