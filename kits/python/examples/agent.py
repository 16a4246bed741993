"""An agent in asyncio. Its model is a script here; its tools happen once, and a payment needs an approval.

Run it, and approve in another terminal the call that the state of the run has in `approvals`:
hapax run signal RUN --type approval/F --payload '{"approved": true}'
"""

from __future__ import annotations

import asyncio
from typing import Any, Callable

import hapax
import hapax.aio
from hapax.agents import ApprovalDenied, guard


async def respond(messages: list[Any]) -> Any:
    """Stands for the model, which searches, pays what it has found, and answers."""
    results = [each["content"] for each in messages if each["role"] == "tool"]
    if not results:
        return {"role": "assistant", "calls": [{"id": "call-1", "name": "search", "arguments": {"text": messages[0]["content"]}}]}
    if len(results) == 1:
        return {"role": "assistant", "calls": [{"id": "call-2", "name": "pay", "arguments": results[0]}]}
    return {"role": "assistant", "calls": [], "text": f"done: {results[1]}"}


async def search(text: str) -> Any:
    return {"invoice": "I-17", "cents": 1250}


def pay(invoice: str, cents: int) -> str:
    print(f"pays {cents} cents for {invoice}", flush=True)
    return f"paid {invoice}"


async def called(tool: Callable[..., Any], arguments: Any) -> Any:
    try:
        return await tool(**arguments)
    except ApprovalDenied as denied:
        return f"refused: {denied.note}"


@hapax.workflow("agent", queue="agents")
async def agent(task: hapax.aio.Task, input: str) -> str:
    tools: dict[str, Any] = {"search": guard(task, "search", search), "pay": guard(task, "pay", pay, approval=True)}
    messages: list[Any] = [{"role": "user", "content": input}]
    retry = hapax.Retry(max_attempts=-1, give_up_after=3600)
    for _ in range(50):
        turn = await task.record("llm", lambda id: respond(messages), retry=retry, timeout=120)  # llm, llm#2 …
        messages.append(turn)
        for call in turn["calls"]:
            messages.append({"role": "tool", "content": await called(tools[call["name"]], call["arguments"])})
        if not turn["calls"]:
            return str(turn["text"])
    raise hapax.FinalFailure("TOO_MANY_TURNS")


async def main() -> None:
    async with hapax.aio.connect() as client:
        worker = client.worker(workflows=[agent])
        await worker.start()
        started = await client.runs.start(agent, input="pay the open invoice")
        print(f"approve the calls of run {started.run_id}", flush=True)
        print(await client.runs.result(started, 600))
        await worker.stop()


if __name__ == "__main__":
    asyncio.run(main())
