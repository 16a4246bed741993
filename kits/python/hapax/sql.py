"""Intents and completions in a transaction of yours, in the database of Hapax. See docs/sql.md.

The connection is one of a DB-API driver with `%s` as its placeholder, such as psycopg, psycopg2 or pg8000. The functions insert
one row, and take effect if the transaction commits.
"""

from __future__ import annotations

import json
from typing import Any, Union

from .claims import Claim
from .tasks import Task

_FUNCTIONS = {
    "WorkerService/HeartbeatTasks": "complete_task",
    "EntityService/RenewAction": "complete_action",
    "OperationService/RenewOperation": "complete_operation",
}


def start_run(connection: Any, definition: str, input: Any = None, *, workspace: str = "", **arguments: Any) -> str:
    """Posts the start of a run; returns its id. `arguments` are those of `hapax.start_run`, such as `token`."""
    return _select(connection, "start_run", workspace, definition, _json({} if input is None else input), **arguments)


def signal_run(connection: Any, run_id: str, type: str, payload: Any = None, *, workspace: str = "", **arguments: Any) -> str:
    """Posts a signal to a run; returns a ticket."""
    return _select(connection, "signal_run", workspace, run_id, type, _json(payload), **arguments)


def signal_hook(connection: Any, token: str, type: str, payload: Any = None, *, workspace: str = "", **arguments: Any) -> str:
    """Posts a signal to the owner of a token; returns a ticket."""
    return _select(connection, "signal_hook", workspace, token, type, _json(payload), **arguments)


def cancel_run(connection: Any, run_id: str, reason: str = "", *, workspace: str = "") -> str:
    """Posts the cancellation of a run; returns a ticket."""
    return _select(connection, "cancel_run", workspace, run_id, reason)


def complete(connection: Any, held: Union[Claim, Task], value: Any = None, *, workspace: str = "", **arguments: Any) -> Any:
    """Completes the work of a claim in the transaction that writes its rows, and returns the value.

    Call it last, commit, and return from the work. If the COMMIT is in doubt, the kit finds out what became of it. Renewals
    stop before, because the transaction locks the record.
    """
    claim = held.claim if isinstance(held, Task) else held
    if claim.renewals is not None:
        claim.renewals.renew_last(claim)
        function = _FUNCTIONS[claim.renewals.method]
        _select(connection, function, workspace, claim.message.id, claim.fence, _json(value), **arguments)
        claim.in_sql = (value,)
    return value


def _json(value: Any) -> Any:
    return None if value is None else _Json(json.dumps(value, ensure_ascii=False, allow_nan=False))


class _Json(str):
    """A text that is passed as jsonb."""


def _select(connection: Any, function: str, *arguments: Any, **named: Any) -> str:
    values = [*arguments, *named.values()]
    casts = ["%s::jsonb" if isinstance(value, _Json) else "%s" for value in values]
    names = [""] * len(arguments) + [f"{name} => " for name in named]
    cursor = connection.cursor()
    try:
        cursor.execute(
            f"SELECT hapax.{function}({', '.join(map(str.__add__, names, casts))})",
            [str(value) if isinstance(value, _Json) else value for value in values],
        )
        return str(cursor.fetchone()[0])
    finally:
        cursor.close()
