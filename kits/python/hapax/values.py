"""What is sent: payloads, fingerprints, names and durations."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import traceback
import unicodedata
from decimal import Decimal
from typing import Any, Mapping, Optional

from .errors import PartFailed, RetryableFailure, UnknownAnswer, WorkFailure
from .protocol import unknown_in

MAX_PAYLOAD_BYTES = 262_144
MAX_STACK_BYTES = 16_384
NOT_RETAINED = {"json": '{"@type":"hapax.dev/result-not-retained"}'}
_LARGEST_INTEGER = 2**53 - 1
_CURE = "use the client of hapax.aio.connect(), which runs async functions"


def to_payload(value: Any, most_bytes: float = MAX_PAYLOAD_BYTES) -> Optional[Mapping[str, Any]]:
    """Returns the payload of a value: nothing for None, bytes as they are, everything else as JSON.

    Raises TypeError or ValueError if the value has no JSON, or has more than `most_bytes`.
    """
    refuse_coroutine(value)
    if value is None:
        return None
    binary = isinstance(value, (bytes, bytearray))
    text = value if binary else json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    size = len(value) if binary else len(text.encode())
    if size > most_bytes:
        raise ValueError(f"a payload must have at most {most_bytes} bytes (was {size})")
    return {"binary": bytes(value)} if binary else {"json": text}


def from_payload(of: Any, field: str) -> Any:
    """Returns the value in the field of a message; None if it is unset."""
    if not of.HasField(field):
        return None
    payload = getattr(of, field)
    unknown = unknown_in(payload, "content")
    if unknown:
        raise UnknownAnswer(f"Hapax sent a payload whose content this package does not know ({unknown}); upgrade it")
    return payload.binary if payload.WhichOneof("content") == "binary" else json.loads(payload.json)


def refuse_async(what: str, function: Any) -> None:
    """Raises TypeError for a function that would return a coroutine: this client calls functions on threads."""
    if is_async(function):
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(f"{what} is an async function ({name}), which would not run on a thread: {_CURE}")


def is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))


def refuse_coroutine(value: Any) -> None:
    """Raises TypeError for what a function returned instead of its result, because it calls an async function."""
    if inspect.iscoroutine(value):
        value.close()
        text = f"{value.__qualname__} is an async function, and its coroutine was returned, but not run"
        raise TypeError(f"{text}: write the function that returns it as `async def` too, and {_CURE}")


def fingerprint(value: Any) -> bytes:
    """Returns what a duplicate must have in common: SHA-256 of bytes, or of JSON as RFC 8785 writes it; nothing for None.

    Raises TypeError or ValueError for what has no such JSON. An integer beyond 2^53 - 1 has none: send it as a text.
    """
    if value is None:
        return b""
    return hashlib.sha256(value if isinstance(value, (bytes, bytearray)) else _canonical(value).encode()).digest()


def _canonical(value: Any) -> str:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("the keys of an input must be texts")
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(each)}" for name, each in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: "int | float") -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"an input must have finite numbers (was {value})")
    if isinstance(value, int) or value.is_integer():
        if abs(value) > _LARGEST_INTEGER:
            raise ValueError(f"integers beyond 2^53 - 1 differ between languages; send {value} as a text")
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa
    return format(Decimal(repr(value)), "f") if int(exponent) >= -6 else f"{mantissa}e{int(exponent)}"


def checked_name(field: str, text: str) -> str:
    """Returns the text if it may be an id, a key, a token or another name; else raises ValueError."""
    if len(text) > 255:
        raise ValueError(f"{field} must have at most 255 characters (was {len(text)})")
    if any(unicodedata.category(each) in ("Cc", "Cs") for each in text):
        raise ValueError(f"{field} must not have control characters or unpaired surrogates")
    return text


def checked_key(text: str) -> str:
    """Returns the text if it may be the value of a header `Idempotency-Key`, of bytes read as Latin-1; else raises ValueError."""
    if not text or any(not " " <= each <= "~" for each in text):
        raise ValueError("the header Idempotency-Key must have printable ASCII only, the bytes 0x20 to 0x7E, and not be empty")
    return checked_name("Idempotency-Key", text)


def failure(error: BaseException) -> Mapping[str, str]:
    """Returns what Hapax keeps of an exception, cut to its limits."""
    if isinstance(error, PartFailed):
        return {"code": error.code, "message": error.message, "part": error.part}
    code = error.failure_code if isinstance(error, WorkFailure) else type(error).__name__
    return {"code": _clean(code)[:255], "message": _clean(str(error)).encode()[:4096].decode(errors="ignore")}


def failed_attempt(error: BaseException) -> Mapping[str, Any]:
    """Returns the failure of an attempt of a step or part, its kind, and when to try again."""
    is_final = isinstance(error, PartFailed) or (isinstance(error, WorkFailure) and error.kind == "FINAL")
    retry_after = error.retry_after if isinstance(error, RetryableFailure) else None
    kind = f"FAILURE_KIND_{'FINAL' if is_final else 'RETRYABLE'}"
    return {"kind": kind, "failure": failure(error), "retry_after": duration(retry_after)}


def stack(error: BaseException) -> str:
    """Returns where the exception was raised; the beginning is cut."""
    text = _clean("".join(traceback.format_exception(type(error), error, error.__traceback__)))
    return text.encode()[-MAX_STACK_BYTES:].decode(errors="ignore")


def _clean(text: str) -> str:
    readable = text.encode(errors="replace").decode()
    return "".join(" " if unicodedata.category(each) == "Cc" and each not in "\n\t" else each for each in readable)


def duration(seconds: Optional[float]) -> Optional[Mapping[str, int]]:
    """Returns the message of a duration in seconds; None stays unset."""
    if seconds is None:
        return None
    nanos = round(seconds * 1_000_000_000)
    return {"seconds": nanos // 1_000_000_000, "nanos": nanos % 1_000_000_000}


def seconds(of: Any) -> float:
    """Returns the seconds of a duration or a timestamp."""
    return float(of.seconds + of.nanos / 1_000_000_000)
