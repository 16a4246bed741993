"""The parts of a code step: what is known of them, and how reports about them are sent."""

from __future__ import annotations

import enum
import re
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Final, Generic, List, Mapping, Optional, Sequence, Set, TypeVar

from .claims import Claim
from .connection import Connection
from .errors import FinalFailure, Refused, UnknownAnswer
from .protocol import enum_name, message, unknown_in
from .values import checked_name, duration, to_payload

T = TypeVar("T")
_NUMBERED = re.compile(r"#[0-9]+\Z")
_MOST_REPORTS, _MOST_BYTES = 100, 768 * 1024


class NotDone(enum.Enum):
    NOT_DONE = "NOT_DONE"


NOT_DONE: Final = NotDone.NOT_DONE  # what `verify` answers if the effect did not happen, and will not


@dataclass(frozen=True)
class Retry:
    """How often and when a part is attempted again. Times are in seconds; the server counts."""

    max_attempts: int = 8  # -1 = no limit
    initial: float = 1.0  # the most before the first retry
    factor: float = 2.0
    max: float = 60.0
    non_retryable: Sequence[str] = ()  # codes of failures that are not retried
    retry_only: Sequence[str] = ()  # codes of the only failures that are; empty = all
    give_up_after: Optional[float] = None  # after the first failure

    def fields(self) -> Mapping[str, Any]:
        times = {"initial": duration(self.initial), "max": duration(self.max), "give_up_after": duration(self.give_up_after)}
        codes = {"non_retryable": self.non_retryable, "retry_only": self.retry_only}
        return {"max_attempts": self.max_attempts, "factor": self.factor, **times, **codes}


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What became of a branch of a settled map: `error` is None if it returned `value`."""

    value: Optional[T] = None
    error: Optional[BaseException] = None


def checked_part_name(name: str) -> str:
    """Returns the name if it may be that of a part; else raises ValueError."""
    if not name or "/" in name or _NUMBERED.search(name):
        raise ValueError(f"the name of a part must not be empty, contain / or end in # and digits (was {name})")
    return checked_name("the name of a part", name)


class Use:
    """One use of a name. `is_overlapped` says that another part of the scope was in flight meanwhile."""

    def __init__(self, name: str, is_overlapped: bool) -> None:
        self.name, self.is_overlapped = name, is_overlapped


class Scope:
    """The names of a handler, or of one branch of a map."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.patches: Dict[str, bool] = {}
        self.lock = threading.RLock()
        self._uses: Dict[str, List[Use]] = {}
        self._running: List[Use] = []

    def full_name(self, name: str, number: int = 1) -> str:
        try:
            return checked_name(
                "the full name of a part", self.prefix + checked_part_name(name) + (f"#{number}" if number > 1 else "")
            )
        except ValueError as error:
            raise FinalFailure("STEP_NAME_INVALID", str(error)) from None

    def enter(self, name: str) -> Use:
        with self.lock:
            former = self._uses.setdefault(name, [])
            use = Use(self.full_name(name, len(former) + 1), bool(self._running))
            if former and (self._running or former[-1].is_overlapped):
                text = f"{name} is recorded again while other parts run, so the order may differ; use map, or different names"
                raise FinalFailure("STEP_NAME_AMBIGUOUS", text)
            former.append(use)
            for each in self._running:
                each.is_overlapped = True
            self._running.append(use)
            return use

    def leave(self, use: Use) -> None:
        with self.lock:
            self._running.remove(use)


class Records:
    """What earlier executions recorded: as it came with the task, and by pages that are read when a name is missing."""

    def __init__(self, task: Any, claim: Claim, connection: Connection) -> None:
        self._claim, self._connection = claim, connection
        self._lock = threading.Lock()
        self._token: str = task.more_recorded_token
        self._recorded: Dict[str, Any] = {}
        self._asked: Set[str] = set()
        self._unasked: Dict[str, Dict[str, None]] = {}  # names by the prefix of their scope, in the order of recording
        self.open_parts = {each.name: each for each in task.open_parts}
        self._add(task.recorded)

    def ask(self, name: str) -> None:
        """Notes that the code asks for a name."""
        with self._lock:
            self._asked.add(name)
            self._unasked.get(_prefix(name), {}).pop(name, None)

    def find(self, name: str) -> Any:
        """Returns the record of a part that the code asks for, or None."""
        with self._lock:
            while name not in self._recorded and name not in self.open_parts and self._token:
                self._read_page()
            return self._recorded.get(name)

    def left_over(self, prefix: str) -> List[str]:
        """The records of a scope that did not overlap and that the code has not asked for."""
        with self._lock:
            while self._token:
                self._read_page()
            return list(self._unasked.get(prefix, ()))

    def never_asked(self) -> List[str]:
        """The names of all scopes that the code has not asked for, as far as they are known."""
        with self._lock:
            return [name for names in self._unasked.values() for name in names]

    def _add(self, recorded: Sequence[Any]) -> None:
        for each in recorded:
            self._recorded[each.name] = each
            if not each.overlapped and each.name not in self._asked:
                self._unasked.setdefault(_prefix(each.name), {})[each.name] = None

    def _read_page(self) -> None:
        fields = {"claim": self._claim.message, "page_token": self._token}
        page = self._connection.record("WorkerService/ListRecords", fields).response
        if page.HasField("claim_lost"):
            self._claim.revoke(enum_name(page.claim_lost, "reason"))
            self._claim.throw_if_revoked()
        self._token = page.next_page_token
        self._add(page.recorded)


def _prefix(name: str) -> str:
    return name[: name.rfind("/") + 1]


class _Report:
    """The reports of one call of `record`, which are sent together."""

    def __init__(self, use: Use, parts: Sequence[Mapping[str, Any]], patch: Mapping[str, Any]) -> None:
        self.use, self.parts, self.patch = use, parts, patch
        self.size = sum(message("hapax.v1.PartRecord")(name=use.name, **part).ByteSize() for part in parts)
        self.results: Optional[Sequence[Any]] = None
        self.error: Optional[BaseException] = None

    def is_done(self) -> bool:
        return self.results is not None or self.error is not None

    def fields(self) -> "list[Mapping[str, Any]]":
        overlap = self.use.is_overlapped
        return [{"name": self.use.name, "overlapped": overlap and "output" in part, **part} for part in self.parts]


class Reports:
    """Sends reports about parts. Those that arrive while a call is under way go together in the next one."""

    def __init__(self, claim: Claim, connection: Connection) -> None:
        self._claim, self._connection = claim, connection
        self._changed = threading.Condition()
        self._waiting: List[_Report] = []
        self._is_sending = False
        self._patch: Dict[str, Any] = {}  # changes of the state that go with the next output, or end

    def send(self, use: Use, *parts: Mapping[str, Any], patch: Mapping[str, Any] = {}) -> Sequence[Any]:
        """Returns the results of these reports once they are stored."""
        report = _Report(use, parts, patch)
        with self._changed:
            self._waiting.append(report)
            self._changed.wait_for(lambda: report.is_done() or not self._is_sending)
            is_sender = not report.is_done()
            self._is_sending |= is_sender
        if is_sender:
            try:
                while not report.is_done():
                    self._send(self._next())
            finally:
                with self._changed:
                    self._is_sending = False
                    self._changed.notify_all()
        if report.error is not None:
            raise report.error
        for result in report.results or ():
            unknown = unknown_in(result, "outcome")
            if unknown:
                text = f"Hapax answered part {use.name} with an outcome that this package does not know ({unknown}); upgrade it"
                raise UnknownAnswer(text, code="UNIMPLEMENTED")
        return report.results or ()

    def patch(self, members: Mapping[str, Any]) -> None:
        with self._changed:
            self._patch.update(members)

    def forget(self, members: Mapping[str, Any]) -> None:
        """Drops older changes of these members: a former execution has sent them, and a later value."""
        with self._changed:
            self._patch = {name: value for name, value in self._patch.items() if name not in members}

    def changes(self) -> Mapping[str, Any]:
        """The fields of the changes that no record has sent."""
        return state_patch(self._patch)

    def _next(self) -> Sequence[_Report]:
        """Takes the reports that wait, as many as fit into one call."""
        with self._changed:
            count = size = taken = 0
            for report in self._waiting:
                count, size = count + len(report.parts), size + report.size
                if taken and (count > _MOST_REPORTS or size > _MOST_BYTES):
                    break
                taken += 1
            batch, self._waiting = self._waiting[:taken], self._waiting[taken:]
            return batch

    def _send(self, batch: Sequence[_Report]) -> None:
        try:
            self._call(batch)
        except Refused as refused:
            if len(batch) > 1:
                for report in batch:
                    self._send([report])  # nothing was stored, and another report may be the reason
            else:
                batch[0].error = FinalFailure(refused.reason, f"step {batch[0].use.name} was not recorded: {refused}")
                batch[0].error.__cause__ = refused
        except BaseException as error:
            for report in batch:
                report.error = error
        with self._changed:
            self._changed.notify_all()

    def _call(self, batch: Sequence[_Report]) -> None:
        self._claim.throw_if_revoked()
        pending: Dict[str, Any] = {}
        is_merged = False
        if any("output" in part for report in batch for part in report.parts):
            with self._changed:
                pending, self._patch = self._patch, {}
        try:
            patch = dict(pending)
            for report in batch:
                patch.update(report.patch)
            parts = [each for report in batch for each in report.fields()]
            fields = {"claim": self._claim.message, "parts": parts, **state_patch(patch)}
            answer = self._connection.record("WorkerService/RecordStep", fields).response
            if answer.WhichOneof("outcome") == "claim_lost":
                self._claim.revoke(enum_name(answer.claim_lost, "reason"))
                self._claim.throw_if_revoked()
            results = list(answer.parts.results)
            is_merged = any(each.HasField("recorded") and not each.recorded.already for each in results)
        finally:
            if pending and not is_merged:
                with self._changed:
                    self._patch = {**pending, **self._patch}
        for report in batch:
            report.results, results = results[: len(report.parts)], results[len(report.parts) :]


def state_patch(members: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"state_patch": storable("the change of the state", members)} if members else {}


def storable(what: str, value: Any, encode: Callable[[Any], Any] = to_payload) -> Any:
    """Returns the payload of what a step has done; another attempt would not make it storable."""
    try:
        return encode(value)
    except (TypeError, ValueError) as error:
        raise FinalFailure("RESULT_REFUSED", f"{what} cannot be stored: {error}") from error
