"""Limits: how many runs may be at the steps, or of the workflows, that name one, for each value of its key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional

from .connection import Connection
from .values import checked_name, duration


@dataclass(frozen=True)
class Limit:
    """A limit of the steps that name it: a run that reaches one of them waits in line until there is room.

    Or a limit of the definitions that name it: a run waits before it starts, and counts until its end. All steps of the workspace
    that name it share it, and so do all definitions; these are two limits. With `input`, a JSON pointer into the input of the run
    such as `/tenant`, each value has a number and a line of its own; `label` does the same by a label of the run. Runs without a
    value share one.
    `max_running` is how many runs of each value may be in the queue or held, or have started and not ended: 1 to 1,000.
    `max_starts` is how many enter the queue, or start, in each `per` seconds, evenly: 1 to 10,000 in 1 s to 24 h. 0 = any number.
    """

    name: str
    input: str = ""
    label: str = ""
    max_running: int = 0
    max_starts: int = 0
    per: Optional[float] = None

    def fields(self) -> Mapping[str, Any]:
        key = {name: pointer for name, pointer in (("input", self.input), ("label", self.label)) if pointer}
        return {"name": checked_name("name", self.name), **key, **_numbers(self.max_running, self.max_starts, self.per)}


def _numbers(max_running: int, max_starts: int, per: Optional[float]) -> Mapping[str, Any]:
    return {"max_running": max_running, "max_starts": max_starts, "per": duration(per)}


class Limits:
    """Changes and shows the limits of steps and definitions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def set(
        self,
        name: str,
        *,
        max_running: int = 0,
        max_starts: int = 0,
        per: Optional[float] = None,
        key: str = "",
        reason: str = "",
        of_definitions: bool = False,
    ) -> bool:
        """Sets the numbers of a limit at once, before those of all definitions. Returns False if it was set so before.

        `key` is the value of the limit's key; empty = all values without a number of their own. Runs that were admitted stay so:
        after a lower number, others wait until fewer run. `reason` is stored with the change. `of_definitions` means the limit of
        definitions of this name, not that of steps.
        """
        numbers = _numbers(max_running, max_starts, per)
        return self._change(name, key, reason, of_definitions=of_definitions, **numbers)

    def remove(self, name: str, key: str = "", reason: str = "", of_definitions: bool = False) -> bool:
        """Removes what `set` set: that of the whole limit holds again, or those of the definitions. Returns False if there was none."""
        return self._change(name, key, reason, of_definitions=of_definitions, remove=True)

    def _change(self, name: str, key: str, reason: str, **change: Any) -> bool:
        fields = {"name": checked_name("name", name), "key": checked_name("key", key), "reason": reason, **change}
        return not self._connection.call("LimitService/SetLimit", fields).response.already

    def list(self, name: str = "") -> List[Any]:
        """Returns the messages of the values that runs have reached in the last week, or that are set; by default of all limits.

        Each has `name`, `key`, `of_definitions`, `max_running`, `running`, `waiting`, `oldest_since`, `next_at` and `setting`.
        """
        states: List[Any] = []
        fields = {"name": checked_name("name", name), "page_size": 500, "page_token": ""}
        while True:
            page = self._connection.call("LimitService/ListLimits", fields).response
            states += page.limits
            if not page.next_page_token:
                return states
            fields["page_token"] = page.next_page_token
