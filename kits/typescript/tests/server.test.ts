/** Calls that need the rules of a real server, which HAPAX_SERVER names. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { connect } from "hapax";
import { DefinitionService } from "hapax/v1/definition_service";
import { LifecycleService } from "hapax/v1/lifecycle_service";
import { OnStale } from "hapax/v1/operation";
import { OperationService } from "hapax/v1/operation_service";

const skip = process.env["HAPAX_SERVER"] ? false : "HAPAX_SERVER is not set";
const client = connect({ workspace: process.env["CONTRACT_WORKSPACE"] ?? "" });
test.after(() => client.close());

function letter(lifecycle: string): object {
  const steps = [{ step_key: "send", status: "draft", successful_state: { post: "sent" } }];
  return { lifecycle, module: "post", status_types: ["draft", "sent"], steps };
}

async function startRun(): Promise<string> {
  await client.call(DefinitionService.method.registerDefinition, {
    name: "kept",
    version: "1",
    steps: [{ name: "only", kind: { case: "code", value: { queue: "without-worker" } } }],
  });
  return (await client.runs.start("kept")).run.id;
}

test(
  "given a run with a token, when another run asks for it, then the owner is named, until it disposes the token",
  { skip },
  async () => {
    const [owner, other] = [await startRun(), await startRun()];
    const hook = { token: `order/${owner}`, retentionMs: 60_000, name: "paid" };
    const created = await client.hooks.create(owner, hook);
    assert.ok(created.isOwner && created.fingerprint !== "");
    assert.deepEqual(await client.hooks.create(owner, hook), created);
    assert.deepEqual(await client.hooks.create(other, hook), { isOwner: false, owner });
    assert.equal(await client.hooks.get(hook.token), owner);

    await client.hooks.dispose(hook.token, owner);
    await assert.rejects(client.hooks.get(hook.token), { kind: "Refused", reason: "HOOK_NOT_FOUND" });
    assert.ok((await client.hooks.create(other, hook)).isOwner);
    for (const id of [owner, other]) await client.runs.cancel(id);
  },
);

test("given an entity, when the expected version is another, then the action does not begin", { skip }, async () => {
  const lifecycle = `letter-${randomUUID()}`;
  await client.call(LifecycleService.method.applyLifecycles, { lifecycles: [JSON.stringify(letter(lifecycle))] });
  await client.entities.create(lifecycle, "7", "draft");
  const version = (await client.entities.get(lifecycle, "7"))?.version ?? 0n;
  let acts = 0;
  const act = (expectedVersion: bigint): Promise<number> =>
    client.entities.act(lifecycle, "7", "send", "post", () => ++acts, { expectedVersion });
  await assert.rejects(act(version + 1n), { kind: "Refused", code: "ABORTED", reason: "CONCURRENCY_ERROR" });
  assert.equal(acts, 0);
  assert.equal(await act(version), 1);
  assert.equal((await client.entities.get(lifecycle, "7"))?.status, "sent");
});

for (const onStale of ["TAKE_OVER", "HOLD"] as const) {
  test(`given a holder that died, when the next call says ${onStale}, then that decides`, { skip, timeout: 60_000 }, async () => {
    const requestId = randomUUID();
    await client.call(OperationService.method.beginOperation, {
      operation: "charge",
      requestId,
      attemptId: randomUUID(),
      lease: { seconds: 1n },
      onStale: OnStale[onStale],
    });
    const next = client.once("charge", requestId, () => "charged", { onStale, waitMs: 20_000 });
    if (onStale === "TAKE_OVER") assert.equal(await next, "charged");
    else await assert.rejects(next, { kind: "Indeterminate" });
  });
}
