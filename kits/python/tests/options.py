"""Options of calls that no other program uses, against a server: hooks of a run, expected versions, stale holders."""

from __future__ import annotations

import os
import time
import uuid

import hapax

client = hapax.connect(workspace=os.environ["CONTRACT_WORKSPACE"])
hook = hapax.Hook("order/1")
owner, other = (client.runs.start("case", f"k-{number}").run_id for number in range(2))
print("creates", client.hooks.create(owner, hook).owner or "for itself")
print("conflicts", client.hooks.create(other, hook).owner == owner)
client.hooks.dispose("order/1", owner)
print("creates", client.hooks.create(other, hook).owner or "for itself")

invoice = ("invoice", "I-17", "send", "billing")
client.entities.create("invoice", "I-17", "draft")
version = client.entities.get("invoice", "I-17").version
try:
    client.entities.act(*invoice, lambda claim: None, expected_version=version + 1)
except hapax.HapaxError as error:
    print("expects", type(error).__name__, error.reason)
client.entities.act(*invoice, lambda claim: None, expected_version=version)
print("acts", client.entities.get("invoice", "I-17").status)

# a holder that died: nothing renews its lease
died = {"operation": "pay", "request_id": "r-1", "attempt_id": str(uuid.uuid4()), "lease": {"nanos": 100_000_000}}
client.call("OperationService/BeginOperation", on_stale="ON_STALE_HOLD", **died)
while True:
    try:
        client.once("pay", "r-1", lambda claim: None, on_stale="HOLD")
    except hapax.InProgress as error:
        time.sleep(error.retry_after)
    except hapax.Indeterminate:
        print("holds")
        break
