"""Large payloads, which Hapax has by reference: their bytes are in a store of the user."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Mapping, Optional, Protocol, Union

from .errors import FinalFailure, HapaxError, RetryableFailure
from .protocol import message
from .values import from_payload, to_payload

MOST_INLINE_BYTES = 131_072
_TYPE = "hapax.dev/stored"
_PREFIX = f'{{"@type":"{_TYPE}"'


class Store(Protocol):
    """Where large payloads are, such as a bucket. All clients of a run share it. Its methods are called on several threads."""

    def put(self, data: bytes) -> str:
        """Stores the bytes for as long as runs and operations may need them, and returns a reference of at most 1 KiB."""
        ...

    def get(self, ref: str) -> bytes:
        """Returns the bytes that were stored under the reference."""
        ...


def is_stored(content: Union[str, bytes]) -> bool:
    """Returns whether the content of a payload is a reference to what is in a store."""
    return content.startswith(_PREFIX) if isinstance(content, str) else content.startswith(_PREFIX.encode())


class Payloads:
    """Writes and reads payloads. Those above 128 KiB go to the store, if there is one."""

    def __init__(self, store: Optional[Store] = None) -> None:
        self.store = store

    def encode(self, value: Any) -> Optional[Mapping[str, Any]]:
        """As to_payload; a stored payload has no limit but that of the store. RetryableFailure if the store fails."""
        if self.store is None:
            return to_payload(value)
        payload = to_payload(value, float("inf"))
        for form, content in (payload or {}).items():
            data = content.encode() if form == "json" else content
            if len(data) > MOST_INLINE_BYTES:
                stored = {
                    "@type": _TYPE,
                    "ref": self._put(self.store, data),
                    "sha256": hashlib.sha256(data).hexdigest(),
                    "bytes": len(data),
                }
                text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
                return {form: text if form == "json" else text.encode()}
        return payload

    @staticmethod
    def _put(store: Store, data: bytes) -> str:
        try:
            return store.put(data)
        except Exception as error:
            text = f"a payload of {len(data)} bytes could not be stored: {error}"
            raise RetryableFailure("PAYLOAD_NOT_STORED", text) from error

    def decode(self, of: Any, field: str) -> Any:
        """As from_payload. Raises FinalFailure (STORED_PAYLOAD_CHANGED) if the store has other bytes than those that were put."""
        payload = getattr(of, field)
        form = payload.WhichOneof("content")
        content = getattr(payload, form) if form else ""
        if not is_stored(content):
            return from_payload(of, field)
        stored = json.loads(content)
        if self.store is None:
            raise HapaxError(f"the payload is in a store, as {stored['ref']}: connect with `payloads`")
        data = self.store.get(stored["ref"])
        if len(data) != stored["bytes"] or hashlib.sha256(data).hexdigest() != stored["sha256"]:
            text = (
                f"the store has {len(data)} bytes as {stored['ref']}, which differ from the {stored['bytes']} bytes that were put"
            )
            raise FinalFailure("STORED_PAYLOAD_CHANGED", text)
        fetched = message("hapax.v1.Payload")(**{form: data.decode() if form == "json" else data})
        return from_payload(type(of)(**{field: fetched}), field)
