"""The client: one for each process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from .claims import Claim
from .connection import Connection, open_connection
from .definitions import Definitions
from .entities import Entities, Janitor, Recovery, Verdict
from .hooks import Hooks
from .limits import Limits
from .operations import OnceOptions, once
from .payloads import Store
from .runs import Runs
from .values import refuse_async
from .worker import Handler, OnCodeChange, Worker
from .workflows import Workflow

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


def connect(
    server: Optional[str] = None,
    *,
    workspace: str = "",
    tls: Optional[bool] = None,
    ca: Optional[str] = None,
    api_key: Optional[str] = None,
    api_key_file: Optional[str] = None,
    jwt_file: Optional[str] = None,
    call_timeout: float = 10.0,
    payloads: Optional[Store] = None,
) -> "Client":
    """Returns a client. It connects at its first call; make it once and share it between threads.

    `server` is HOST:PORT, or https://HOST:PORT for TLS. Calls use all addresses of the name in turn. Servers without a common
    name are a list, HOST:PORT,HOST:PORT. `ca` is a file with certificate authorities, and means TLS. `api_key` is
    sent with each call; that of `api_key_file` is read again when the file changes, and so is the JSON Web Token of `jwt_file`,
    which replaces a key. What is not given comes from the variables of the `hapax` command: HAPAX_SERVER, HAPAX_TLS,
    HAPAX_TLS_CA, HAPAX_API_KEY, HAPAX_API_KEY_FILE, HAPAX_JWT_FILE.

    `call_timeout` is how many seconds to repeat a call before work has begun; its last try may end later.

    `payloads` is a store for large payloads: inputs of runs and outputs above 128 KiB go there, and Hapax gets a reference.

    Raises ValueError for settings that contradict each other, or that would send the key or token without TLS to another machine.
    """
    connection = open_connection(server, workspace, tls, ca, api_key, api_key_file, jwt_file, call_timeout)
    connection.payloads.store = payloads
    return Client(connection)


class Client:
    """A client of a Hapax server. Safe to use from any thread, and after a fork if the parent has made no call."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.runs = Runs(connection)
        self.hooks = Hooks(connection)
        self.limits = Limits(connection)
        self.entities = Entities(connection)
        self.definitions = Definitions(connection)

    def once(self, operation: str, request_id: Optional[str], work: Callable[[Claim], T], **options: Unpack[OnceOptions]) -> T:
        """Runs the work unless an earlier call with the same request id has, and returns what it returned first.

        `operation` names the handler, such as `shop.v1.Shop/Charge`. `request_id` is the idempotency key of the caller; without one
        the work runs untracked. The work gets its claim; its lease is renewed while it runs. An exception frees
        the key, unless it is a FinalFailure or an UnknownEffect, and passes.

        Options: `input`, what a duplicate must have in common (anything with a JSON, or bytes); `account`, on whose behalf;
        `lease`, the seconds after which a holder that died is replaced (60); `wait`, the seconds to wait for another holder
        (0, at most 30); `ttl`, the seconds for which the result is replayed (86,400); `on_stale`, TAKE_OVER or HOLD;
        `accept_corrections`, whether another input is accepted after a failure; `hold_at_most`, the end of renewals in
        seconds (3,600).

        Raises InProgress, KeyReused, Indeterminate, Rejected, NotRetained, ClaimLost or Unrecorded; and Unavailable or another
        HapaxError if the work did not begin.
        """
        refuse_async("the work of once", work)
        return once(self._connection, operation, request_id, work, **options) if request_id else work(Claim.untracked())

    def worker(
        self,
        queues: Union[str, Sequence[str]] = (),
        steps: Mapping[str, Handler] = {},
        *,
        concurrency: int = 10,
        worker_id: str = "",
        on_code_change: OnCodeChange = "release",
        workflows: Sequence[Workflow[Any, Any]] = (),
    ) -> Worker:
        """Returns a worker for these queues, with a handler for each step, which does up to `concurrency` tasks at once.

        It registers `workflows` when it starts, and also works in their queues.

        `on_code_change` says what happens to a run whose records do not fit the code: it is released to a worker that may have
        the former code, fails with STEP_CHANGED, or goes on with a warning in the log.
        """
        names = [queues] if isinstance(queues, str) else list(queues)
        return Worker(self._connection, names, steps, concurrency, worker_id, on_code_change, workflows)

    def janitor(
        self, module: str, check: Callable[[Recovery], Verdict], *, concurrency: int = 10, lease: float = 60.0
    ) -> Janitor:
        """Returns the remote janitor of a module. `check` looks in the module's own tables for what the lost action wrote.

        It has `lease` seconds for that. If it raises, the recovery is handed out again when the lease expires.
        """
        return Janitor(self._connection, module, check, concurrency, lease)

    def call(self, method: str, **fields: Any) -> Any:
        """Calls any other method, such as `RunService/ListRuns`, with the retries of the kit; returns the message."""
        return self._connection.call(method, fields).response

    def close(self) -> None:
        """Closes the connection. Stop workers and janitors before."""
        self._connection.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
