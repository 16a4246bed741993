"""Makes HTTP handlers idempotent by the header `Idempotency-Key`, for WSGI and ASGI.

The first request with a key runs the handler, and its response is recorded. Each later one gets that response with the header
`Idempotent-Replayed: true`. While the first is in progress, others get 409; the same key with another request gets 422.
"""

from .asgi import AsgiIdempotency
from .idempotency import Idempotency
from .wsgi import WsgiIdempotency

__all__ = ["AsgiIdempotency", "Idempotency", "WsgiIdempotency"]
