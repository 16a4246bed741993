"""The shop of docs/tutorial.md with the kit: python3 shop.py charge|worker|order|send|janitor ARGUMENT..."""

import json
import os
import pathlib
import sys

import hapax
from hapax import Hook, Verdict

client = hapax.connect()


# 1. An operation: charges the card once for each request id, and replays the receipt to duplicates.
def charge(request_id, amount):
    def work(claim):
        print(f"the card is charged {amount} EUR", flush=True)
        return {"charged": int(amount)}

    return client.once("shop.v1.Shop/Charge", request_id, work, input={"amount": int(amount)}, wait=5)


# 2. A run: a worker does the steps of orders. The id of a step is the same on every attempt.
def worker():
    shop = client.worker("shop")

    @shop.step("charge")
    def charge_order(task):
        return charge(task.step_id, task.input)

    @shop.step("ship")
    def ship(task):
        return {"shipped": True}

    print("works on the queue shop", flush=True)
    shop.run()


# 3. A hook: one run owns the token of the order. Every trigger of the order gets the result of that run.
def order(order_id, amount, trigger):
    hook = Hook(f"order/{order_id}", on_conflict="USE_EXISTING", retention=3600)
    run_id = client.runs.start("shop-order", trigger, int(amount), hooks=[hook]).run_id
    return f"{run_id} {to_json(client.runs.result(run_id))}"


# 4. A claim: one caller at a time sends an invoice.
def send(invoice):
    client.entities.create("shop-invoice", invoice, "draft")

    def action(claim):
        if not post(invoice, claim.fence, "invoice"):
            raise hapax.FinalFailure("REVERTED", "the janitor has ended this attempt")
        if os.environ.get("CRASH"):
            os._exit(1)  # as if the machine failed after the mail, and before the completion

    try:
        client.entities.act("shop-invoice", invoice, "send", "billing", action, lease=10)
    except hapax.WrongStatus as wrong:
        return wrong.status
    except hapax.HapaxError as error:
        return str(error)
    return "sent"


def post(invoice, fence, content):
    """Stands for a mail server that accepts one message for each invoice and fence."""
    outbox = pathlib.Path(os.environ.get("OUTBOX", "outbox"))
    outbox.mkdir(exist_ok=True)
    try:
        with open(outbox / f"{invoice}-{fence}", "x") as file:
            file.write(content)
        return True
    except FileExistsError:
        return False


def check(recovery):
    """Takes the place of the message of a lost holder: if it can, the invoice was not sent, and never will be."""
    verdict = Verdict.REVERT if post(recovery.entity_id, recovery.lost_fence, "void") else Verdict.COMPLETE
    print(recovery.entity_id, verdict.name, flush=True)
    return verdict


def janitor():
    print("recovers invoices", flush=True)
    client.janitor("shop", check).run()


def to_json(value):
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    commands = {"charge": charge, "worker": worker, "order": order, "send": send, "janitor": janitor}
    print(to_json(commands[sys.argv[1]](*sys.argv[2:])))
