"""What type checkers find out about the kit. It is checked, by mypy and pyright in their strict modes, and not run."""

from __future__ import annotations

import asyncio
from typing import Any, Iterable, List, Mapping, TypedDict

from typing_extensions import Unpack, assert_type

import hapax
import hapax.aio
from hapax.middleware import AsgiIdempotency, Idempotency, WsgiIdempotency


class Receipt(TypedDict):
    number: int


def charge(claim: hapax.Claim) -> Receipt:
    return {"number": claim.fence}


def once(client: hapax.Client, **options: Unpack[hapax.OnceOptions]) -> Receipt:
    receipt = client.once("pay", "r-1", charge, **options)
    assert_type(receipt, Receipt)
    assert_type(client.once("pay", "r-2", charge, input={"cents": 30}, lease=30, wait=5, on_stale="HOLD"), Receipt)
    client.once("pay", "r-1", charge, leas=30)  # type: ignore[call-arg]
    client.once("pay", "r-1", charge, wait="5")  # type: ignore[arg-type]
    client.once("pay", "r-1", charge, on_stale="KEEP")  # type: ignore[arg-type]
    return receipt


def runs(client: hapax.Client, **options: Unpack[hapax.StartOptions]) -> None:
    started = client.runs.start("order", "order-4711", {"cents": 30}, **options)
    assert_type(started.run_id, str)
    assert_type(client.runs.result(started.run_id, type=Receipt), Receipt)
    assert_type(client.runs.result(started.run_id, 5, type=int), int)
    client.runs.start("order", hooks=[hapax.Hook("order/4711")], labels={"shop": "eu"}, on_key_mismatch="RETURN_EXISTING")
    client.runs.start("order", label={"shop": "eu"})  # type: ignore[call-overload]


class Order(TypedDict):
    cents: int


@hapax.workflow("order", queue="orders", lease=30, part_retry=hapax.Retry(max_attempts=-1))
def order(task: hapax.Task, input: Order) -> Receipt:
    return task.record("charge", lambda key: Receipt(number=input["cents"]))


@hapax.workflow("trial", queue="trials", version="2")
async def trial(task: hapax.aio.Task, input: str) -> bool:
    await task.suspend("trial", 14 * 86_400)
    return await task.record("mail", lambda key: asyncio.sleep(1, True))


def workflows(client: hapax.Client) -> None:
    client.worker(workflows=[order], concurrency=2).start()
    started = client.runs.start(order, "order-4711", Order(cents=30), labels={"shop": "eu"})
    assert_type(started, hapax.Started[Receipt])
    assert_type(client.runs.result(started), Receipt)
    assert_type(client.runs.result(client.runs.start(order, input=Order(cents=30)), 5), Receipt)
    client.runs.start(order, input=7)  # type: ignore
    assert_type(client.definitions.register({"name": "wait", "version": "1", "steps": []}), bool)


async def loops() -> None:
    async with hapax.aio.connect("127.0.0.1:7420", workspace="shop") as client:
        worker = client.worker(workflows=[trial, order])
        await worker.start()
        started = await client.runs.start(trial, input="ada")
        assert_type(await client.runs.result(started), bool)
        assert_type(await client.runs.result(started.run_id, type=int), int)
        assert_type(await client.runs.signal(started.run_id, hapax.Signal("approved")), str)
        await client.runs.signal(started.run_id, "approved")  # type: ignore[arg-type]
        assert_type(await client.once("pay", "r-1", pay, input={"cents": 30}), Receipt)
        await worker.run()


async def pay(claim: hapax.Claim) -> Receipt:
    return {"number": claim.fence}


async def parts(task: hapax.aio.Task) -> None:
    async def receipt(key: str) -> Receipt:
        return {"number": len(key)}

    async def branch(task: hapax.aio.Task, item: str) -> int:
        return await task.record("length", len)

    assert_type(await task.record("pay", receipt, timeout=5, at_most_once=True), Receipt)
    assert_type(await task.record("pay", len), int)
    assert_type(await task.map("item", ["a"], branch, key=str), List[int])
    assert_type(await task.map("item", ["a"], branch, key=str, settled=True), List[hapax.Outcome[int]])


def act(client: hapax.Client, **options: Unpack[hapax.ActOptions]) -> None:
    assert_type(client.entities.act("invoice", "I-17", "send", "billing", charge, **options), Receipt)
    client.entities.act("invoice", "I-17", "send", "billing", charge, version=1)  # type: ignore[call-arg]


def steps(client: hapax.Client, held: hapax.Task) -> None:
    worker = client.worker(["shop", "mail"], concurrency=2)

    @worker.step("order/charge")
    def pay(task: hapax.Task) -> Receipt:
        task.suspend("cooling-off", 1)
        return task.record("pay", lambda key: Receipt(number=len(key)))

    assert_type(pay(held), Receipt)
    retry = hapax.Retry(max_attempts=-1, give_up_after=60, non_retryable=["DECLINED"])
    assert_type(held.record("pay", lambda key: 7, retry=retry, timeout=5), int)
    assert_type(held.record("pay", len, at_most_once=True, verify=lambda key: hapax.NOT_DONE if key else 7), int)
    assert_type(held.map("item", ["a"], branch, key=str), List[int])
    assert_type(held.map("item", ["a"], branch, key=str, settled=True), List[hapax.Outcome[int]])
    held.map("item", ["a"], branch, key=len)  # type: ignore[arg-type]
    client.worker("shop", on_code_change="stop")  # type: ignore[arg-type]


def branch(task: hapax.Task, item: str) -> int:
    return task.record("length", lambda key: len(item))


async def application(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204})


def wsgi(environ: Any, start_response: Any) -> Iterable[bytes]:
    return [b""]


def account(request: Mapping[str, Any]) -> str:
    return str(request.get("user", ""))


def middleware(client: hapax.Client) -> None:
    idempotency = Idempotency(client, account=account, required=True)
    AsgiIdempotency(application, idempotency)
    WsgiIdempotency(wsgi, idempotency)
