/** The parts of a code step: names, records, attempts, and effects in doubt. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestContext, test } from "node:test";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { FinalFailure, type Handler, NOT_DONE, PartFailed, RetryableFailure, type Task, UnknownEffect } from "hapax";
import { FailureKind } from "hapax/v1/common";
import { PartState } from "hapax/v1/run";
import type { PartRecord } from "hapax/v1/worker_service";
import { type Calls, Latch, type Scene, json, seconds, workOn } from "./fake.js";

const recorded = (name: string, value: unknown = name, more = {}) => ({
  name,
  output: { content: { case: "json", value: JSON.stringify(value) } } as const,
  ...more,
});
const reports = ({ records }: Calls): PartRecord[] => records.flatMap(({ parts }) => parts);
const names = (calls: Calls): string[] => reports(calls).map(({ name }) => name);
const outputs = (calls: Calls): unknown[] =>
  reports(calls).map(({ result }) => (result.case === "output" ? json(result.value) : result.case));

/** Lets a worker do one task, and returns what it failed with. */
async function failureOf(it: TestContext, handler: Handler, scene: Scene = {}) {
  const calls = await workOn(it, handler, scene);
  assert.equal(calls.failed.length, 1, "the task has failed");
  const { kind, failure, parts } = calls.failed[0]!;
  return { kind, code: failure?.code, message: failure?.message ?? "", part: failure?.part, parts, calls };
}

test("given a part, then its body gets its id, and its output is recorded with the time that it took", async (it) => {
  let id = "";
  const calls = await workOn(it, async (task) => [await task.record("pay", (it) => ((id = it), sleep(30, 7))), task.stepId]);
  const [value, stepId] = json(calls.completed[0]?.output) as [number, string];
  assert.equal(value, 7);
  assert.equal(id, `${stepId}/pay`);
  const [report] = reports(calls);
  assert.deepEqual([report?.name, report?.overlapped, report?.isWait], ["pay", false, false]);
  assert.ok(report?.elapsed !== undefined && report.elapsed.seconds === 0n && report.elapsed.nanos >= 25_000_000);
});

test("given records that came with the task, then no body runs and no call is made", async (it) => {
  const bodies = it.mock.fn();
  const work = async (task: Task): Promise<unknown> => [await task.record("a", bodies), await task.record("a", bodies)];
  const calls = await workOn(it, work, { tasks: [{ recorded: [recorded("a", 1), recorded("a#2", 2)] }] });
  assert.deepEqual(json(calls.completed[0]?.output), [1, 2]);
  assert.deepEqual([calls.records.length, calls.pages.length, bodies.mock.callCount()], [0, 0, 0]);
});

test("given records on further pages, then they are read until the name is found, and never after the last page", async (it) => {
  const list = {
    "1": { recorded: [recorded("b")], nextPageToken: "2" },
    "2": { recorded: [recorded("c")], nextPageToken: "3" },
    "3": { recorded: [recorded("d")], nextPageToken: "" },
  };
  const pages: number[] = [];
  const calls: Calls = await workOn(
    it,
    async (task) => {
      for (const name of ["a", "b", "c", "d", "e", "f"]) await task.record(name, () => pages.push(0));
    },
    { tasks: [{ recorded: [recorded("a")], moreRecordedToken: "1" }], list },
  );
  assert.deepEqual(calls.pages, ["1", "2", "3"]);
  assert.deepEqual(names(calls), ["e", "f"]);
});

test("given a claim that is lost when records are read, then nothing is sent", async (it) => {
  const list = { "1": { claimLost: { reason: 5 } } };
  const bodies = it.mock.fn();
  const calls = await workOn(it, (task) => task.record("a", bodies), { tasks: [{ moreRecordedToken: "1" }], list });
  assert.deepEqual([calls.lost, calls.failed, bodies.mock.callCount()], [["1"], [], 0]);
});

for (const name of ["", "a/b", "a#2", "x".repeat(256)]) {
  test(`given the name ${name.slice(0, 9)} of ${name.length} characters, then the step fails for good`, async (it) => {
    const { kind, code } = await failureOf(it, (task) => task.record(name, () => 1));
    assert.deepEqual([kind, code], [FailureKind.FINAL, "STEP_NAME_INVALID"]);
  });
}

test("given a name of 255 characters, or with a hash in it, then it is accepted", async (it) => {
  const calls = await workOn(it, async (task) => {
    for (const name of ["x".repeat(255), "a#2b", "#"]) await task.record(name, () => 1);
  });
  assert.equal(names(calls).length, 3);
});

const ambiguous: readonly [string, Handler, Scene][] = [
  ["at the same time", (task) => Promise.all([task.record("a", () => 1), task.record("a", () => 1)]), {}],
  [
    "beside another part, the second time",
    async (task) => {
      await task.record("a", () => 1);
      await Promise.all([task.record("b", () => sleep(5)), task.record("a", () => 1)]);
    },
    {},
  ],
  [
    "beside another part, the first time",
    async (task) => {
      await Promise.all([task.record("a", () => 1), task.record("b", () => 1)]);
      await task.record("a", () => 1);
    },
    {},
  ],
  [
    "where the record says so",
    async (task) => {
      await task.record("a", () => 1);
      await task.record("a", () => 1);
    },
    { tasks: [{ recorded: [recorded("a", 1, { overlapped: true })] }] },
  ],
];
for (const [what, handler, scene] of ambiguous) {
  test(`given a name that is used twice, ${what}, then the step fails for good`, async (it) => {
    const { kind, code, message } = await failureOf(it, handler, scene);
    assert.deepEqual([kind, code], [FailureKind.FINAL, "STEP_NAME_AMBIGUOUS"]);
    assert.match(message, /\ba and a#2\b.*use map/);
  });
}

test("given parts beside each other, then their reports say so, and those of parts alone do not", async (it) => {
  const calls = await workOn(it, async (task) => {
    await task.record("a", () => 1);
    await Promise.all([task.record("b", () => sleep(5)), task.record("c", () => 1)]);
    await task.record("d", () => 1);
  });
  const flags = Object.fromEntries(reports(calls).map(({ name, overlapped }) => [name, overlapped]));
  assert.deepEqual(flags, { a: false, b: true, c: true, d: false });
});

const changed: readonly [string, Handler, boolean][] = [
  ["a part where a wait was", (task) => task.record("x", () => 1), true],
  ["a wait where a part was", (task) => task.suspend("x", 10), false],
  ["a wait for a signal where a part was", (task) => task.awaitSignal("x"), false],
];
for (const [what, handler, isWait] of changed) {
  test(`given ${what}, then the step fails for good`, async (it) => {
    const { kind, code } = await failureOf(it, handler, { tasks: [{ recorded: [recorded("x", 1, { isWait })] }] });
    assert.deepEqual([kind, code], [FailureKind.FINAL, "STEP_CHANGED"]);
  });
}

const failed = { code: "CARD_DECLINED", message: "no money" };

test("given a part that failed for good, when the handler does not catch it, then the step fails with its failure", async (it) => {
  const openParts = [{ name: "pay", state: PartState.FAILED, attempts: 3, failure: failed }];
  const { kind, code, message, part } = await failureOf(it, (task) => task.record("pay", () => 1), { tasks: [{ openParts }] });
  assert.deepEqual([kind, code, message, part], [FailureKind.FINAL, "CARD_DECLINED", "no money", "pay"]);
});

test("given a part that failed for good, when the handler catches it, then it continues, and the error names the part", async (it) => {
  const openParts = [{ name: "pay", state: PartState.FAILED, attempts: 3, failure: failed }];
  let caught: unknown;
  const work = async (task: Task): Promise<void> => {
    await task.record("pay", () => 1).catch((error: unknown) => (caught = error));
    await task.record("apologize", () => 1);
  };
  const calls = await workOn(it, work, { tasks: [{ openParts }] });
  assert.deepEqual(names(calls), ["apologize"]);
  assert.ok(caught instanceof PartFailed);
  const { part, failureCode, code, message, attempts } = caught;
  assert.deepEqual([part, failureCode, code, message, attempts], ["pay", "CARD_DECLINED", "CARD_DECLINED", "no money", 3]);
});

const throwing = (error: Error) => (): never => {
  throw error;
};

test("given a body that fails, then its attempt is reported with code, message, stack and policy", async (it) => {
  const retry = {
    maxAttempts: -1,
    initialMs: 5,
    factor: 3,
    maxMs: 1_500,
    nonRetryable: ["A"],
    retryOnly: ["B"],
    giveUpAfterMs: 9_000,
  };
  const error = Object.assign(new RetryableFailure("BUSY", "later", { retryAfterMs: 30_000 }), { stack: "é".repeat(10_000) });
  const calls = await workOn(it, (task) => task.record("a", throwing(error), { retry }));
  const [report] = reports(calls);
  assert.ok(report?.result.case === "failure");
  const { attempt, failure, kind, retry: policy, retryAfter } = report.result.value;
  assert.deepEqual([attempt, failure?.code, failure?.message, kind], [1, "BUSY", "later", FailureKind.RETRYABLE]);
  assert.equal(failure?.stack, "é".repeat(8_192));
  assert.equal(retryAfter?.seconds, 30n);
  const { maxAttempts, factor, nonRetryable, retryOnly } = policy!;
  assert.deepEqual(
    { maxAttempts, factor, nonRetryable, retryOnly },
    { maxAttempts: -1, factor: 3, nonRetryable: ["A"], retryOnly: ["B"] },
  );
  assert.deepEqual([policy?.initial?.nanos, policy?.max?.seconds, policy?.giveUpAfter?.seconds], [5_000_000, 1n, 9n]);
});

test("given a body that fails for good, or with another error, then the kind and the code say so", async (it) => {
  const kinds: unknown[] = [];
  for (const error of [new FinalFailure("NO", "never"), new TypeError("odd")]) {
    const calls = await workOn(it, (task) => task.record("a", throwing(error)));
    const [report] = reports(calls);
    assert.ok(report?.result.case === "failure");
    kinds.push([report.result.value.kind, report.result.value.failure?.code, report.result.value.retry]);
    // the fake has no other attempt
    const { kind, failure } = calls.failed[0]!;
    assert.deepEqual([kind, failure?.code, failure?.part], [FailureKind.FINAL, report.result.value.failure?.code, "a"]);
  }
  assert.deepEqual(kinds, [
    [FailureKind.FINAL, "NO", undefined],
    [FailureKind.RETRYABLE, "TypeError", undefined],
  ]);
});

test("given a short pause, then the worker waits in place and counts the attempts", async (it) => {
  const attempts: number[] = [];
  let bodies = 0;
  const begunAt: number[] = [];
  const work = (task: Task): Promise<number> =>
    task.record("a", () => {
      begunAt.push(performance.now());
      if (++bodies < 3) throw new Error("not yet");
      return bodies;
    });
  const result: Scene["result"] = ({ result }) => {
    if (result.case !== "failure") return undefined;
    attempts.push(result.value.attempt);
    const value = { attempts: result.value.attempt, retryAt: seconds(1), retryIn: seconds(0.1), hold: true };
    return { case: "failed", value };
  };
  const calls = await workOn(it, work, { result });
  assert.equal(json(calls.completed[0]?.output), 3);
  assert.deepEqual(attempts, [1, 2]);
  assert.ok(begunAt[1]! - begunAt[0]! >= 95, "the pause is kept");
});

test("given long pauses, when other bodies run, then they end and are recorded, and the task waits for the shortest", async (it) => {
  const pauses: Record<string, number> = { a: 90, b: 40 };
  const slow = new Latch<number>();
  const work = (task: Task): Promise<unknown> =>
    Promise.all([
      task.record("a", throwing(new Error("no"))),
      task.record("b", throwing(new Error("no"))),
      task.record("c", () => slow.opened),
    ]);
  const result: Scene["result"] = ({ name, result }) => {
    if (result.case !== "failure") return undefined;
    setTimeout(() => slow.open(7), 30);
    return { case: "failed", value: { attempts: 1, retryAt: seconds(1), retryIn: seconds(pauses[name] ?? 0) } };
  };
  const calls = await workOn(it, work, { result });
  assert.ok(outputs(calls).includes(7));
  const { time } = calls.suspended[0]!;
  assert.ok(time.case === "duration" && [39n, 40n].includes(time.value.seconds), String(time.value));
});

test("given a part whose pause has not ended, then the task waits; after it, the next attempt runs", async (it) => {
  const open = (due: number) => ({
    openParts: [{ name: "a", state: PartState.RETRY, attempts: 4, dueAt: seconds(Date.now() / 1_000 + due) }],
  });
  const bodies = it.mock.fn(throwing(new Error("again")));
  const calls = await workOn(it, (task) => task.record("a", bodies), { tasks: [open(60), open(-1)] });
  const { time } = calls.suspended[0]!;
  assert.ok(time.case === "duration" && [59n, 60n].includes(time.value.seconds));
  const [report] = reports(calls);
  assert.ok(report?.result.case === "failure" && report.result.value.attempt === 5);
  assert.equal(bodies.mock.callCount(), 1);
});

test("given a state of a part that is newer than the package, then the task is released", async (it) => {
  const openParts = [{ name: "a", state: 99 as PartState, attempts: 1 }];
  const bodies = it.mock.fn();
  const { released } = await workOn(it, (task) => task.record("a", bodies), { tasks: [{ openParts }] });
  assert.equal(released[0]?.delay?.seconds, 5n);
  assert.equal(bodies.mock.callCount(), 0);
});

test("given a result of a report that is newer than the package, then the attempt fails, and says what to do", async (it) => {
  const result = () => ({ case: undefined });
  const { kind, message } = await failureOf(it, (task) => task.record("a", () => 1), { result });
  assert.equal(kind, FailureKind.RETRYABLE);
  assert.match(message, /part a .*upgrade it/);
});

// ---- changed code

const past = [recorded("ask"), recorded("pay"), recorded("ship")];
const inserted = async (task: Task): Promise<void> => {
  await task.record("ask", () => assert.fail("is recorded"));
  await task.record("check", () => effects.push("check"));
};
let effects: string[] = [];

test("given records that the code does not ask for, when something new would run, then the task is released each time for longer", async (it) => {
  effects = [];
  const calls = await workOn(it, inserted, { tasks: [{ recorded: past }, { recorded: past }] });
  const [first, second] = calls.released;
  assert.deepEqual([first?.reason?.code, first?.delay?.seconds, second?.delay?.seconds], ["CODE_CHANGED", 5n, 10n]);
  assert.equal(first?.reason?.message, "records `pay`, `ship` are not asked for before `check`");
  assert.deepEqual([effects, calls.records], [[], []]);
});

test("given one such record, when the code waits for something new, or changes the state, then the task is released as well", async (it) => {
  const waits: Handler[] = [
    (task) => task.suspend("wait", 10),
    (task) => task.awaitSignal("go"),
    (task) => task.awaitSignal("go", { timeoutMs: 10 }),
    (task) => task.setState({ a: 1 }),
  ];
  for (const wait of waits) {
    const { released, records } = await workOn(it, wait, { tasks: [{ recorded: [recorded("pay")] }] });
    assert.match(released[0]?.reason?.message ?? "", /^records `pay` is not asked for before `(wait|go|state)`$/);
    assert.equal(records.length, 0);
  }
});

test("given a worker that fails such runs, then the run fails for good", async (it) => {
  const scene: Scene = { tasks: [{ recorded: past }], options: { onCodeChange: "fail" } };
  const { kind, code, message } = await failureOf(it, inserted, scene);
  assert.deepEqual([kind, code], [FailureKind.FINAL, "STEP_CHANGED"]);
  assert.match(message, /`pay`, `ship` are not asked for before `check`/);
});

test("given a worker that only warns, then it warns once, and goes on", async (it) => {
  effects = [];
  const work = async (task: Task): Promise<void> => {
    await inserted(task);
    await task.record("more", () => 1);
  };
  const warnings: string[] = [];
  const logger = { info: () => {}, warn: (text: string) => warnings.push(text), error: () => {} };
  const calls = await workOn(it, work, { tasks: [{ recorded: past }], options: { onCodeChange: "warn" }, logger });
  assert.deepEqual([effects, names(calls)], [["check"], ["check", "more"]]);
  assert.equal(warnings.filter((text) => text.includes("has changed")).length, 1);
});

const fitting: readonly [string, object[], Handler][] = [
  ["overlapped", [recorded("pay", 1, { overlapped: true })], (task) => task.record("new", () => 1)],
  ["of another scope", [recorded("item/7/pay"), recorded("patched/x")], (task) => task.record("new", () => 1)],
  [
    "asked for in another order",
    [recorded("a"), recorded("b")],
    async (task) => {
      for (const name of ["b", "a", "new"]) await task.record(name, () => 1);
    },
  ],
  [
    "the deadline of a signal that came",
    [recorded("go.deadline", "2026-11-21T15:00:00Z 1 1", { isWait: true }), recorded("go", 1, { isWait: true })],
    async (task) => {
      await task.awaitSignal("go", { timeoutMs: 10 });
      await task.record("new", () => 1);
    },
  ],
  [
    "asked for beside the new part",
    [recorded("a1"), recorded("a2"), recorded("a3"), recorded("a4")],
    (task) =>
      Promise.all([
        task.record("new", () => 1),
        (async () => {
          for (const name of ["a1", "a2", "a3", "a4"]) await task.record(name, () => 1);
        })(),
      ]),
  ],
  ["left at the end", [recorded("a"), recorded("b")], (task) => task.record("a", () => 1)],
];
for (const [what, recorded, handler] of fitting) {
  test(`given a record that is ${what}, then the code fits`, async (it) => {
    const calls = await workOn(it, handler, { tasks: [{ recorded }] });
    assert.deepEqual([calls.completed.length, calls.released.length], [1, 0]);
  });
}

// ---- at most once

test("given a part at most once, then it is begun before its body, and again after a failure that the body reports", async (it) => {
  const log: string[] = [];
  const work = (task: Task): Promise<number> =>
    task.record(
      "pay",
      () => {
        log.push("body");
        if (log.length < 4) throw new RetryableFailure("BUSY");
        return 7;
      },
      { atMostOnce: true },
    );
  const result: Scene["result"] = ({ result }) => {
    log.push(result.case ?? "");
    if (result.case !== "failure") return undefined;
    return { case: "failed", value: { attempts: result.value.attempt, retryAt: seconds(1), hold: true } };
  };
  await workOn(it, work, { result });
  assert.deepEqual(log, ["begin", "body", "failure", "begin", "body", "output"]);
});

const begun = { openParts: [{ name: "pay", state: PartState.BEGUN, attempts: 2 }] };
const inDoubt: Scene["result"] = ({ result }) =>
  result.case === "begin" ? { case: "begun", value: { inDoubt: true } } : undefined;
const doubts: readonly [string, Scene, object][] = [
  ["that was begun when the task was granted", { tasks: [begun] }, { atMostOnce: true }],
  ["that the code no longer does at most once", { tasks: [begun] }, {}],
  ["whose begin says so", { result: inDoubt }, { atMostOnce: true }],
];
for (const [what, scene, options] of doubts) {
  test(`given a part in doubt ${what}, then the run ends with an unknown effect, and no body runs`, async (it) => {
    const bodies = it.mock.fn();
    const work = (task: Task) => task.record("pay", bodies, options).catch(() => "caught");
    const { kind, code, message, part, parts } = await failureOf(it, work, scene);
    assert.deepEqual([kind, code, part], [FailureKind.UNKNOWN_EFFECT, "UNKNOWN_EFFECT", "pay"]);
    assert.match(message, /another worker began part pay.*unknown/);
    assert.deepEqual([bodies.mock.callCount(), parts], [0, []]);
  });
}

for (const value of [7, null]) {
  test(`given a part in doubt, when verify finds ${value}, then that is recorded, and no body runs`, async (it) => {
    const bodies = it.mock.fn(() => value);
    const ids: string[] = [];
    const work = (task: Task) => task.record("pay", bodies, { verify: (id) => (ids.push(id.split("/")[1]!), value) });
    const calls = await workOn(it, work, { tasks: [begun] });
    assert.deepEqual(
      [outputs(calls), json(calls.completed[0]?.output), ids, bodies.mock.callCount()],
      [[value], value, ["pay"], 0],
    );
  });
}

const notDone: Scene["result"] = ({ result }) =>
  result.case === "failure" ? { case: "failed", value: { attempts: result.value.attempt, retryAt: seconds(99) } } : undefined;

test("given a part in doubt, when verify finds no effect, then that is stored with the next begin in one call, and the body runs", async (it) => {
  const attempts: number[] = [];
  const work = (task: Task) => task.record("pay", () => 8, { verify: () => NOT_DONE });
  const calls = await workOn(it, work, {
    tasks: [begun],
    result: (part, request) => {
      if (part.result.case === "failure") attempts.push(part.result.value.attempt);
      return notDone!(part, request);
    },
  });
  assert.deepEqual(
    calls.records.map(({ parts }) => parts.map(({ result }) => result.case)),
    [["failure", "begin"], ["output"]],
  );
  const [report] = reports(calls);
  assert.ok(report?.result.case === "failure");
  const { failure, attempt } = report.result.value;
  assert.deepEqual([failure?.code, failure?.message, attempt], ["NOT_DONE", "verify found no effect", 2]);
  assert.equal(json(calls.completed[0]?.output), 8);
});

test("given a part in doubt, when verify finds no effect and no attempt is left, then the part has failed", async (it) => {
  const bodies = it.mock.fn();
  const result: Scene["result"] = () => ({ case: "failed", value: { attempts: 2, failure: { code: "NOT_DONE", message: "m" } } });
  const work = (task: Task) => task.record("pay", bodies, { verify: () => NOT_DONE });
  const { kind, code, part } = await failureOf(it, work, { tasks: [begun], result });
  assert.deepEqual([kind, code, part, bodies.mock.callCount()], [FailureKind.FINAL, "NOT_DONE", "pay", 0]);
});

test("given a part in doubt, when verify throws, then the execution fails, names the part, and reports nothing about it", async (it) => {
  const work = (task: Task) => task.record("pay", () => 1, { verify: throwing(new Error("the bank is away")) });
  const { kind, message, part, calls } = await failureOf(it, work, { tasks: [begun] });
  assert.deepEqual([kind, message, part], [FailureKind.RETRYABLE, "the bank is away", "pay"]);
  assert.equal(calls.records.length, 0);
});

for (const atMostOnce of [true, false]) {
  test(`given a body that does not know its effect, at most once ${atMostOnce}, then the run ends so, and the part stays begun`, async (it) => {
    const work = (task: Task) => task.record("pay", throwing(new UnknownEffect("ODD", "no answer")), { atMostOnce });
    const { kind, code, part, parts, calls } = await failureOf(it, work);
    assert.deepEqual([kind, code, part], [FailureKind.UNKNOWN_EFFECT, "ODD", "pay"]);
    const cases = [...reports(calls), ...parts].map(({ name, result }) => [name, result.case]);
    assert.deepEqual([cases, parts.length], [[["pay", "begin"]], atMostOnce ? 0 : 1]);
  });
}

test("given a body that does not know its effect beside a part that pauses, then the unknown effect ends the execution", async (it) => {
  const work = (task: Task) =>
    Promise.all([
      task.record("a", throwing(new Error("no"))),
      task.record("pay", () => sleep(40).then(throwing(new UnknownEffect("ODD")))),
    ]);
  const { kind, part } = await failureOf(it, work, { result: notDone });
  assert.deepEqual([kind, part], [FailureKind.UNKNOWN_EFFECT, "pay"]);
});

test("given a body that does not know its effect beside one in doubt by a timeout, then the unknown effect ends the execution", async (it) => {
  const over = new Latch();
  const work = (task: Task) =>
    Promise.all([
      task.record("slow", () => over.opened, { timeoutMs: 20, atMostOnce: true }),
      task.record("pay", () => sleep(60).then(throwing(new UnknownEffect("ODD")))),
    ]);
  const { kind, part } = await failureOf(it, work);
  over.open();
  assert.deepEqual([kind, part], [FailureKind.UNKNOWN_EFFECT, "pay"]);
});

// ---- timeouts

test("given a body that takes too long, then its signal is aborted, and the next attempt waits until it has ended", async (it) => {
  const log: string[] = [];
  const work = (task: Task): Promise<string> =>
    task.record(
      "slow",
      async (_, signal) => {
        log.push("begins");
        if (log.length > 1) return "done";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await sleep(60);
        log.push("ends");
        return "too late";
      },
      { timeoutMs: 30 },
    );
  const result: Scene["result"] = ({ result }) => {
    if (result.case !== "failure") return undefined;
    log.push(result.value.failure?.code ?? "");
    return { case: "failed", value: { attempts: 1, retryAt: seconds(1), hold: true } };
  };
  const calls = await workOn(it, work, { result });
  assert.deepEqual(log, ["begins", "PART_TIMEOUT", "ends", "begins"]);
  assert.equal(json(calls.completed[0]?.output), "done");
});

test("given a body at most once that takes too long, then it stays begun, and the execution fails with the part", async (it) => {
  const over = new Latch();
  const work = (task: Task) => task.record("slow", () => over.opened, { timeoutMs: 20, atMostOnce: true }).catch(() => "caught");
  const { kind, code, part, calls } = await failureOf(it, work);
  over.open();
  assert.deepEqual([kind, code, part], [FailureKind.RETRYABLE, "PART_TIMEOUT", "slow"]);
  assert.deepEqual(
    reports(calls).map(({ result }) => result.case),
    ["begin"],
  );
});

// ---- calls

test("given reports that come while a call is under way, then they go together in the next one", async (it) => {
  const [sent, first] = [new Latch(), new Latch()];
  const work = async (task: Task): Promise<void> => {
    const one = task.record("first", () => 1);
    await sent.opened;
    const others = ["a", "b", "c"].map((name) => task.record(name, () => (name === "c" ? setTimeout(first.open, 20) : 0, name)));
    assert.deepEqual(await Promise.all([one, ...others]), [1, "a", "b", "c"]);
  };
  const result: Scene["result"] = async ({ name }) => {
    sent.open();
    if (name === "first") await first.opened;
    return undefined;
  };
  const calls = await workOn(it, work, { result });
  assert.deepEqual(
    calls.records.map(({ parts }) => parts.map(({ name }) => name)),
    [["first"], ["a", "b", "c"]],
  );
});

test("given many or large reports, then a call has at most 100, and at most 768 KiB", async (it) => {
  const work = async (task: Task): Promise<void> => {
    await Promise.all(Array.from({ length: 150 }, (_, index) => task.record(`small-${index}`, () => 1)));
    await Promise.all(Array.from({ length: 6 }, (_, index) => task.record(`large-${index}`, () => "x".repeat(200_000))));
  };
  const calls = await workOn(it, work);
  assert.equal(names(calls).length, 156);
  for (const { parts } of calls.records) {
    const bytes = parts.map(({ result }) => (result.case === "output" ? String(result.value.content.value).length : 0));
    assert.ok(parts.length <= 100 && bytes.reduce((sum, each) => sum + each, 0) <= 768 * 1_024);
  }
});

test("given reports that go together, when one is refused, then only its part fails", async (it) => {
  let other: unknown;
  const work = (task: Task) =>
    Promise.all([task.record("bad", () => 1), task.record("good", () => 2).then((value) => (other = value))]);
  const result: Scene["result"] = (_, { parts }) => {
    if (parts.some(({ name }) => name === "bad")) throw new ConnectError("parts[0] is bad", Code.InvalidArgument);
    return undefined;
  };
  const { kind, message, calls } = await failureOf(it, work, { result });
  assert.equal(kind, FailureKind.FINAL);
  assert.match(message, /step bad was not recorded.*parts\[0\] is bad/);
  assert.deepEqual([other, calls.records.at(-1)?.parts.map(({ name }) => name)], [2, ["good"]]);
});

test("given a handler that ends while a part waits for its next attempt, then no other body begins", async (it) => {
  let bodies = 0;
  const failing = new Latch();
  const work = async (task: Task): Promise<number> => {
    void task
      .record("a", () => {
        bodies++;
        throw new Error("no");
      })
      .catch(() => {});
    await failing.opened;
    return 1;
  };
  const result: Scene["result"] = () => {
    setTimeout(() => failing.open(), 20);
    return { case: "failed", value: { attempts: 1, retryAt: seconds(1), retryIn: seconds(0.3), hold: true } };
  };
  const calls = await workOn(it, work, { result });
  assert.deepEqual([calls.completed.length, bodies], [1, 1]);
});

test("given a wait whose task was resumed by the pause of a part, then the wait goes on", async (it) => {
  const end = new Date(Date.now() + 60_000).toISOString();
  const wait = recorded("wait", `${end} 1 1`, { isWait: true });
  const retrying = { name: "a", state: PartState.RETRY, attempts: 1, dueAt: seconds(Date.now() / 1_000 - 1) };
  const claim = { id: "resumed", fence: 9n };
  const work = (task: Task): Promise<unknown> => Promise.all([task.record("a", () => 1), task.suspend("wait", 60_000)]);
  const calls = await workOn(it, work, {
    tasks: [
      { claim, recorded: [wait], openParts: [retrying] },
      { claim: { ...claim, id: "again" }, recorded: [wait, recorded("a")] },
    ],
  });
  assert.deepEqual([calls.suspended.length, calls.completed.length], [1, 1]);
});

test("given a body that runs on beside a wait, then the task waits for the rest of it, counted from its record", async (it) => {
  const slow = new Latch();
  const work = (task: Task): Promise<unknown> =>
    Promise.all([task.record("slow", () => slow.opened), task.suspend("wait", 60_000)]);
  const result: Scene["result"] = ({ isWait }) => void (isWait && setTimeout(() => slow.open(), 300));
  const { suspended } = await workOn(it, work, { result });
  const { time } = suspended[0]!;
  assert.ok(time.case === "duration");
  const ms = durationMs(time.value);
  assert.ok(ms > 50_000 && ms < 59_900, String(ms));
});

test("given a Hapax whose clock is that of another year, then it measures waits and pauses", async (it) => {
  const now = Date.UTC(2090);
  const step = { id: "step_2090", name: "only", attempt: 2, leaseUntil: seconds(now / 1_000 + 60) };
  const ends = recorded("wait", `${new Date(now + 60_000).toISOString()} 1 1`, { isWait: true });
  const over = recorded("over", `${new Date(now - 1).toISOString()} 1 1`, { isWait: true });
  const retrying = { name: "a", state: PartState.RETRY, attempts: 1, dueAt: seconds(now / 1_000 + 90) };
  const work = async (task: Task): Promise<void> => {
    await task.suspend("over", 300_000);
    if (task.fence === 3n) await task.record("a", () => 1);
    await task.suspend("wait", 300_000);
  };
  const tasks = [
    { step, recorded: [over] },
    { step, recorded: [over, ends] },
    { step, recorded: [over, ends], openParts: [retrying] },
  ];
  const calls = await workOn(it, work, { tasks });
  const [end] = String(outputs(calls)[0]).split(" ");
  assert.ok(Math.abs(Date.parse(end!) - now - 300_000) < 10_000, end);
  const waits = calls.suspended.map(({ time }) => (time.case === "duration" ? Math.ceil(durationMs(time.value) / 10_000) : 0));
  assert.deepEqual(waits, [30, 6, 9]);
});
