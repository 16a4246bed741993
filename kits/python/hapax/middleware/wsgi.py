"""The middleware of WSGI."""

from __future__ import annotations

import http.client
import io
from typing import Any, Callable, Iterable, List, Tuple

from .idempotency import Idempotency, Request, Response, encoded, problem


class WsgiIdempotency:
    """WSGI middleware: `app = WsgiIdempotency(app, Idempotency(client))`."""

    def __init__(self, app: Callable[..., Iterable[bytes]], idempotency: Idempotency) -> None:
        self._app, self._idempotency = app, idempotency

    def __call__(self, environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        key = environ.get("HTTP_IDEMPOTENCY_KEY", "")
        keys = key.split(",") if key else []  # servers join headers of the same name by a comma
        if not self._idempotency.applies(environ["REQUEST_METHOD"], keys):
            return self._app(environ, start_response)
        response = self._respond(environ, keys)
        phrase = http.client.responses.get(response.status, "Unknown")
        start_response(f"{response.status} {phrase}", response.headers)
        return [response.body]

    def _respond(self, environ: Any, keys: List[str]) -> Response:
        length, is_chunked = environ.get("CONTENT_LENGTH"), "HTTP_TRANSFER_ENCODING" in environ
        if environ.get("wsgi.input_terminated"):
            body = environ["wsgi.input"].read()
        elif is_chunked:
            return problem(411, "the server of this service needs the length of a body; send Content-Length")
        else:
            body = environ["wsgi.input"].read(int(length or 0))
        if length and not is_chunked and len(body) < int(length):
            return problem(400, "the body is shorter than its Content-Length")
        replayable = {**environ, "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        replayable.pop("HTTP_TRANSFER_ENCODING", None)
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        request = Request(environ, f"{environ['REQUEST_METHOD']} {_path(environ)}", keys, query, body)
        return self._idempotency.respond(request, lambda: self._run(replayable))

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


def _path(environ: Any) -> str:
    """The path as sent; WSGI itself has it only decoded, as the Latin-1 of its bytes."""
    uri: str = environ.get("REQUEST_URI") or environ.get("RAW_URI") or ""
    decoded = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return uri.partition("?")[0] if uri.startswith("/") else encoded(decoded.encode("latin-1"))
