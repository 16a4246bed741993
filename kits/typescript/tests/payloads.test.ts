/** Large payloads, which are in a store of the user. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type PayloadStore, type Task, fingerprint } from "hapax";
import { runWorkflow } from "hapax/testing";
import { FailureKind } from "hapax/v1/common";
import { EntityService } from "hapax/v1/entity_service";
import { OperationService } from "hapax/v1/operation_service";
import { RunStatus } from "hapax/v1/run";
import { RunService } from "hapax/v1/run_service";
import { type Scene, acquired, fakeHapax, json, workOn } from "./fake.js";

const LARGE = "x".repeat(2_000_000);

/** A store that gives each put a reference of its own. */
class Memory implements PayloadStore {
  readonly all: Uint8Array[] = [];

  put(bytes: Uint8Array): string {
    return `ref-${this.all.push(bytes) - 1}`;
  }

  get(ref: string): Uint8Array {
    return this.all[Number(ref.slice(4))]!;
  }
}

type Content = { readonly case?: string | undefined; readonly value?: unknown } | undefined;

/** The text that stands for these bytes. */
function stored(bytes: Uint8Array | string, ref = "ref-0"): string {
  const data = Buffer.from(bytes as string);
  const sha256 = createHash("sha256").update(data).digest("hex");
  return `{"@type":"hapax.dev/stored","ref":"${ref}","sha256":"${sha256}","bytes":${data.length}}`;
}

const reference = (value: unknown) => ({ content: { case: "json", value: stored(JSON.stringify(value)) } }) as const;

test("given a record and an output of 2 MB, then their bytes are stored, and Hapax has references [O4]", async (it) => {
  const payloads = new Memory();
  const calls = await workOn(it, async (task) => [(await task.record("page", () => LARGE)).length, LARGE], { payloads });
  assert.deepEqual(
    payloads.all.map((bytes) => JSON.parse(String(Buffer.from(bytes)))),
    [LARGE, [LARGE.length, LARGE]],
  );
  const [part] = calls.records[0]!.parts;
  assert.equal(part?.result.case === "output" && part.result.value.content.value, stored(JSON.stringify(LARGE)));
  assert.equal(calls.completed[0]?.output?.content.value, stored(JSON.stringify([LARGE.length, LARGE]), "ref-1"));
});

test("given a large input, output before and record, then the task reads them from the store", async (it) => {
  const payloads = new Memory();
  payloads.put(Buffer.from(JSON.stringify(LARGE)));
  const read = async (task: Task): Promise<unknown[]> => {
    const values = [task.input(), task.previousOutput(), await task.record("page", () => assert.fail("the body has run"))];
    return values.map((value) => value === LARGE);
  };
  const output = reference(LARGE);
  const tasks = [{ run: { id: "run_1", output }, input: output, recorded: [{ name: "page", output }] }];
  const calls = await workOn(it, read, { payloads, tasks });
  assert.deepEqual(json(calls.completed[0]?.output), [true, true, true]);
});

for (const [what, bytes] of [
  ["other bytes", JSON.stringify(LARGE.replace("x", "y"))],
  ["fewer bytes", JSON.stringify(LARGE.slice(1))],
] as const) {
  for (const place of ["input", "record"]) {
    test(`given ${what} in the store of a large ${place}, then the run fails for good, with the code [O4]`, async (it) => {
      const payloads = new Memory();
      payloads.put(Buffer.from(bytes));
      const output = reference(LARGE);
      const tasks: Scene["tasks"] = [place === "input" ? { input: output } : { recorded: [{ name: "page", output }] }];
      const calls = await workOn(it, (task) => task.record("page", () => 1), { payloads, tasks });
      const { failure, kind } = calls.failed[0]!;
      assert.deepEqual([failure?.code, kind], ["STORED_PAYLOAD_CHANGED", FailureKind.FINAL]);
      assert.match(failure?.message ?? "", /the store has \d+ bytes as ref-0, which differ from the 2000002 bytes that were put/);
    });
  }
}

test("given a stored input and no store, then the failure says to connect with one", async (it) => {
  const calls = await workOn(it, () => 1, { tasks: [{ input: reference(LARGE) }] });
  assert.match(calls.failed[0]?.failure?.message ?? "", /in a store, as ref-0: connect with `payloads`/);
});

/** Lets a client with this store do an operation; returns what Hapax got as its result. */
async function resultOf(it: TestContext, value: unknown, payloads: PayloadStore | undefined): Promise<Content> {
  const results: Content[] = [];
  const client = await fakeHapax(
    it,
    ({ service }) =>
      service(OperationService, {
        beginOperation: () => acquired(),
        completeOperation: ({ result }) => (results.push(result?.content), { outcome: { case: "completed", value: {} } }),
      }),
    undefined,
    { payloads, logger: { info: () => {}, warn: () => {}, error: () => {} } },
  );
  assert.equal(await client.once("read", "r-1", () => value), value);
  return results[0];
}

test("given a large result of bytes, then the reference is bytes, too", async (it) => {
  const bytes = Buffer.alloc(131_073);
  const content = await resultOf(it, bytes, new Memory());
  assert.deepEqual([content?.case, String(Buffer.from(content?.value as Uint8Array))], ["binary", stored(bytes)]);
});

test("given a stored record of bytes, then the task reads bytes", async (it) => {
  const bytes = Buffer.alloc(200_000, 7);
  const payloads = new Memory();
  payloads.put(bytes);
  const output = { content: { case: "binary", value: Buffer.from(stored(bytes)) } } as const;
  const read = async (task: Task): Promise<boolean> => bytes.equals(await task.record<Uint8Array>("page", () => assert.fail()));
  const calls = await workOn(it, read, { payloads, tasks: [{ recorded: [{ name: "page", output }] }] });
  assert.equal(json(calls.completed[0]?.output), true);
});

test("given a large output of an action, then it is stored", async (it) => {
  const outputs: Content[] = [];
  const client = await fakeHapax(
    it,
    ({ service }) =>
      service(EntityService, {
        beginAction: () => ({ outcome: { ...acquired().outcome, case: "granted" } }),
        completeAction: ({ output }) => (outputs.push(output?.content), { outcome: { case: "completed", value: {} } }),
      }),
    undefined,
    { payloads: new Memory() },
  );
  assert.equal(await client.entities.act("invoice", "I-17", "print", "printer", () => LARGE), LARGE);
  assert.equal(outputs[0]?.value, stored(JSON.stringify(LARGE)));
});

test("given a result of 128 KiB, or no store, then it is sent as it is", async (it) => {
  const text = "x".repeat(131_070);
  const payloads = new Memory();
  assert.equal((await resultOf(it, text, payloads))?.value, JSON.stringify(text));
  assert.equal((await resultOf(it, `${text}x`, undefined))?.value, JSON.stringify(`${text}x`));
  assert.equal(payloads.all.length, 0);
});

test(
  "given a store that fails for the output of a step, then the attempt fails, and may be repeated",
  { timeout: 10_000 },
  async (it) => {
    const broken = { put: () => Promise.reject(new Error("no space")), get: () => assert.fail() };
    const calls = await workOn(it, () => LARGE, { payloads: broken });
    const { failure, kind } = calls.failed[0]!;
    assert.deepEqual([failure?.message, kind], ["no space", FailureKind.RETRYABLE]);
  },
);

test("given a store that fails after the work, then the operation is completed without its result", async (it) => {
  const broken = { put: () => Promise.reject(new Error("no space")), get: () => assert.fail() };
  assert.equal((await resultOf(it, LARGE, broken))?.value, '{"@type":"hapax.dev/result-not-retained"}');
});

test("given a large result of an operation and of a run, then a duplicate and its caller get it from the store", async (it) => {
  const payloads = new Memory();
  payloads.put(Buffer.from(JSON.stringify(LARGE)));
  const client = await fakeHapax(
    it,
    ({ service }) => {
      service(OperationService, { beginOperation: () => ({ outcome: { case: "replay", value: { result: reference(LARGE) } } }) });
      service(RunService, { awaitRun: () => ({ run: { id: "run_1", status: RunStatus.COMPLETED, output: reference(LARGE) } }) });
    },
    undefined,
    { payloads },
  );
  assert.equal(await client.once("read", "r-1", () => assert.fail("the work has run")), LARGE);
  assert.equal(await client.runs.result("run_1"), LARGE);
});

test("given a stored output of a run that goes on, then it is read once the run is COMPLETED", async (it) => {
  const payloads = { put: () => assert.fail(), get: it.mock.fn(() => Buffer.from(JSON.stringify(LARGE))) };
  const statuses = [RunStatus.RUNNING, RunStatus.COMPLETED];
  const awaitRun = () => ({ run: { id: "run_1", status: statuses.shift()!, output: reference(LARGE) } });
  const client = await fakeHapax(it, ({ service }) => service(RunService, { awaitRun }), undefined, { payloads });
  assert.equal(await client.runs.result("run_1", { atMostMs: 100 }), LARGE);
  assert.equal(payloads.get.mock.callCount(), 1);
});

test("given a large input, then it is stored, and the same start again has the same fingerprint", async (it) => {
  const sent: unknown[] = [];
  const payloads = new Memory();
  const client = await fakeHapax(
    it,
    ({ service }) =>
      service(RunService, {
        startRun: ({ input, fingerprint }) => {
          sent.push([String(input?.content.value).slice(0, 41), Buffer.from(fingerprint).toString("hex")]);
          return { run: { id: "run_1" } };
        },
      }),
    undefined,
    { payloads },
  );
  for (const input of [LARGE, LARGE, "small"]) await client.runs.start("read", { idempotencyKey: "k", input });
  const hex = Buffer.from(fingerprint(LARGE)).toString("hex");
  const large = (ref: string) => [`{"@type":"hapax.dev/stored","ref":"${ref}"`, hex];
  assert.deepEqual(sent, [large("ref-0"), large("ref-1"), ['"small"', ""]]);
});

test("given a workflow without a server, then it uses the store, too", async () => {
  const payloads = new Memory();
  const ran = await runWorkflow((task) => task.record("page", () => LARGE), { payloads });
  assert.deepEqual([ran.result, ran.parts, payloads.all.length], [LARGE, { page: LARGE }, 2]);
});
