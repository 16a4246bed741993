"""The contract program of the Python kit: see kits/contract/README.md."""

from __future__ import annotations

import asyncio
import base64
import http.server
import json
import os
import pathlib
import signal
import sys
import threading
import urllib.parse
import wsgiref.simple_server
from typing import Any, Callable, Dict, List, Optional

import hapax
import hapax.sql
from hapax.errors import CallError
from hapax.middleware import AsgiIdempotency, Idempotency, WsgiIdempotency
from hapax.parts import checked_part_name
from hapax.values import checked_key, checked_name

WORKSPACE = os.environ.get("CONTRACT_WORKSPACE", "")
client = hapax.connect(workspace=WORKSPACE)
latches: Dict[str, threading.Event] = {}
loops: List[Any] = []
lock = threading.Lock()


def say(**line: Any) -> None:
    with lock:
        print(json.dumps(line), flush=True)


def latch(name: str) -> threading.Event:
    with lock:
        return latches.setdefault(name, threading.Event())


LEDGER = os.environ.get("CONTRACT_LEDGER", "")
FAILURES: Dict[str, Any] = {
    "retryable": hapax.RetryableFailure,
    "final": hapax.FinalFailure,
    "unknown_effect": hapax.UnknownEffect,
}
fails = threading.Lock()


def append(path: str, line: str) -> None:
    """Appends a line in one write."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def error_text(error: BaseException) -> str:
    return error.code if isinstance(error, hapax.PartFailed) else str(error)


class Work:
    """Does the parts of a work; `held` is a claim or a task."""

    def __init__(self, parts: List[Any], held: Any, id: str, **begins: Any) -> None:
        self.parts, self.held, self.id = parts, held, id
        self.event("begins", **begins)

    def event(self, name: str, /, **more: Any) -> None:
        say(event=name, id=self.id, fence=self.held.fence, **more)

    def run(self, parts: Optional[List[Any]] = None, id: str = "") -> Any:
        for part in self.parts if parts is None else parts:
            if "return" in part:
                return part["return"]
            self.do(part, id or self.id)
        return None

    def do(self, part: Any, id: str) -> None:
        if "effect" in part:
            append(LEDGER, f"{part['effect']} {self.held.fence} {id}")
        elif "fail_times" in part:
            self.fail_times(part, id)
        elif "hold" in part:
            self.hold(part["hold"])
        elif "record" in part:
            self.record(part)
        elif "map" in part:
            self.map(part)
        elif "patched" in part:
            value = self.held.patched(part["patched"])
            self.event("patched", name=part["patched"], value=value)
            self.run(part["work"] if value else part.get("else", []), id)
        elif "caught" in part:
            try:
                self.run(part["caught"], id)
            except hapax.PartFailed as error:
                self.event("part_failed", part=error.part, code=error.code, attempts=error.attempts)
        elif "beside" in part:
            threading.Thread(target=self.beside, args=(part["beside"], id), daemon=True).start()
        elif "suspend" in part:
            self.held.suspend(part["suspend"], part["ms"] / 1000)
        elif "await_signal" in part:
            timeout = part["timeout_ms"] / 1000 if "timeout_ms" in part else None
            value = self.held.await_signal(part["await_signal"], timeout=timeout)
            self.event("signal", name=part["await_signal"], value=value)
        elif "patch" in part:
            self.held.patch_state(part["patch"])
        elif "set_state" in part:
            self.held.set_state(part["set_state"])
        elif "complete_in_sql" in part:
            self.complete_in_sql(part, id)
        elif "fail" in part:
            raise FAILURES[part["fail"]]("FAILED", "as the work says")

    def record(self, part: Any) -> None:
        options: Dict[str, Any] = seconds(part, "timeout")
        if "retry" in part:
            retry = dict(part["retry"])
            for field in ("initial", "max", "give_up_after"):
                if field + "_ms" in retry:
                    retry[field] = retry.pop(field + "_ms") / 1000
            options["retry"] = hapax.Retry(**retry)
        if "verify" in part:
            verify = part["verify"]
            options["verify"] = lambda step_id: hapax.NOT_DONE if "not_done" in verify[0] else self.run(verify, step_id)
        at_most_once = part.get("at_most_once", False)
        value = self.held.record(
            part["record"], lambda step_id: self.run(part["work"], step_id), at_most_once=at_most_once, **options
        )
        self.event("recorded", name=part["record"], value=value)

    def map(self, part: Any) -> None:
        def branch(task: Any, key: str) -> Any:
            return self.of(task).run(part["work"])

        options = {"concurrency": part.get("concurrency", 10), "settled": part.get("settled", False)}
        values = self.held.map(part["map"], part["keys"], branch, key=str, **options)
        if options["settled"]:
            values = [{"error": error_text(each.error)} if each.error else {"value": each.value} for each in values]
        self.event("mapped", name=part["map"], value=values)

    def of(self, held: Any) -> "Work":
        """The same work in a branch."""
        work = Work.__new__(Work)
        work.parts, work.held, work.id = self.parts, held, self.id
        return work

    def fail_times(self, part: Any, id: str) -> None:
        with fails:
            path = pathlib.Path(LEDGER + ".fails")
            count = path.read_text().splitlines().count(id) if path.exists() else 0
            if count >= part["fail_times"]:
                return
            append(str(path), id)
        kind, code = part.get("fail", "retryable"), part.get("code", "FAILED")
        raise FAILURES[kind](code, "as the work says", **seconds(part, "retry_after"))

    def beside(self, parts: List[Any], id: str) -> None:
        try:
            self.run(parts, id)
        except BaseException as error:
            self.event("beside_failed", message=str(error))

    def complete_in_sql(self, part: Any, id: str) -> None:
        connection = connect_database()
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO contract_effect (id, fence) VALUES (%s, %s)", (id, self.held.fence))
        hapax.sql.complete(connection, self.held, part["complete_in_sql"], workspace=WORKSPACE)
        if "hold" in part:
            self.hold(part["hold"])
        getattr(connection, part["end"])()
        connection.close()

    def hold(self, name: str) -> None:
        self.event("holds", latch=name)
        is_lost = False
        while not latch(name).wait(0.02):
            if self.held.is_lost and not is_lost:
                is_lost = True
                self.event("lost")


def vectors(command: Any) -> Any:
    file = json.loads(pathlib.Path(command["file"]).read_text())
    return [VECTORS[file["function"]](vector) for vector in file["vectors"]]


def fingerprint(vector: Any) -> Optional[str]:
    try:
        if "base64" in vector:
            return hapax.fingerprint(base64.b64decode(vector["base64"])).hex()
        if "json" in vector:
            return hapax.fingerprint(json.loads(vector["json"])).hex()
        return hapax.fingerprint(None).hex()
    except ValueError:
        return None


def name(vector: Any) -> bool:
    try:
        checked_name("text", vector["text"])
        return True
    except ValueError:
        return False


def part_name(vector: Any) -> bool:
    try:
        checked_part_name(vector["name"])
        return True
    except ValueError:
        return False


def header_key(vector: Any) -> bool:
    try:
        checked_key(base64.b64decode(vector["base64"]).decode("latin-1"))
        return True
    except ValueError:
        return False


def server(vector: Any) -> bool:
    try:
        hapax.connect(vector["server"]).close()
        return True
    except ValueError:
        return False


def call_error(vector: Any) -> CallError:
    advised = vector["advised_ms"]
    return CallError(vector["code"], "", vector["reason"] or "", None if advised is None else advised / 1000)


def pause(vector: Any) -> Optional[float]:
    seconds = call_error(vector).pause(vector["retry"], vector["holder"])
    return None if seconds is None else seconds * 1000


VECTORS: Dict[str, Callable[[Any], Any]] = {
    "fingerprint": fingerprint,
    "name": name,
    "part_name": part_name,
    "header_key": header_key,
    "server": server,
    "pause": pause,
    "error": lambda vector: type(call_error(vector).exception()).__name__,
}


def seconds(command: Any, field: str) -> Any:
    return {field: command[field + "_ms"] / 1000} if field + "_ms" in command else {}


def once(command: Any) -> Any:
    request_id = command["request_id"]
    return client.once(
        command["operation"],
        request_id,
        lambda claim: Work(command["work"], claim, request_id).run(),
        input=command.get("input"),
        account=command.get("account", ""),
        **seconds(command, "lease"),
        **seconds(command, "wait"),
    )


def connect_database() -> Any:
    import psycopg2  # only these scenarios need it

    return psycopg2.connect(os.environ["CONTRACT_DATABASE"])


def start_in_sql(command: Any) -> str:
    with connect_database() as connection:
        return hapax.sql.start_run(connection, command["definition"], command.get("input"), workspace=WORKSPACE)


def new_signal(fields: Any) -> hapax.Signal:
    more = {"signal_id": fields["signal_id"]} if "signal_id" in fields else {}
    return hapax.Signal(fields["type"], fields.get("payload"), **more)


def start(command: Any) -> Any:
    hooks = []
    if "hook" in command:
        hook = dict(command["hook"])
        hooks = [hapax.Hook(retention=hook.pop("retention_ms", 0) / 1000, **hook)]
    started = client.runs.start(
        command["definition"],
        command.get("idempotency_key", ""),
        command.get("input"),
        hooks=hooks,
        signal=new_signal(command["signal"]) if "signal" in command else None,
        traceparent=command.get("traceparent", ""),
        on_key_mismatch=command.get("on_key_mismatch", "ERROR"),
        wait=command.get("wait_ms", 0) / 1000,
    )
    run_id = started.run.id if started.run else None
    return {
        "run_id": run_id,
        "output": started.run.output if started.run else None,
        "disposition": started.disposition,
        "owner": started.owner or None,
        "runs_ahead": started.runs_ahead,
        "superseded": list(started.superseded_run_ids),
    }


def act(command: Any) -> Any:
    return client.entities.act(
        command["lifecycle"],
        command["entity_id"],
        command["step"],
        command["requester"],
        lambda claim: Work(command["work"], claim, command["entity_id"]).run(),
        **seconds(command, "lease"),
        **seconds(command, "wait"),
    )


def work(command: Any) -> str:
    on_code_change = command.get("on_code_change", "release")
    worker = client.worker(command["queue"], concurrency=command.get("concurrency", 10), on_code_change=on_code_change)

    def add(step: str, parts: List[Any]) -> None:
        @worker.step(f"{command['definition']}/{step}")
        def handle(task: hapax.Task) -> Any:
            work = Work(parts, task, task.step_id, attempt=task.attempt, traceparent=task.traceparent)
            try:
                return work.run()
            finally:
                work.event("ends")

    for step, parts in command["steps"].items():
        add(step, parts)
    loops.append(worker)
    worker.start()
    return "started"


def workflow(command: Any) -> str:
    limits = [hapax.Limit(**each) for each in command["limits"]]

    @hapax.workflow(command["definition"], queue=command["queue"], limits=limits)
    def main(task: hapax.Task, input: Any) -> Any:
        return Work(command["work"], task, task.step_id).run()

    worker = client.worker(workflows=[main])
    loops.append(worker)
    worker.start()
    return "started"


def set_limit(command: Any) -> bool:
    return client.limits.set(command["name"], key=command["key"], max_running=command["max_running"])


def list_limits(command: Any) -> Any:
    fields = ("key", "max_running", "running", "waiting")
    return [{field: getattr(each, field) for field in fields} for each in client.limits.list(command["name"])]


def janitor(command: Any) -> str:
    def check(recovery: hapax.Recovery) -> hapax.Verdict:
        lines = pathlib.Path(os.environ["CONTRACT_LEDGER"]).read_text().splitlines()
        is_written = any(line.split(" ")[1] == str(recovery.lost_fence) for line in lines)
        return hapax.Verdict.COMPLETE if is_written else hapax.Verdict.REVERT

    loops.append(client.janitor(command["module"], check))
    loops[-1].start()
    return "started"


def serve(command: Any) -> Any:
    statuses = [part["status"] for part in command["work"] if "status" in part]
    status = http.HTTPStatus(statuses[0] if statuses else 201)

    def pay(id: str) -> bytes:
        claim = hapax.Claim.untracked()
        return json.dumps(Work(command["work"], claim, id).run()).encode()

    def wsgi(environ: Any, start_response: Any) -> List[bytes]:
        body = pay(environ.get("HTTP_IDEMPOTENCY_KEY", ""))
        start_response(f"{status.value} {status.phrase}", [("Content-Type", "application/json")])
        return [body]

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        key = dict(scope["headers"]).get(b"idempotency-key", b"")
        await receive()
        body = await asyncio.to_thread(pay, key.decode())
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status.value, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    idempotency = Idempotency(client, required=True)
    return {
        "wsgi": served(wsgi_server(WsgiIdempotency(wsgi, idempotency))),
        "asgi": served(asgi_server(AsgiIdempotency(asgi, idempotency))),
    }


def served(server: Any) -> int:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def wsgi_server(app: Any) -> Any:
    class Quiet(wsgiref.simple_server.WSGIRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    class Threaded(http.server.ThreadingHTTPServer, wsgiref.simple_server.WSGIServer):
        pass

    return wsgiref.simple_server.make_server("127.0.0.1", 0, app, Threaded, Quiet)


def asgi_server(app: Any) -> Any:
    """As much of an ASGI server as the middleware needs."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path, _, query = self.path.partition("?")
            headers = [(key.lower().encode(), value.encode("latin-1")) for key, value in self.headers.items()]
            request = {"type": "http", "method": "POST", "path": urllib.parse.unquote(path), "raw_path": path.encode()}
            scope = {**request, "query_string": query.encode(), "headers": headers}

            async def receive() -> Any:
                return {"type": "http.request", "body": body}

            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    self.send_response(message["status"])
                    for key, value in message["headers"]:
                        self.send_header(key.decode(), value.decode())
                    self.end_headers()
                else:
                    self.wfile.write(message.get("body", b""))

            asyncio.run_coroutine_threadsafe(app(scope, receive, send), loop).result()

        def log_message(self, *_: Any) -> None:
            pass

    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def opened(command: Any) -> str:
    latch(command["latch"]).set()
    return "opened"


COMMANDS: Dict[str, Callable[[Any], Any]] = {
    "vectors": vectors,
    "once": once,
    "start": start,
    "start_in_sql": start_in_sql,
    "result": lambda it: client.runs.result(it["run_id"], it["at_most_ms"] / 1000),
    "cancel": lambda it: client.runs.cancel(it["run_id"]).status,
    "signal_run": lambda it: client.runs.signal(it["run_id"], new_signal(it)),
    "signal_hook": lambda it: client.hooks.signal(it["token"], new_signal(it)),
    "create_hook": lambda it: client.hooks.create(it["run_id"], hapax.Hook(it["token"])).owner or None,
    "hook_owner": lambda it: client.hooks.get(it["token"]),
    "create_entity": lambda it: client.entities.create(it["lifecycle"], it["entity_id"], it["status"]),
    "act": act,
    "work": work,
    "workflow": workflow,
    "set_limit": set_limit,
    "remove_limit": lambda it: client.limits.remove(it["name"], it["key"]),
    "list_limits": list_limits,
    "janitor": janitor,
    "serve": serve,
    "open": opened,
}


def answer(command: Any) -> None:
    try:
        say(id=command["id"], value=COMMANDS[command["do"]](command))
    except hapax.HapaxError as error:
        say(id=command["id"], error={"kind": type(error).__name__, "reason": error.reason, "message": str(error)})
    except Exception as error:
        say(id=command["id"], error={"kind": "Defect", "reason": "", "message": repr(error)})


def read() -> None:
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


# blocked in all threads, so that this one can wait for it
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
threading.Thread(target=read, daemon=True).start()
signal.sigwait({signal.SIGTERM})
say(event="stopping")
for loop in loops:
    loop.stop()
os._exit(0)
