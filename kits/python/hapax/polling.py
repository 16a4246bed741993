"""A loop that polls while there is room, and drains on SIGTERM."""

from __future__ import annotations

import signal
import threading
import uuid
from typing import Any, Callable, Mapping, Optional

from .claims import log
from .connection import TRY_TIMEOUT, Answer, Cancellation, Connection
from .errors import HapaxError


POLL_WAIT = 20.0
_PAUSES = (5.0, 10.0, 20.0, 30.0)  # seconds after rejections in a row, such as those of a revoked key
_SIGNAL_DELAY = 0.5  # seconds until a signal is handled, at most


class Poller:
    """Polls on one thread, and does each item on a thread of its own."""

    def __init__(
        self,
        connection: Connection,
        method: str,
        request: Mapping[str, Any],
        limit: str,
        items: str,
        concurrency: int,
        do: Callable[[Any, Answer], None],
        prepare: Callable[[Cancellation], str] = lambda stop: "",
    ) -> None:
        """`limit` is the field of the request with the number of items, `items` that of the response with the items.

        `prepare` is called before the first poll. It returns why not to poll; empty if nothing is in the way.
        """
        self._connection, self._method, self._request = connection, method, request
        self._limit, self._items, self._concurrency, self._do = limit, items, concurrency, do
        self._prepare, self._refusal = prepare, ""
        self.stopping = Cancellation()
        self._changed = threading.Condition()
        self._busy = 0
        self._ended = threading.Event()
        self._prepared = threading.Event()

    def run(self) -> None:
        """Polls until SIGTERM or SIGINT, or until `stop`. Then polls no more, and returns when its items are done.

        Signals are handled only on the main thread. A second one ends the process as usual.
        """
        if threading.current_thread() is threading.main_thread():
            former = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}

            def drain(*_: Any) -> None:
                for each, handler in former.items():
                    signal.signal(each, handler)
                # not here: the signal may have interrupted a holder of the locks that this needs
                threading.Thread(target=self.stop, daemon=True).start()

            for each in former:
                signal.signal(each, drain)
        self.start()
        # in short waits, because another thread may receive the signal, and this one handles it only when it runs
        while not self._ended.wait(_SIGNAL_DELAY):
            pass
        self.await_prepared()

    def await_prepared(self) -> None:
        """Waits until the first poll. Raises HapaxError if there is none."""
        self._prepared.wait()
        if self._refusal:
            raise HapaxError(self._refusal)

    def start(self) -> None:
        """Polls on other threads, and returns at once."""
        self._connection.pollers.append(self)
        threading.Thread(target=self._poll, name="hapax-poller", daemon=True).start()

    def stop(self, at_most: Optional[float] = None) -> bool:
        """Polls no more, and waits until all items are done, at most so many seconds. Returns whether they are."""
        self.stopping.set()
        with self._changed:
            self._changed.notify_all()
        return self._ended.wait(at_most)

    def _poll(self) -> None:
        rejections, is_prepared = 0, False
        while self._await_room() and not self.stopping.is_set():
            attempt = str(uuid.uuid4())
            try:
                if not is_prepared:
                    self._refusal = self._prepare(self.stopping)
                    if self._refusal:
                        log.error("%s: %s", self._method, self._refusal)
                        break
                    is_prepared = True
                    self._prepared.set()
                count, round_trip = self._poll_once(attempt, POLL_WAIT, float("inf"), self.stopping)
                if rejections:
                    log.info("%s is accepted again", self._method)
                rejections = 0
                if not count and round_trip < POLL_WAIT / 2:
                    self.stopping.wait(0.1)
            except HapaxError as error:
                if self.stopping.is_set():
                    if is_prepared:
                        self._poll_last(attempt)
                    break
                if not rejections:
                    log.error("%s was rejected, will retry every 5 to 30 s until it is accepted: %s", self._method, error)
                self.stopping.wait(_PAUSES[min(rejections, 3)])
                rejections += 1
        self._prepared.set()
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0)
        self._ended.set()

    def _await_room(self) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._busy < self._concurrency or self.stopping.is_set())
            return self._concurrency - self._busy

    def _poll_last(self, attempt: str) -> None:
        """Fetches what the cancelled poll was granted: its answer may have been on the way."""
        try:
            self._poll_once(attempt, 0.0, TRY_TIMEOUT, None)
        except HapaxError as error:
            log.warning("the last poll failed; its items are handed out again when their leases expire: %s", error)

    def _poll_once(self, attempt: str, wait: float, give_up_after: float, stop: Optional[Cancellation]) -> "tuple[int, float]":
        fields = {**self._request, "attempt_id": attempt, self._limit: min(self._concurrency - self._busy, 500)}
        answer = self._connection.call(self._method, fields, wait=wait, give_up_after=give_up_after, stop=stop)
        items = getattr(answer.response, self._items)
        for item in items:
            with self._changed:
                self._busy += 1
            threading.Thread(target=self._work, args=(item, answer), daemon=True).start()
        return len(items), answer.round_trip

    def _work(self, item: Any, answer: Answer) -> None:
        try:
            self._do(item, answer)
        except Exception:
            log.exception("an item of %s failed; it is handed out again when its lease expires", self._method)
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
