"""A worker of an agent that is killed: 50 turns, a model that fails in 15 % of its calls, and guarded tools with an effect."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

import hapax
from hapax.agents import guard

client = hapax.connect()
EFFECTS, TURNS = sys.argv[1], 50


def model(turn: int) -> int:
    if random.random() < 0.15:
        raise ConnectionError("429 from the model")
    append(f"model {turn}")
    return turn


def append(line: str) -> None:
    file = os.open(EFFECTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\n".encode())
    os.close(file)


@hapax.workflow("agent", queue="agents", lease=1)
def agent(task: hapax.Task, input: Any) -> list[int]:
    pay = guard(task, "pay", lambda turn: append(f"pay {turn}"), verify=paid)
    turns = []
    for turn in range(TURNS):
        turns.append(task.record("llm", lambda id: model(turn), retry=hapax.Retry(max_attempts=-1, initial=0.01)))
        pay(turn=turn)
    return turns


def paid(turn: int) -> Any:
    """Whether the file has the line of this call, which a killed worker may have written."""
    with open(EFFECTS) as file:
        return None if f"pay {turn}" in file.read().splitlines() else hapax.NOT_DONE


client.worker(workflows=[agent]).run()
