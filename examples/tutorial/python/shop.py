"""The shop of docs/tutorial.md: python shop.py charge|worker|order|send|janitor ARGUMENT..."""
import json
import os
import pathlib
import sys
import uuid

import grpc

# compiles the protos when the program starts; grpcio-tools has the compiler
sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "proto/src/main/proto"))
op, op_rpcs = grpc.protos_and_services("hapax/v1/operation_service.proto")
work, work_rpcs = grpc.protos_and_services("hapax/v1/worker_service.proto")
run, run_rpcs = grpc.protos_and_services("hapax/v1/run_service.proto")
entity, entity_rpcs = grpc.protos_and_services("hapax/v1/entity_service.proto")
janitors, janitor_rpcs = grpc.protos_and_services("hapax/v1/janitor_service.proto")

# each request carries its key, so gRPC may send it again while the server is unavailable
RETRIES = {"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "2s", "backoffMultiplier": 2,
           "retryableStatusCodes": ["UNAVAILABLE"]}
# the variables are those of the hapax command; local credentials are plaintext and stay on this machine
CA, KEY = os.environ.get("HAPAX_TLS_CA"), os.environ.get("HAPAX_API_KEY")
CREDENTIALS = grpc.ssl_channel_credentials(pathlib.Path(CA).read_bytes()) if CA else grpc.local_channel_credentials()
if KEY:
    CREDENTIALS = grpc.composite_channel_credentials(CREDENTIALS, grpc.access_token_call_credentials(KEY))
CHANNEL = grpc.secure_channel(
    os.environ.get("HAPAX_SERVER", "127.0.0.1:7420"), CREDENTIALS,
    [("grpc.service_config", json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": RETRIES}]}))])
operations = op_rpcs.OperationServiceStub(CHANNEL)
workers = work_rpcs.WorkerServiceStub(CHANNEL)
runs = run_rpcs.RunServiceStub(CHANNEL)
entities = entity_rpcs.EntityServiceStub(CHANNEL)
recoveries = janitor_rpcs.JanitorServiceStub(CHANNEL)


def nonce():
    return str(uuid.uuid4())


# 1. An operation: charges the card once for each request id, and replays the receipt to duplicates.
def charge(request_id, amount):
    begun = operations.BeginOperation(op.BeginOperationRequest(
        operation="shop.v1.Shop/Charge", request_id=request_id, fingerprint=str(amount).encode(),
        attempt_id=nonce(), lease={"seconds": 60}, wait={"seconds": 5}))
    outcome = begun.WhichOneof("outcome")
    if outcome == "replay":
        return begun.replay.result.json
    if outcome != "acquired":
        raise RuntimeError(f"not charged: {outcome}")
    print(f"the card is charged {amount} EUR", flush=True)
    receipt = f'{{"charged":{amount}}}'
    completed = operations.CompleteOperation(op.CompleteOperationRequest(
        claim=begun.acquired.claim, result={"json": receipt}))
    if completed.WhichOneof("outcome") == "claim_lost":
        raise RuntimeError("the lease expired, and another caller has the operation")
    return receipt


# 2. A run: a worker does the steps of orders. The id of a step is the same on every attempt.
STEPS = {
    "charge": lambda step_id, amount: charge(step_id, amount),
    "ship": lambda step_id, amount: '{"shipped":true}',
}


def worker():
    print("works on the queue shop", flush=True)
    while True:
        polled = workers.PollTasks(work.PollTasksRequest(
            queues=["shop"], worker_id=f"python-{os.getpid()}", attempt_id=nonce(), max_tasks=1, wait={"seconds": 20}))
        for task in polled.tasks:
            try:
                output = STEPS[task.step.name](task.step.id, json.loads(task.input.json))
                workers.CompleteTask(work.CompleteTaskRequest(claim=task.claim, output={"json": output}))
            except Exception as error:
                workers.FailTask(work.FailTaskRequest(
                    claim=task.claim, kind="FAILURE_KIND_RETRYABLE", failure={"code": "FAILED", "message": str(error)}))


# 3. A hook: one run owns the token of the order. Every trigger of the order gets the result of that run.
def order(order_id, amount, trigger):
    started = runs.StartRun(run.StartRunRequest(
        definition="shop-order", idempotency_key=trigger, input={"json": str(amount)},
        hooks=[{"token": f"order/{order_id}", "retention": {"seconds": 3600},
                "on_conflict": "ON_CONFLICT_USE_EXISTING"}])).run
    while not started.HasField("ended_at"):
        started = runs.AwaitRun(run.AwaitRunRequest(run_id=started.id, wait={"seconds": 20})).run
    return f"{started.id} {started.output.json or started.status}"


# 4. A claim: one caller at a time sends an invoice.
def send(invoice):
    entities.CreateEntity(entity.CreateEntityRequest(lifecycle="shop-invoice", entity_id=invoice, status="draft"))
    begun = entities.BeginAction(entity.BeginActionRequest(
        lifecycle="shop-invoice", entity_id=invoice, step_key="send", requester="billing",
        attempt_id=nonce(), lease={"seconds": 10}))
    outcome = begun.WhichOneof("outcome")
    if outcome != "granted":
        return begun.claim_failed.message or begun.wrong_status.status or outcome
    if not post(invoice, begun.granted.claim.fence, "invoice"):
        return "the janitor has ended this attempt"
    if os.environ.get("CRASH"):
        os._exit(1)  # as if the machine failed after the mail, and before the completion
    completed = entities.CompleteAction(entity.CompleteActionRequest(claim=begun.granted.claim))
    return completed.completed.entity.status or "another caller has the invoice"


# Stands for a mail server that accepts one message for each invoice and fence.
def post(invoice, fence, content):
    outbox = pathlib.Path(os.environ.get("OUTBOX", "outbox"))
    outbox.mkdir(exist_ok=True)
    try:
        with open(outbox / f"{invoice}-{fence}", "x") as file:
            file.write(content)
        return True
    except FileExistsError:
        return False


# Takes the place of the message of a lost holder: if it can, the invoice was not sent, and never will be with that fence.
def janitor():
    print("recovers invoices", flush=True)
    while True:
        polled = recoveries.PollRecoveries(janitors.PollRecoveriesRequest(
            module="shop", worker_id=f"python-{os.getpid()}", attempt_id=nonce(), max_recoveries=1, wait={"seconds": 20}))
        for recovery in polled.recoveries:
            outcome = "REVERT" if post(recovery.entity.id, recovery.lost.fence, "void") else "COMPLETE"
            recoveries.CompleteRecovery(janitors.CompleteRecoveryRequest(
                claim=recovery.claim, outcome=f"RECOVERY_OUTCOME_{outcome}"))
            print(recovery.entity.id, outcome, flush=True)


if __name__ == "__main__":
    commands = {"charge": charge, "worker": worker, "order": order, "send": send, "janitor": janitor}
    print(commands[sys.argv[1]](*sys.argv[2:]))
