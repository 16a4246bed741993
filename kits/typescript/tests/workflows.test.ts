/** Workflows and definitions, and what a worker does with them before it polls. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type Task, connect, workflow } from "hapax";
import { DefinitionService } from "hapax/v1/definition_service";
import { WorkerService } from "hapax/v1/worker_service";
import { Latch, fakeHapax, json, seconds, workOn } from "./fake.js";

const denied = (): never => {
  throw new ConnectError("no role", Code.PermissionDenied);
};

const order = workflow(
  "order",
  {
    queue: "orders",
    version: "7",
    leaseMs: 5_000,
    retry: { maxAttempts: 3 },
    partRetry: { maxAttempts: -1, maxMs: 9_000 },
    limits: [
      { name: "openai", input: "/tenant", maxRunning: 5 },
      { name: "shop", label: "shop", maxRunning: 2 },
    ],
    runLimits: [{ name: "orders", maxStarts: 60, perMs: 60_000 }],
  },
  (_: Task, input: { cents: number }) => input.cents,
);

/** Starts a worker of the workflow at a Hapax with these definitions; returns whether it polled, and what was logged. */
async function started(it: TestContext, definitions: Partial<ServiceImpl<typeof DefinitionService>>) {
  const polled = new Latch<boolean>();
  const warnings: string[] = [];
  const logger = { info: () => {}, warn: (text: string) => warnings.push(text), error: () => {} };
  const options = { logger };
  const client = await fakeHapax(
    it,
    ({ service }) => {
      service(DefinitionService, definitions);
      service(WorkerService, { pollTasks: () => (polled.open(true), {}) });
    },
    undefined,
    options,
  );
  const worker = client.worker(order);
  try {
    await worker.start();
    return { polled: await polled.opened, warnings };
  } finally {
    await worker.stop();
  }
}

const limits = (maxRunning: number) => [
  { name: "openai", key: { case: "input", value: "/tenant" } as const, maxRunning },
  { name: "shop", key: { case: "label", value: "shop" } as const, maxRunning: 2 },
];
const own = { queue: "orders", lease: seconds(5), partRetry: { maxAttempts: -1, max: seconds(9) }, limits: limits(5) };
const withStep = (value: object, name = "main", maxStarts = 60) => ({
  definition: {
    name: "order",
    version: "7",
    limits: [{ name: "orders", maxStarts, per: seconds(60) }],
    steps: [{ name, kind: { case: "code", value } as const }],
  },
});

test("given a workflow, when its worker starts, then its one code step is registered before the first poll", async (it) => {
  const registered = new Latch<unknown>();
  const { polled } = await started(it, {
    registerDefinition: ({ name, version, limits, steps }) => {
      const names = limits.map((limit) => limit.name);
      registered.open([name, version, steps.map((step) => [step.name, step.kind.case, step.kind.value]), names]);
      return { already: true };
    },
  });
  type Registered = [string, string, [string, string, { queue: string }][], string[]];
  const [name, version, [step], names] = (await registered.opened) as Registered;
  assert.deepEqual([name, version, step?.slice(0, 2), step?.[2].queue], ["order", "7", ["main", "code"], "orders"]);
  assert.deepEqual(names, ["orders"]);
  assert.ok(polled);
});

test("given a version with other steps, then the worker does not begin, and says what the server says", async (it) => {
  const registerDefinition = (): never => {
    throw new ConnectError('version "7" of "order" is registered with other steps', Code.AlreadyExists);
  };
  await assert.rejects(started(it, { registerDefinition }), { kind: "Refused", message: /registered with other steps/ });
});

test("given no permission to register, when the registered step is the same, then the worker begins", async (it) => {
  const getDefinition = ({ name, version }: { name: string; version: string }) => {
    assert.deepEqual([name, version], ["order", "7"]);
    return withStep(own); // what is as the default is not sent
  };
  const { polled, warnings } = await started(it, { registerDefinition: denied, getDefinition });
  assert.deepEqual([polled, warnings], [true, []]);
});

const different: readonly [string, object, RegExp][] = [
  ["another queue", withStep({ ...own, queue: "orders2" }), /steps\[0\]\.code\.queue is "orders2" \(this: "orders"\)/],
  ["another lease", withStep({ ...own, lease: seconds(6) }), /code\.lease is "6s" \(this: "5s"\)/],
  ["another retry", withStep({ ...own, retry: { maxAttempts: 5 } }), /code\.retry is .*5.* \(this: .*"maxAttempts":3/],
  ["another limit", withStep({ ...own, limits: limits(4) }), /code\.limits is .*"maxRunning":4.*\(this: .*"maxRunning":5/],
  ["another limit of runs", withStep(own, "main", 30), /limits is .*"maxStarts":30.*\(this: .*"maxStarts":60/],
  ["another name of the step", withStep(own, "greet"), /steps are not one code step "main"/],
];
for (const [what, response, expected] of different) {
  test(`given no permission to register, when ${what} is registered, then the worker stops, and says so`, async (it) => {
    const refused = started(it, { registerDefinition: denied, getDefinition: () => response });
    await assert.rejects(refused, { kind: "Refused", message: expected });
  });
}

test("given no permission to register, when nothing is registered, then the worker stops, and says who registers it", async (it) => {
  const getDefinition = (): never => {
    throw new ConnectError("no such definition", Code.NotFound);
  };
  const refused = started(it, { registerDefinition: denied, getDefinition });
  await assert.rejects(refused, { message: /version "7" of "order" is not registered.*permission define/ });
});

test("given no permission to register or to read, then the worker begins with a warning", async (it) => {
  const { polled, warnings } = await started(it, { registerDefinition: denied, getDefinition: denied });
  assert.ok(polled);
  assert.match(warnings.join(), /may neither register nor read version "7" of "order"/);
});

test("given two workflows of one name, then the worker says so", () => {
  const client = connect({ server: "127.0.0.1:1" });
  assert.throws(() => client.worker([order, order]), /two workflows of the worker are named order/);
  client.close();
});

test("given outputs of signal steps, then signalOutput returns them, and refuses other names", async (it) => {
  const output = { content: { case: "json", value: '{"by":"kim"}' } } as const;
  const signalOutputs = [{ stepName: "approval", output }, { stepName: "empty" }];
  const read = (task: Task) => {
    assert.throws(() => task.signalOutput("other"), /no earlier signal step is named other/);
    return [task.signalOutput<{ by: string }>("approval").by, task.signalOutput("empty") === undefined];
  };
  const calls = await workOn(it, read, { tasks: [{ signalOutputs }] });
  assert.deepEqual(json(calls.completed[0]?.output), ["kim", true]);
});

test("given outputs of signal steps that did not fit into the task, then signalOutput says so", async (it) => {
  const read = (task: Task) => assert.throws(() => task.signalOutput("other"), /the output of step other did not fit/);
  const calls = await workOn(it, read, { tasks: [{ moreSignalOutputs: true }] });
  assert.equal(calls.completed.length, 1);
});

test("given a logger, then the worker writes to it, and not to the console", async (it) => {
  const lines: string[] = [];
  const logger = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text), error: () => {} };
  const consoles = (["info", "warn", "error"] as const).map((method) => it.mock.method(console, method, () => {}));
  const fail = () => Promise.reject(new Error("as it says"));
  await workOn(it, fail, { logger });
  assert.match(lines.join(), /step only of run_\S+ failed/);
  assert.deepEqual(
    consoles.map((method) => method.mock.callCount()),
    [0, 0, 0],
  );
});
