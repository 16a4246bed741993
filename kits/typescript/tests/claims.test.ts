/** The renewals of leases, and what the work of a claim throws. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { InProgress, RetryableFailure } from "hapax";
import { OnConflict, QueueFull } from "hapax/v1/hook";
import { HookService } from "hapax/v1/hook_service";
import { LimitService, type SetLimitRequest } from "hapax/v1/limit_service";
import { OperationService } from "hapax/v1/operation_service";
import { Disposition } from "hapax/v1/run";
import { RunService, type StartRunRequest } from "hapax/v1/run_service";
import { WorkerService } from "hapax/v1/worker_service";
import { Latch, acquired, fakeHapax, seconds } from "./fake.js";

test(
  "given a heartbeat without an answer, when a task with a short lease is granted, then its lease is renewed meanwhile",
  { timeout: 60_000 },
  async (it) => {
    it.mock.method(console, "warn", () => {});
    const task = (name: string, lease: number) => ({
      claim: { id: name, fence: 1n },
      step: { id: name, name },
      leaseRemaining: seconds(lease),
    });
    const slowHeartbeat = new Latch();
    const first = new Latch<string>();
    const polls = [
      async () => ({ tasks: [task("long", 12)] }),
      async () => {
        const polledAt = performance.now();
        await slowHeartbeat.opened;
        // counted from when the poll was sent
        return { tasks: [task("short", 2 + (performance.now() - polledAt) / 1_000)] };
      },
    ];
    const client = await fakeHapax(it, ({ service }) =>
      service(WorkerService, {
        pollTasks: async () => (await polls.shift()?.()) ?? {},
        heartbeatTasks: async ({ claims }, { signal }) => {
          if (claims.some((claim) => claim.id === "long")) {
            signal.addEventListener("abort", () => first.open("the slow heartbeat has ended"));
            slowHeartbeat.open();
            await first.opened;
          }
          first.open("the short lease is renewed");
          return { results: claims.map(() => ({ outcome: { case: "renewed", value: { leaseRemaining: seconds(12) } } })) };
        },
        completeTask: () => ({ outcome: { case: "completed", value: {} } }),
      }),
    );
    const worker = client.worker("work", { "*": () => first.opened });
    worker.start();
    const what = await first.opened;
    await worker.stop();
    assert.equal(what, "the short lease is renewed");
  },
);

test("given work with another operation that is in progress, then the failure is that of the work, and has the other as its cause", async (it) => {
  const failures: (string | undefined)[] = [];
  const client = await fakeHapax(it, ({ service }) =>
    service(OperationService, {
      beginOperation: ({ operation }) =>
        operation === "inner" ? ({ outcome: { case: "inProgress", value: {} } } as const) : acquired(),
      failOperation: ({ failure }) => (failures.push(failure?.code), { outcome: { case: "failed", value: {} } }),
    }),
  );
  const inner = () => client.once("inner", "r-2", () => 1);
  await assert.rejects(client.once("outer", "r-1", inner), (error: unknown) => {
    assert.ok(error instanceof RetryableFailure);
    assert.equal(error.failureCode, "InProgress");
    assert.ok(error.cause instanceof InProgress);
    return true;
  });
  assert.deepEqual(failures, ["InProgress"]);
});

test("given work that stops because its claim is lost, then the error is the loss", async (it) => {
  it.mock.method(console, "warn", () => {});
  const lost = { outcome: { case: "claimLost", value: { reason: 2 } } } as const;
  const client = await fakeHapax(it, ({ service }) =>
    service(OperationService, {
      beginOperation: () => acquired(1.5),
      renewOperation: () => lost,
      failOperation: () => ({ outcome: { case: "failed", value: {} } }),
    }),
  );
  const work = client.once("charge", "r-1", async (claim) => {
    await new Promise((aborted) => claim.lost.addEventListener("abort", aborted));
    claim.throwIfLost();
  });
  await assert.rejects(work, { kind: "ClaimLost", reason: "LEASE_LOST" });
});

test("given a start that queues, then its limit is sent, and the answer says how many runs are ahead", async (it) => {
  const sent: StartRunRequest[] = [];
  const queued = { run: { id: "run_2" }, disposition: Disposition.QUEUED, runsAhead: 3, supersededRunIds: ["run_1"] };
  const client = await fakeHapax(it, ({ service }) =>
    service(RunService, { startRun: (request) => (sent.push(request), queued) }),
  );
  const started = await client.runs.start("sync", {
    hooks: [{ token: "customer/7", onConflict: "QUEUE", queueLimit: 1, queueFull: "SUPERSEDE" }],
  });
  assert.equal(started.disposition, "QUEUED");
  assert.ok(started.run !== undefined);
  assert.deepEqual([started.runsAhead, started.supersededRunIds], [3, ["run_1"]]);
  await client.runs.start("sync", { hooks: [{ token: "customer/7" }] });
  const policies = sent.map(({ hooks: [hook] }) => [hook?.onConflict, hook?.queueLimit, hook?.queueFull]);
  assert.deepEqual(policies, [
    [OnConflict.QUEUE, 1, QueueFull.SUPERSEDE],
    [OnConflict.REJECT, 0, QueueFull.UNSPECIFIED],
  ]);
});

test("given a limit that is set, removed and listed, then each is sent, and all pages are read", async (it) => {
  const sent: SetLimitRequest[] = [];
  const client = await fakeHapax(it, ({ service }) =>
    service(LimitService, {
      setLimit: (request) => ({ already: sent.push(request) > 1 }),
      listLimits: ({ name, pageToken }) =>
        pageToken === "" ? { limits: [{ name, key: "a" }], nextPageToken: "next" } : { limits: [{ name, key: "b" }] },
    }),
  );
  assert.equal(await client.limits.set("openai", { key: "acme", maxRunning: 2, reason: "slow" }), true);
  assert.equal(await client.limits.set("openai", { maxStarts: 60, perMs: 60_000 }), false);
  assert.equal(await client.limits.remove("openai", { key: "acme", ofDefinitions: true }), false);
  const changes = sent.map((change) => [
    change.name,
    change.key,
    change.reason,
    change.maxRunning,
    change.maxStarts,
    change.per?.seconds,
    change.remove,
    change.ofDefinitions,
  ]);
  assert.deepEqual(changes, [
    ["openai", "acme", "slow", 2, 0, undefined, false, false],
    ["openai", "", "", 0, 60, 60n, false, false],
    ["openai", "acme", "", 0, 0, undefined, true, true],
  ]);
  const states = await client.limits.list("openai");
  assert.deepEqual(
    states.map(({ name, key }) => [name, key]),
    [
      ["openai", "a"],
      ["openai", "b"],
    ],
  );
});

test("given a token, then its owner is found, or else the first run that waits", async (it) => {
  const waiting = [{ runId: "run_2" }, { runId: "run_3" }];
  const answers = [{ hook: { runId: "run_1" }, waiting }, { waiting }];
  const client = await fakeHapax(it, ({ service }) => service(HookService, { getHook: () => answers.shift() ?? {} }));
  assert.equal(await client.hooks.get("customer/7"), "run_1");
  assert.equal(await client.hooks.get("customer/7"), "run_2");
});
