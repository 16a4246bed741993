"""What the middlewares of WSGI and ASGI share."""

from __future__ import annotations

import base64
import http.client
import json
import urllib.parse
from typing import Any, Callable, Collection, List, Mapping, NamedTuple, Sequence, Tuple

from .. import errors
from ..claims import log
from ..client import Client
from ..values import checked_key, checked_name

_RETRY_SECONDS = 1


class Request(NamedTuple):
    """What decides which requests are the same, and the environment of WSGI or the scope of ASGI."""

    environment: Mapping[str, Any]
    operation: str
    keys: Sequence[str]
    query: bytes
    body: bytes


class Response(NamedTuple):
    """What a handler answered."""

    status: int
    headers: List[Tuple[str, str]]
    body: bytes

    def kept(self) -> Mapping[str, Any]:
        return {"status": self.status, "headers": self.headers, "body": base64.b64encode(self.body).decode()}


class _ServerFailure(errors.RetryableFailure):
    """A response of 500 or above: it is sent, and the key is free again."""


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

    def applies(self, method: str, keys: Sequence[str]) -> bool:
        return method in self._methods and (any(keys) or self._required)

    def respond(self, request: Request, run: Callable[[], Response]) -> Response:
        """Runs the handler, or returns the response that was recorded, or one that says why not."""
        responses: List[Response] = []
        own: Any = None  # what is kept of the handler's response, or its exception

        def work(claim: Any) -> Mapping[str, Any]:
            nonlocal own
            try:
                responses.append(run())
            except BaseException as error:
                own = error
                raise
            if responses[0].status >= 500:
                raise _ServerFailure(f"HTTP_{responses[0].status}")
            own = responses[0].kept()
            return own

        account = self._account(request.environment)
        try:
            checked_name("the path", request.operation)
            checked_name("the account", account)
            if not any(request.keys):
                raise ValueError("this request needs the header Idempotency-Key")
            if len(request.keys) > 1:
                raise ValueError("the header Idempotency-Key must be sent once")
            key = checked_key(request.keys[0])
        except ValueError as error:
            return problem(400, str(error))
        input = request.query + b"\n" + request.body
        try:
            kept = self._client.once(request.operation, key, work, account=account, input=input, lease=self._lease)
        except errors.HapaxError as error:
            if error is own:
                raise  # from another call that the handler made
            return responses[0] if isinstance(error, (_ServerFailure, errors.Unrecorded)) else _refusal(error)
        if kept is own:
            return responses[0]
        # of an earlier request, or of the holder that took over from this one
        headers = [(header, value) for header, value in kept["headers"]]
        return Response(kept["status"], headers + [("Idempotent-Replayed", "true")], base64.b64decode(kept["body"]))


def encoded(path: bytes) -> str:
    """Returns a path whose server has decoded it as clients encode it (RFC 3986)."""
    return urllib.parse.quote(path, safe="/:@!$&'()*+,;=~")


def _refusal(error: errors.HapaxError) -> Response:
    if isinstance(error, errors.InProgress):
        return problem(409, "a request with this Idempotency-Key is in progress", max(1, round(error.retry_after)))
    if isinstance(error, errors.KeyReused):
        return problem(422, "the Idempotency-Key was used with another request; use a new one")
    if isinstance(error, errors.ClaimLost):
        return problem(409, "another holder took over this request; send it again for its response", _RETRY_SECONDS)
    if isinstance(error, (errors.Indeterminate, errors.NotRetained)):
        return problem(409, str(error))
    if isinstance(error, errors.Rejected):
        return problem(409, "a request with this Idempotency-Key failed for good; use a new one")
    if isinstance(error, errors.Unavailable):
        return _not_begun()
    log.error("a request was not begun: %s", error)
    if isinstance(error, (errors.Unauthenticated, errors.PermissionDenied)):
        return _not_begun()  # the key of this service, which is not its caller's business
    if error.reason == "INVALID_FIELD":
        return problem(400, "the Idempotency-Key, the path or the account is not valid")
    return problem(500, "the service cannot track this request; its operator finds the reason in the log")


def _not_begun() -> Response:
    return problem(503, "the request was not begun; send it again with the same Idempotency-Key", _RETRY_SECONDS)


def problem(status: int, detail: str, retry_after: int = 0) -> Response:
    body = json.dumps({"title": http.client.responses[status], "status": status, "detail": detail}).encode()
    headers = [("Content-Type", "application/problem+json"), ("Content-Length", str(len(body)))]
    return Response(status, headers + ([("Retry-After", str(retry_after))] if retry_after else []), body)
