/** Tests of workflows, as users write them: on a test server, without a server, and over exported runs. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { create, toJsonString } from "@bufbuild/protobuf";
import { FinalFailure, PartFailed, type PayloadStore, type Task, workflow } from "hapax";
import { type Instance, type TestServer, fits, runWorkflow, startTestServer } from "hapax/testing";
import { PartState, TaskSchema } from "hapax/v1/run";
import { RunService } from "hapax/v1/run_service";
import { order } from "./order.js";

const DAY = 86_400_000;
const skip =
  process.env["HAPAX_TEST_SERVER"] || process.env["HAPAX_HOME"] ? false : "HAPAX_TEST_SERVER and HAPAX_HOME are not set";
let server: TestServer;
test.before(async () => {
  if (!skip) server = await startTestServer();
});
test.after(() => server?.close());

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** Lets a test have an instance. */
async function onInstance(use: (instance: Instance) => Promise<void>, payloads?: PayloadStore): Promise<void> {
  const instance = await server.instance({ logger: quiet, payloads });
  try {
    await use(instance);
  } finally {
    await instance.close();
  }
}

// ---- on a test server

test("given an order of 14 days, when the clock advances, then it is shipped at once [U1]", { skip }, () =>
  onInstance(async (hapax) => {
    await hapax.client.worker(order).start();
    const run = await hapax.client.runs.start(order, { input: { number: "4711" } });
    assert.equal((await hapax.advance("13d")).toISOString(), "2026-01-14T00:00:00.000Z");
    assert.notEqual((await hapax.client.runs.get(run.run.id)).status, "COMPLETED");
    await hapax.advance(DAY);
    await hapax.client.runs.signal(run.run.id, { type: "approved", payload: "kim" });
    const result: string = await hapax.client.runs.result(run);
    assert.equal(result, "shipped with receipt of 4711 [pay] by kim");
  }),
);

test("given 20 tests at the same time, then each has runs and a clock of its own [U2]", { skip }, async () => {
  const tests = Array.from({ length: 20 }, (_, index) =>
    onInstance(async (hapax) => {
      await hapax.client.worker(order).start();
      const run = await hapax.client.runs.start(order, { idempotencyKey: "same", input: { number: String(index) } });
      await hapax.advance("14d");
      await hapax.client.runs.signal(run.run.id, { type: "approved", payload: "kim" });
      assert.equal(await hapax.client.runs.result(run), `shipped with receipt of ${index} [pay] by kim`);
    }),
  );
  await Promise.all(tests);
});

test("given an order without an approval, when its time is over, then it is late", { skip }, () =>
  onInstance(async (hapax) => {
    await hapax.client.worker(order).start();
    const run = await hapax.client.runs.start(order, { input: { number: "4711" } });
    await hapax.advance("15d");
    assert.equal(await hapax.client.runs.result(run), "late");
  }),
);

test("given a part that is retried behind a wait, then the wait is not repeated", { skip }, () =>
  onInstance(async (hapax) => {
    let failures = 3;
    const behind = workflow("behind", { queue: "behind" }, async (task) => {
      await task.suspend("wait", 14 * DAY);
      return task.record("part", () => {
        if (failures-- > 0) throw new Error("not yet");
        return "done";
      });
    });
    await hapax.client.worker(behind).start();
    const run = await hapax.client.runs.start(behind);
    await hapax.advance("15d");
    assert.equal(await hapax.client.runs.result(run, { atMostMs: 20_000 }), "done");
  }),
);

test("given payloads of 2 MB, then they go through the store, and changed bytes fail their run [O4]", { skip }, () => {
  const all: Uint8Array[] = [];
  const payloads = { put: (bytes: Uint8Array) => String(all.push(bytes) - 1), get: (ref: string) => all[Number(ref)]! };
  const twice = workflow("twice", { queue: "twice" }, async (task, input: string) => {
    const text = await task.record("double", () => input + input);
    await task.suspend("night", DAY);
    return `${text}!`;
  });
  return onInstance(async (hapax) => {
    await hapax.client.worker(twice).start();
    const [first, second] = [
      await hapax.client.runs.start(twice, { input: "x".repeat(1_000_000) }),
      await hapax.client.runs.start(twice, { input: "y".repeat(1_000_000) }),
    ];
    await hapax.settle();
    for (const bytes of all) if (bytes.length > 2_000_000 && bytes.includes(121)) bytes.set([122], 1);
    await hapax.advance(DAY);
    assert.equal(await hapax.client.runs.result(first), `${"x".repeat(2_000_000)}!`);
    await assert.rejects(hapax.client.runs.result(second), { failureCode: "STORED_PAYLOAD_CHANGED" });
  }, payloads);
});

test("given a time or an advance that is not possible, then the message says why", { skip }, () =>
  onInstance(async (hapax) => {
    await assert.rejects(hapax.advance("2 weeks"), /a time is such as 14d, 1h30m or 250ms \(was 2 weeks\)/);
    await assert.rejects(hapax.advance(-1), { code: "INVALID_ARGUMENT" });
    await hapax.settle();
  }),
);

test("given a definition as JSON, then it is registered once, and its errors come at once, with their paths [U7]", { skip }, () =>
  onInstance(async ({ client }) => {
    const definition = { name: "rest", version: "1", steps: [{ name: "wait", timer: "14d" }] };
    assert.equal(await client.definitions.register(definition), true);
    assert.equal(await client.definitions.register(JSON.stringify(definition)), false);
    const step = (await client.definitions.get("rest")).steps[0];
    assert.deepEqual([step?.name, step?.kind.case], ["wait", "timer"]);
    const wrong = {
      ...definition,
      steps: [
        { name: "wait", timer: "soon" },
        { name: "sign", signal: { filter: "x" } },
      ],
    };
    await assert.rejects(client.definitions.register(wrong), /steps\[0\]\.timer.*steps\[1\]\.signal/s);
    await assert.rejects(client.definitions.get("none"), { kind: "Refused", reason: "DEFINITION_NOT_FOUND" });
  }),
);

test(
  "given a workflow in another queue, when its version exists, then its worker stops, and says what differs [U8]",
  { skip },
  () =>
    onInstance(async ({ client }) => {
      await client.worker(order).start();
      await client.worker(order).start();
      const moved = workflow("order", { queue: "orders2" }, () => 1);
      const worker = client.worker(moved);
      await assert.rejects(worker.run(), { kind: "Refused", message: /steps\[0\]\.code\.queue is "orders" \(this: "orders2"\)/ });
    }),
);

/** Runs a program with a test server that is this script; returns when both have ended. Without a script there is none. */
function withTestServer(then: string, script?: string, mode = 0o755) {
  const home = mkdtempSync(join(tmpdir(), "hapax-"));
  if (script !== undefined) writeFileSync(join(home, "hapax"), `#!/bin/sh\n${script}\n`, { mode });
  const start = `require("hapax/testing").startTestServer()`;
  const program = `${start}.then(${then}).catch((error) => console.log(error.message))`;
  const found = script === undefined ? { HAPAX_HOME: "", PATH: "" } : { HAPAX_HOME: home };
  const env = { ...process.env, HAPAX_TEST_SERVER: "", ...found };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", env, timeout: 30_000 });
  return [status, stdout.replaceAll(home, "HOME"), stderr];
}

const cannotStart: readonly [string, string, Parameters<typeof withTestServer>[1], number?][] = [
  [
    "no test server",
    "no test server found: set HAPAX_HOME to a Hapax distribution or checkout, put its `hapax` on the PATH, " +
      "or set HAPAX_TEST_SERVER to the address of a running `hapax test-server`",
    undefined,
  ],
  ["one that ends", "HOME/hapax test-server ended with code 3 before it served; it says why above", "exit 3"],
  ["one that is no program", "HOME/hapax cannot be run: spawn HOME/hapax EACCES", "exit 3", 0o644],
];
for (const [what, message, script, mode] of cannotStart) {
  test(`given ${what}, then its start says so`, () => {
    assert.deepEqual(withTestServer("() => {}", script, mode), [0, `${message}\n`, ""]);
  });
}

const serves = `echo 127.0.0.1:7; cat >/dev/null; echo "it ends" >&2; touch "$0.ended"`;
test("given a program that does not close the test server, then both end", () => {
  assert.deepEqual(withTestServer("({ address }) => console.log(address)", serves), [0, "127.0.0.1:7\n", "it ends\n"]);
});

test("given a program that closes the test server, then it has ended before the program continues", () => {
  const then = `(server) => server.close().then(() => console.log(fs.existsSync(process.env.HAPAX_HOME + "/hapax.ended")))`;
  assert.deepEqual(withTestServer(then, serves), [0, "true\n", "it ends\n"]);
});

test(
  "given a worker and an instance that are not closed, when the test server is, then they are, too",
  { skip, timeout: 30_000 },
  async () => {
    const own = await startTestServer();
    const instance = await own.instance({ logger: quiet });
    const worker = instance.client.worker(order);
    await worker.start();
    const ended = worker.run();
    await own.close();
    await ended;
    await instance.close();
  },
);

// ---- without a server

interface Lines {
  readonly lines: readonly string[];
}

/** A workflow with each kind of part, whose bodies begin with `before`. */
const everything =
  (before: (name: string) => void) =>
  async (task: Task, { lines }: Lines) => {
    const part = <T>(own: Task, name: string, value: T, full = name): Promise<T> => own.record(name, () => (before(full), value));
    const price = await part(task, "price", 30);
    await task.map("book", lines, { key: (line) => line }, (branch, line) => part(branch, "stock", line, `book/${line}/stock`));
    task.patchState({ price, gone: 1 });
    await task.suspend("return period", 14 * DAY);
    if (await task.patched("audit")) await part(task, "audit", "audited");
    for (const id of [1, 2]) await part(task, "mail", id);
    const approval = await task.awaitSignal<string>("approved");
    const late = await task.awaitSignal("late", { timeoutMs: DAY });
    await task.setState({ approval, gone: null });
    return [approval, late === undefined, await part(task, "failed", 1).catch((error: PartFailed) => error.failureCode)];
  };
const failures = {
  price: [new Error("503"), new Error("503")],
  "book/b/stock": [new Error("busy")],
  failed: [new FinalFailure("NO")],
};

test("given a workflow without a server, then waits and pauses take no time, and failures are as they are given", async () => {
  const signals = [{ type: "approved", payload: "kim" }];
  const ran = await runWorkflow(
    everything(() => {}),
    { input: { lines: ["a", "b"] }, signals, failures },
  );
  assert.deepEqual(ran.result, ["kim", true, "NO"]);
  assert.deepEqual(Object.keys(ran.parts), [
    ...["price", "book/a/stock", "book/b/stock", "return period", "patched/audit", "audit", "mail", "mail#2", "approved"],
    ...["late.deadline", "late", "state"],
  ]);
  assert.deepEqual([ran.parts["price"], ran.parts["mail#2"], ran.parts["return period"]], [30, 2, null]);
  assert.equal(ran.sleptMs, 15 * DAY + 1_000 + 2_000 + 1_000);
  assert.deepEqual(ran.state, { price: 30, approval: "kim" });
});

test("given the same workflow on a server, then its parts are the same [U9]", { skip }, () =>
  onInstance(async (hapax) => {
    const signals = [{ type: "approved", payload: "kim" }];
    const input = { lines: ["a", "b"] };
    const local = await runWorkflow(
      everything(() => {}),
      { input, signals, failures },
    );
    const left = new Map(Object.entries(failures).map(([name, errors]) => [name, [...errors]]));
    const failing = everything((name) => {
      if (left.get(name)?.length) throw left.get(name)?.shift();
    });
    const everywhere = workflow("everything", { queue: "everything" }, failing);
    await hapax.client.worker(everywhere).start();
    const started = await hapax.client.runs.start(everywhere, { input });
    await hapax.client.runs.signal(started.run.id, signals[0]!);
    await hapax.advance("20d");
    assert.deepEqual(await hapax.client.runs.result(started), local.result);
    const { steps } = await hapax.client.call(RunService.method.listSteps, { runId: started.run.id });
    const parts = steps
      .filter(({ recordedBy, status }) => recordedBy === "main" && status === 4)
      .map(({ name, output }) => {
        const text = String(output?.content.value);
        return [name, /^"\S+Z \d+ \d+"$/.test(text) ? null : JSON.parse(text)] as const;
      });
    assert.deepEqual(Object.fromEntries(parts), local.parts);
    assert.deepEqual(
      (await hapax.client.call(RunService.method.getRun, { runId: started.run.id })).run?.state?.content.value,
      JSON.stringify(local.state),
    );
  }),
);

test("given a workflow that waits for a signal that is not there, then the failure names it", async () => {
  const waits = (task: Task) => task.awaitSignal("approved", { type: "decision" });
  await assert.rejects(runWorkflow(waits), {
    failureCode: "NO_SIGNAL",
    message: /a signal of type decision, which is not there/,
  });
});

test("given errors that leave the handler, then runWorkflow throws them as they are", async () => {
  const broken = new TypeError("as it says");
  await assert.rejects(
    runWorkflow(() => Promise.reject(broken)),
    (error) => error === broken,
  );
  const spent = runWorkflow((task) => task.record("pay", () => 1, { retry: { maxAttempts: 2 } }), {
    failures: { pay: [broken, broken] },
  });
  await assert.rejects(spent, { kind: "PartFailed", part: "pay", attempts: 2, failureCode: "TypeError" });
});

test("given a workflow with retries of its own, then runWorkflow attempts its parts so often, and refuses failures of none", async () => {
  const twice = workflow("twice", { queue: "q", partRetry: { maxAttempts: 2, initialMs: 5_000 } }, (task) =>
    task.record("pay", () => "paid"),
  );
  const busy = new Error("busy");
  const ran = await runWorkflow(twice, { failures: { pay: [busy] } });
  assert.deepEqual([ran.result, ran.sleptMs], ["paid", 5_000]);
  await assert.rejects(runWorkflow(twice, { failures: { pay: [busy, busy] } }), { kind: "PartFailed", attempts: 2 });
  await assert.rejects(runWorkflow(twice, { failures: { pya: [busy] } }), /the run has no part pya, which failures names/);
});

const hooked = async (task: Task): Promise<unknown> => {
  const { isOwner } = await task.createHook({ token: "order/1", name: "bank" });
  await task.record("pay", () => 1);
  return [isOwner, await task.awaitSignal("paid", { hookName: "bank" })];
};
test("given a workflow with a hook, then it gets the hook, and the signals that came through it", async () => {
  const signals = [{ payload: 1 }, { hookName: "bank", type: "any", payload: 2 }];
  assert.deepEqual((await runWorkflow(hooked, { signals })).result, [true, 2]);
});

// ---- fit check

const recorded = (...names: readonly string[]) =>
  names.map((name) => ({ name, output: { content: { case: "json", value: '"it"' } as const } }));
const runs = join(mkdtempSync(join(tmpdir(), "hapax-")), "runs.jsonl");
const exported = [
  { run: { id: "run_1" }, recorded: recorded("pay", "mail") },
  { run: { id: "run_2" }, recorded: recorded("pay") },
  { run: { id: "run_3" }, openParts: [{ name: "pay", state: PartState.BEGUN, attempts: 1 }] },
  {
    run: { id: "run_4" },
    recorded: recorded("pay"),
    openParts: [{ name: "mail", state: PartState.FAILED, failure: { code: "NO" } }],
  },
];
const common = { step: { id: "step_1", name: "main", attempt: 1 } };
writeFileSync(runs, exported.map((task) => toJsonString(TaskSchema, create(TaskSchema, { ...common, ...task }))).join("\n"));
let bodies = 0;
const body = (): unknown => bodies++;

const codes: readonly [string, (task: Task) => Promise<unknown>, RegExp | undefined][] = [
  ["the same", async (task) => [await task.record("pay", body), await task.record("mail", body)], undefined],
  [
    "V1, a part renamed",
    async (task) => [await task.record("charge", body), await task.record("mail", body)],
    /run_1: records `pay`, `mail` are not asked for before `charge`\n  run_2: records `pay` is not asked for before `charge`/,
  ],
  [
    "V2, a part inserted",
    async (task) => [await task.record("check", body), await task.record("pay", body)],
    /3 of 4 runs do not fit.*before `check`/s,
  ],
  [
    "V3, a part inserted behind a patch",
    async (task) => [
      (await task.patched("check")) && (await task.record("check", body)),
      await task.record("pay", body),
      await task.record("mail", body),
    ],
    undefined,
  ],
  [
    "V4, a part appended",
    async (task) => [await task.record("pay", body), await task.record("mail", body), await task.record("bill", body)],
    undefined,
  ],
  [
    "V5, parts swapped that were recorded",
    async (task) => Promise.all([task.record("mail", body), task.record("pay", body)]),
    undefined,
  ],
  ["a hook", hooked, /run_1: records `mail` is not asked for before `paid`/],
  [
    "an error over a record",
    async (task) => (await task.record("pay", body as () => { a: { b: 1 } })).a.b,
    /run_1: TypeError: Cannot read/,
  ],
];
for (const [what, code, expected] of codes) {
  test(`given ${what}, then the fit check ${expected ? "fails, and names the runs" : "passes"} [U10]`, async () => {
    if (expected === undefined) await fits(code, runs);
    else await assert.rejects(fits(code, runs), expected);
    assert.equal(bodies, 0);
  });
}

test("given a file without runs, then the fit check does not pass", async () => {
  const empty = join(mkdtempSync(join(tmpdir(), "hapax-")), "empty.jsonl");
  writeFileSync(empty, "\n");
  await assert.rejects(fits(body, empty), /has no runs: print them by `hapax run export`/);
});
