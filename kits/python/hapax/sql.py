"""Intents and completions in your own transaction, in the database of Hapax. See docs/sql.md.

The connection is one of a DB-API driver with `%s` as its placeholder, such as psycopg, psycopg2 or pg8000. The functions insert
one row, and take effect if the transaction commits. Signals and cancellations are `SELECT hapax.signal_run(…)` and the like.
"""

from __future__ import annotations

import json
from typing import Any, List, Mapping, Optional, Union

from .claims import Claim
from .tasks import Task

_FUNCTIONS = {
    "WorkerService/HeartbeatTasks": "complete_task",
    "EntityService/RenewAction": "complete_action",
    "OperationService/RenewOperation": "complete_operation",
}


def start_run(connection: Any, definition: str, input: Any = None, *, workspace: str = "", **arguments: Any) -> str:
    """Posts the start of a run; returns its id. `arguments` are those of `hapax.start_run`, such as `token`."""
    return _select(connection, "start_run(%s, %s, %s::jsonb", [workspace, definition, _json(input) or "{}"], arguments)


def complete(connection: Any, held: Union[Claim, Task], value: Any = None, *, workspace: str = "", **arguments: Any) -> Any:
    """Completes the work of a claim in the transaction that writes its rows, and returns the value.

    Call it last, commit, and return from the work. If the COMMIT is in doubt, the kit finds out what became of it. Renewals
    stop before, because the transaction locks the record. While a body of `record` runs it raises RuntimeError.
    """
    claim = held.claim if isinstance(held, Task) else held
    if claim.parts > 0:
        raise RuntimeError(f"{claim.parts} durable calls of the task are in progress; complete it after they have ended")
    if claim.renewals is not None:
        claim.renewals.renew_last(claim)
        values = [workspace, claim.message.id, claim.fence, _json(value)]
        _select(connection, f"{_FUNCTIONS[claim.renewals.method]}(%s, %s, %s, %s::jsonb", values, arguments)
        claim.in_sql = (value,)
    return value


def _json(value: Any) -> Optional[str]:
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _select(connection: Any, call: str, values: List[Any], named: Mapping[str, Any]) -> str:
    cursor = connection.cursor()
    try:
        names = "".join(f", {name} => %s" for name in named)
        cursor.execute(f"SELECT hapax.{call}{names})", [*values, *named.values()])
        return str(cursor.fetchone()[0])
    finally:
        cursor.close()
