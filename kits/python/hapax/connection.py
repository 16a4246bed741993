"""The connections to Hapax: TLS, the API key or JWT, and calls that are sent until they are answered."""

from __future__ import annotations

import functools
import itertools
import logging
import os
import random
import re
import threading
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import grpc

from .errors import CallError, HapaxError, Unavailable, UnknownAnswer
from .payloads import Payloads
from .protocol import method, unknown_in
from .values import duration

log = logging.getLogger("hapax")
TRY_TIMEOUT = 5.0  # seconds for the answer of one try, besides the wait of its request
RECORD_TIMEOUT = 60.0  # seconds to record work that is done
_OPTIONS = [
    ("grpc.service_config", '{"loadBalancingConfig": [{"round_robin": {}}]}'),  # one connection for each address of a name
    ("grpc.enable_retries", 0),  # this kit repeats calls by itself
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]
_USABLE = (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.IDLE)
_ADDRESS = re.compile(r"([^:/\s\[\]]+|\[[^\[\]]+\]):[1-9]\d{0,4}")
_LOOPBACK = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?")


class Answer(NamedTuple):
    """A response, the time.monotonic() at which its request was sent, and the seconds until it came."""

    response: Any
    sent_at: float
    round_trip: float


class Cancellation(threading.Event):
    """An event that ends a call, which is repeated until it is answered, from another thread."""

    _call: Any = None

    def set(self) -> None:
        super().set()
        call = self._call
        if call is not None:
            call.cancel()

    def watch(self, call: Any) -> None:
        self._call = call
        if self.is_set():
            call.cancel()


class Channels:
    """A channel for each address, used in turn. One without a connection is skipped while another one has one."""

    def __init__(self, channels: List[Any]) -> None:
        self._channels = channels
        self._states: Dict[Any, grpc.ChannelConnectivity] = {}
        # random, so that the first calls of many clients go to all servers
        self._turns = itertools.count(random.randrange(len(channels)))
        if len(channels) > 1:
            for channel in channels:
                channel.subscribe(functools.partial(self._changed, channel), try_to_connect=True)

    def _changed(self, channel: Any, state: grpc.ChannelConnectivity) -> None:
        self._states[channel] = state

    def next(self) -> Any:
        # an idle channel connects when it is called
        usable = [each for each in self._channels if self._states.get(each) in _USABLE] or self._channels
        return usable[next(self._turns) % len(usable)]

    def close(self) -> None:
        for channel in self._channels:
            channel.close()


class Connection:
    """The channels, opened at the first call, and again in a forked process, which cannot use those of its parent."""

    def __init__(
        self,
        targets: List[str],
        workspace: str,
        credentials: Optional[grpc.ChannelCredentials],
        bearer: "_Bearer",
        call_timeout: float,
    ) -> None:
        self.workspace = workspace
        self.call_timeout = call_timeout
        self._targets, self._credentials, self._bearer = targets, credentials, bearer
        self._lock = threading.Lock()
        self._channels: Optional[Channels] = None
        self._pid = 0
        self._is_away = False
        self.payloads = Payloads()
        self.pollers: List[Any] = []  # workers and janitors that were started

    def _open(self) -> Any:
        with self._lock:
            if self._channels is None or self._pid != os.getpid():
                self._channels = Channels([self._channel(target) for target in self._targets])
                self._pid = os.getpid()
            return self._channels.next()

    def _channel(self, target: str) -> Any:
        if self._credentials is None:
            return grpc.insecure_channel(target, _OPTIONS)
        return grpc.secure_channel(target, self._credentials, _OPTIONS)

    def try_once(self, name: str, fields: Mapping[str, Any], timeout: float, stop: Optional[Cancellation] = None) -> Answer:
        """Sends a request once. `timeout` is in seconds. Raises a HapaxError, which has the CallError as its cause."""
        path, request, response = method(name)
        call = self._open().unary_unary(path, request.SerializeToString, response.FromString)
        workspace = {"workspace": self.workspace} if "workspace" in request.DESCRIPTOR.fields_by_name else {}
        message = request(**workspace, **fields)
        sent_at = time.monotonic()
        try:
            future = call.future(message, timeout=timeout, metadata=self._bearer.metadata())
            if stop is not None:
                stop.watch(future)
            answer = Answer(future.result(), sent_at, time.monotonic() - sent_at)
            self._log_outage(None)
            unknown = unknown_in(answer.response, "outcome")
            if unknown:
                text = f"Hapax answered {name} with an outcome that this package does not know ({unknown}); upgrade it"
                raise UnknownAnswer(text, code="UNIMPLEMENTED") from CallError("UNIMPLEMENTED", text)
            return answer
        except grpc.FutureCancelledError:
            failed = CallError("CANCELLED", "the caller stopped waiting")
        except grpc.RpcError as error:
            failed = CallError.of(error)
        except CallError as refused:
            failed = refused
        raise failed.exception() from failed

    def call(
        self,
        name: str,
        fields: Mapping[str, Any],
        *,
        wait: Optional[float] = None,
        give_up_after: Optional[float] = None,
        of_holder: bool = False,
        stop: Optional[Cancellation] = None,
    ) -> Answer:
        """Sends a request until it is answered, the error would repeat, or the time is over.

        `wait` is how many seconds the server may hold the request on purpose, and `give_up_after` the call timeout without it.
        Raises a HapaxError.
        """
        stop = stop or Cancellation()
        give_up_after = self.call_timeout if give_up_after is None else give_up_after
        fields = fields if wait is None else {**fields, "wait": duration(wait)}
        give_up_at = time.monotonic() + (wait or 0.0) + give_up_after
        retry = 0
        while True:
            try:
                return self.try_once(name, fields, TRY_TIMEOUT + (wait or 0.0), stop)
            except HapaxError as error:
                assert isinstance(error.__cause__, CallError)
                pause = error.__cause__.pause(retry, of_holder)
                is_away = isinstance(error, Unavailable) and error.code != "RESOURCE_EXHAUSTED"
                if is_away and give_up_after == float("inf") and not stop.is_set():
                    self._log_outage(error)  # a call that gives up raises it instead
                if pause is None or time.monotonic() + pause > give_up_at or stop.wait(pause):
                    raise
            retry += 1

    def _log_outage(self, error: Optional[HapaxError]) -> None:
        """Logs the begin of an outage, and its end, if there is no error any more."""
        if self._is_away != (error is not None):
            self._is_away = not self._is_away
            if error is None:
                log.info("Hapax at %s answers again", ",".join(self._targets))
            else:
                advice = "start the server, or correct HAPAX_SERVER or the settings of TLS"
                log.warning(
                    "cannot reach Hapax at %s, will retry until it answers; %s: %s", ",".join(self._targets), advice, error
                )

    def record(self, name: str, fields: Mapping[str, Any]) -> Answer:
        """Sends the end of work, which is done: longer, and also while Hapax does not accept the key."""
        return self.call(name, fields, give_up_after=RECORD_TIMEOUT, of_holder=True)

    def close(self) -> None:
        with self._lock:
            if self._channels is not None and self._pid == os.getpid():
                self._channels.close()
            self._channels = None


class _Bearer:
    """The API key or JWT of each call; that of a file is read again when the file changes."""

    def __init__(self, text: str, file: str, refusal: str) -> None:
        """`refusal` says why it must not be sent; empty = it may."""
        self._text, self._file, self._refusal, self._read_at = text.strip(), file, refusal, -1

    def metadata(self) -> "list[tuple[str, str]]":
        """Raises CallError if it must not be sent."""
        if self._file:
            try:
                changed = os.stat(self._file).st_mtime_ns
                if changed != self._read_at:
                    self._text, self._read_at = Path(self._file).read_text().strip(), changed
            except OSError:
                if self._read_at < 0:
                    raise
                log.warning("the file %s cannot be read; its former key or token is used", self._file)
        if self._text and self._refusal:
            raise CallError("UNAUTHENTICATED", self._refusal)
        return [("authorization", f"Bearer {self._text}")] if self._text else []


def open_connection(
    server: Optional[str],
    workspace: str,
    tls: Optional[bool],
    ca: Optional[str],
    api_key: Optional[str],
    api_key_file: Optional[str],
    jwt_file: Optional[str],
    call_timeout: float = 10.0,
) -> Connection:
    """Reads the settings that are not given from the variables of the `hapax` command."""
    env = {name: value.strip() for name, value in os.environ.items()}
    server = server or env.get("HAPAX_SERVER") or "127.0.0.1:7420"
    ca = env.get("HAPAX_TLS_CA", "") if ca is None else ca
    if env.get("HAPAX_TLS", "") not in ("", "true", "false"):
        raise ValueError(f"HAPAX_TLS must be true or false (was {env['HAPAX_TLS']})")
    targets = _targets(server)
    if not call_timeout > 0:
        raise ValueError(f"call_timeout must be positive (was {call_timeout})")
    if tls is None:
        tls = "https://" in server or bool(ca) or env.get("HAPAX_TLS") == "true"
    if api_key is None and api_key_file is None and jwt_file is None:
        api_key, api_key_file, jwt_file = (env.get(f"HAPAX_{name}", "") for name in ("API_KEY", "API_KEY_FILE", "JWT_FILE"))
    if sum(map(bool, (api_key, api_key_file, jwt_file))) > 1:
        raise ValueError("only one of the API key, its file and the JWT file can be set; unset the others")
    refusal = f"the API key or JWT is not sent to {','.join(targets)} without TLS; set tls, or HAPAX_TLS_CA"
    is_safe = tls or all(map(_LOOPBACK.fullmatch, targets))
    bearer = _Bearer(api_key or "", api_key_file or jwt_file or "", "" if is_safe else refusal)
    try:
        bearer.metadata()
    except CallError as refused:
        raise ValueError(refused.text) from None
    credentials = grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None) if tls else None
    return Connection(targets, workspace, credentials, bearer, call_timeout)


def _targets(server: str) -> List[str]:
    """Reads HOST:PORT, or a list of them; https:// before one of them is for all."""
    if "http://" in server:
        raise ValueError(f"server must be HOST:PORT, without http:// (was {server})")
    targets = [target.strip() for target in server.replace("https://", "").split(",")]
    if len(targets) > 1 and not all(map(_ADDRESS.fullmatch, targets)):
        raise ValueError(f"server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was {server})")
    return targets
