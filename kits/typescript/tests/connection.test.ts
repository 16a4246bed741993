/** How requests are sent, and what is not sent. */

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { NotSerializable, type Task, connect } from "hapax";
import { FailureKind } from "hapax/v1/common";
import { EntityService } from "hapax/v1/entity_service";
import { OperationService } from "hapax/v1/operation_service";
import { RunService } from "hapax/v1/run_service";
import { WorkerService } from "hapax/v1/worker_service";
import { Latch, PLAIN, acquired, fakeHapax, seconds } from "./fake.js";

const { apiKey: _, ...WITHOUT_KEY } = PLAIN;

for (const option of ["apiKeyFile", "jwtFile"]) {
  test(`given an empty ${option} and another machine, when there is no TLS, then no connection is made that would send it later`, () => {
    const file = join(mkdtempSync(join(tmpdir(), "hapax-")), "key");
    writeFileSync(file, "");
    const options = { ...WITHOUT_KEY, [option]: file };
    assert.throws(() => connect({ ...options, server: "192.0.2.1:7420" }), /not sent to 192\.0\.2\.1:7420 without TLS/);
    connect({ ...options, server: "127.0.0.1:7420" }).close();
  });
}

test(
  "given a worker, when Hapax is away twice, then each outage is logged once, and each end of it",
  { timeout: 20_000 },
  async (it) => {
    const unavailable = [true, true, true, false, true, true, false, false]; // the last poll comes after the last log
    const errors = it.mock.method(console, "error", () => {}).mock;
    const infos = it.mock.method(console, "info", () => {}).mock;
    const over = new Latch();
    const client = await fakeHapax(it, ({ service }) =>
      service(WorkerService, {
        pollTasks: () => {
          if (unavailable.shift()) throw new ConnectError("away", Code.Unavailable);
          if (unavailable.length === 0) over.open();
          return {};
        },
      }),
    );
    const worker = client.worker("work", {});
    worker.start();
    await over.opened;
    await worker.stop();
    const text = (calls: readonly { arguments: unknown[] }[]): string[] => calls.map((call) => call.arguments.join(" "));
    assert.equal(errors.callCount(), 2);
    for (const line of text(errors.calls)) assert.match(line, /PollTasks to 127\.0\.0\.1:\d+ failed, will retry.*check .*away/);
    assert.equal(infos.callCount(), 2);
    for (const line of text(infos.calls)) assert.match(line, /PollTasks to 127\.0\.0\.1:\d+ succeeds again/);
  },
);

const cycle: Record<string, unknown> = { id: 7 };
cycle["lines"] = [1, { order: cycle }];
const notJson: readonly [string, unknown, string, RegExp][] = [
  ["a bigint", { order: { cents: 3_000n } }, "input.order.cents", /a bigint has no JSON/],
  ["a cycle", cycle, "input.lines[1].order", /cycle/],
  ["a number that is not finite", [0, NaN], "input[1]", /NaN has no JSON/],
  ["a map", { of: new Map() }, "input.of", /Map/],
  ["a function", () => 1, "input", /a function has no JSON/],
  ["a toJSON that throws", { toJSON: () => assert.fail("as it says") }, "input", /as it says/],
  ["a text above 256 KiB", "x".repeat(262_143), "input", /262145 bytes/],
];
for (const [what, input, place, problem] of notJson) {
  test(`given an input with ${what}, then the call fails at once and names its place`, async (it) => {
    const started = it.mock.fn(() => ({ run: {} }));
    const client = await fakeHapax(it, ({ service }) => service(RunService, { startRun: started }));
    await assert.rejects(client.runs.start("case", { input }), (error: unknown) => {
      assert.ok(error instanceof NotSerializable);
      assert.equal(error.place, place);
      assert.match(error.message, problem);
      return true;
    });
    assert.equal(started.mock.callCount(), 0);
  });
}

test("given a JSON with the same object twice, dates and absent members, then it is sent as JSON.stringify writes it", async (it) => {
  const sent = new Latch<unknown>();
  const client = await fakeHapax(it, ({ service }) =>
    service(RunService, { startRun: ({ input }) => (sent.open(input?.content.value), { run: {} }) }),
  );
  const twice = { at: new Date(0), gone: undefined };
  const input = { first: twice, list: [twice, undefined, null], last: twice };
  await client.runs.start("case", { input });
  assert.equal(await sent.opened, JSON.stringify(input));
});

test("given a field that has no encoding, then the call fails at once and names the field", async (it) => {
  const begun = it.mock.fn(() => ({}));
  const client = await fakeHapax(it, ({ service }) => service(EntityService, { beginAction: begun }));
  const act = client.entities.act("invoice", "7", "send", "test", () => {}, { expectedVersion: 2n ** 64n });
  await assert.rejects(act, (error: unknown) => {
    assert.ok(error instanceof NotSerializable);
    assert.equal(error.place, "hapax.v1.BeginActionRequest.expected_version");
    return true;
  });
  assert.equal(begun.mock.callCount(), 0);
});

test("given an operation, when its result has no JSON, then it is completed without it", async (it) => {
  it.mock.method(console, "error", () => {});
  const kept = new Latch<unknown>();
  const client = await fakeHapax(it, ({ service }) =>
    service(OperationService, {
      beginOperation: () => acquired(),
      completeOperation: ({ result }) => (kept.open(result?.content.value), { outcome: { case: "completed", value: {} } }),
    }),
  );
  assert.equal(await client.once("charge", "r-1", () => 7n), 7n);
  assert.equal(await kept.opened, '{"@type":"hapax.dev/result-not-retained"}');
});

const handlers: readonly [string, (task: Task) => unknown, string][] = [
  ["a recorded part", (task) => task.record("choose", () => ({ cents: 3_000n })), "choose.cents"],
  ["the output", () => [1n], "its result cannot be stored: output[0]"],
  ["the state", async (task) => (task.patchState({ cents: 1n }), task.suspend("wait", 1_000)), "state_patch.cents"],
];
for (const [what, handler, place] of handlers) {
  test(`given a step, when ${what} has no JSON, then the step fails for good`, async (it) => {
    it.mock.method(console, "warn", () => {});
    it.mock.method(console, "info", () => {});
    const failed = new Latch<{ kind: FailureKind; code: string; message: string }>();
    const tasks = [{ claim: { id: "c", fence: 1n }, step: { id: "s", name: "only" }, leaseRemaining: seconds(60) }];
    const client = await fakeHapax(it, ({ service }) =>
      service(WorkerService, {
        pollTasks: () => ({ tasks: tasks.splice(0) }),
        failTask: ({ kind, failure }) => {
          failed.open({ kind, code: failure?.code ?? "", message: failure?.message ?? "" });
          return { outcome: { case: "failed", value: {} } };
        },
      }),
    );
    const worker = client.worker("work", { only: handler });
    worker.start();
    const { kind, code, message } = await failed.opened;
    await worker.stop();
    assert.deepEqual([kind, code], [FailureKind.FINAL, "RESULT_REFUSED"]);
    assert.ok(message.includes(`${place} `), message);
  });
}
