/** The branches of a map, patches of the code, the state of a run, and the start of a worker. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestContext, test } from "node:test";
import { FinalFailure, type Handler, type Task } from "hapax";
import { FailureKind } from "hapax/v1/common";
import { WorkerService } from "hapax/v1/worker_service";
import { type Calls, Latch, type Scene, fakeHapax, json, seconds, workOn } from "./fake.js";

const recorded = (name: string, value: unknown, more = {}) => ({
  name,
  output: { content: { case: "json", value: JSON.stringify(value) } } as const,
  ...more,
});
const names = ({ records }: Calls): string[] => records.flatMap(({ parts }) => parts.map(({ name }) => name));
const output = ({ completed }: Calls): unknown => json(completed[0]?.output);
const key = (item: string): string => item;

async function failureOf(it: TestContext, handler: Handler, scene: Scene = {}) {
  const { failed } = await workOn(it, handler, scene);
  return [failed[0]?.kind, failed[0]?.failure?.code];
}

test("given a map, then each branch has names of its own, results come in order, and so many run at once", async (it) => {
  let [active, most] = [0, 0];
  const work = (task: Task): Promise<string[]> =>
    task.map("item", ["a", "b", "c", "d", "e"], { key, concurrency: 2 }, async (branch, item) => {
      most = Math.max(most, ++active);
      await branch.record("price", () => sleep(10));
      const twice = [await branch.record("book", () => 1), await branch.record("book", () => 2)];
      active--;
      return `${item}${twice.join("")}`;
    });
  const calls = await workOn(it, work);
  assert.deepEqual(output(calls), ["a12", "b12", "c12", "d12", "e12"]);
  assert.equal(most, 2);
  assert.deepEqual(
    names(calls).filter((name) => name.includes("/c/")),
    ["item/c/price", "item/c/book", "item/c/book#2"],
  );
  assert.ok(calls.records.every(({ parts }) => parts.every(({ overlapped }) => !overlapped)));
});

test("given a map in a map, and a second one of the same name, then the names show it", async (it) => {
  const calls = await workOn(it, async (task) => {
    for (const _ of [1, 2]) {
      await task.map("m", ["k"], { key }, (outer) =>
        outer.map("n", [7], { key: (n) => n }, (inner) => inner.record("x", () => 1)),
      );
    }
  });
  assert.deepEqual(names(calls), ["m/k/n/7/x", "m#2/k/n/7/x"]);
});

for (const keys of [["a", "a"], [""], ["a/b"]]) {
  test(`given a map with the keys ${JSON.stringify(keys)}, then no branch begins, and the step fails for good`, async (it) => {
    const work = it.mock.fn();
    const failure = await failureOf(it, (task) => task.map("m", keys, { key }, work));
    assert.deepEqual([failure, work.mock.callCount()], [[FailureKind.FINAL, "MAP_KEY_INVALID"], 0]);
  });
}

test("given a branch whose part has a full name of more than 255 characters, then the step fails for good", async (it) => {
  const failure = await failureOf(it, (task) =>
    task.map("m", ["x".repeat(250)], { key }, (branch) => branch.record("pay", () => 1)),
  );
  assert.deepEqual(failure, [FailureKind.FINAL, "STEP_NAME_INVALID"]);
});

const some = async (task: Task, item: string): Promise<string> => {
  await task.record("wait", () => sleep(item === "b" ? 60 : 10));
  if (item === "b" || item === "c") throw new FinalFailure(`NO_${item}`);
  return item;
};

test("given branches that fail, then those that run end, no other begins, and the first failure of the items is thrown", async (it) => {
  const calls = await workOn(it, (task) => task.map("m", ["a", "b", "c", "d", "e"], { key, concurrency: 3 }, some));
  assert.equal(calls.failed[0]?.failure?.code, "NO_b");
  const begun = names(calls).map((name) => name.split("/")[1]);
  assert.ok(begun.includes("b") && !begun.includes("e"), String(begun));
});

test("given a settled map, then all branches are done, and each has its outcome", async (it) => {
  const calls = await workOn(it, async (task) => {
    const outcomes = await task.map("m", ["a", "b", "c", "d"], { key, concurrency: 2, settled: true }, some);
    return outcomes.map((each) => (each.status === "fulfilled" ? each.value : (each.reason as FinalFailure).failureCode));
  });
  assert.deepEqual(output(calls), ["a", "NO_b", "NO_c", "d"]);
});

for (const settled of [true, undefined] as const) {
  test(`given a branch that pauses, settled ${settled}, then those that run end, no other begins, and the task waits`, async (it) => {
    const work = (task: Task): Promise<unknown> => {
      const options = { key, concurrency: 2, settled: settled as true };
      return task.map("m", ["pauses", "runs", "waits"], options, async (branch, item) => {
        await branch.record("first", () => (item === "pauses" ? assert.fail("no") : sleep(40)));
        await branch.record("second", () => 1);
      });
    };
    const result: Scene["result"] = ({ result }) =>
      result.case === "failure"
        ? { case: "failed", value: { attempts: 1, retryAt: seconds(1), retryIn: seconds(60) } }
        : undefined;
    const calls = await workOn(it, work, { result });
    assert.deepEqual(names(calls), ["m/pauses/first", "m/runs/first", "m/runs/second"]);
    const { time } = calls.suspended[0]!;
    assert.ok(time.case === "duration" && [59n, 60n].includes(time.value.seconds));
  });
}

for (const wait of [(task: Task) => task.suspend("w", 1), (task: Task) => task.awaitSignal("w")]) {
  test(`given a wait in a branch: ${wait.toString()}, then the step fails for good`, async (it) => {
    const failure = await failureOf(it, (task) => task.map("m", ["a"], { key }, wait));
    assert.deepEqual(failure, [FailureKind.FINAL, "WAIT_IN_BRANCH"]);
  });
}

test("given 1,000 branches, then their reports go in few calls", async (it) => {
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  const calls = await workOn(it, async (task) => {
    await task.map("m", items, { key: (item) => item, concurrency: 50 }, (branch) => branch.record("x", () => 1));
  });
  assert.equal(new Set(names(calls)).size, 1_000);
  assert.ok(calls.records.length <= 25, String(calls.records.length));
});

// ---- patches of the code

const ask = async (task: Task): Promise<unknown> => [await task.patched("check"), await task.patched("check")];

test("given a run that comes to a patch for the first time, then it takes the new path, and that is recorded once", async (it) => {
  const work = async (task: Task): Promise<unknown> => (await task.record("a", () => 1), ask(task));
  const calls = await workOn(it, work, { tasks: [{ recorded: [recorded("a", 1)] }] });
  assert.deepEqual([output(calls), names(calls)], [[true, true], ["patched/check"]]);
  assert.equal(calls.records[0]?.parts[0]?.overlapped, true);
});

test("given a run that went past the place of a patch, then it takes the old path, and nothing is recorded", async (it) => {
  const work = async (task: Task): Promise<unknown> => {
    const answers = await ask(task);
    await task.record("pay", () => 1);
    await task.record("ship", () => 1);
    return [answers, await task.patched("check")];
  };
  const calls = await workOn(it, work, { tasks: [{ recorded: [recorded("pay", 1)] }] });
  assert.deepEqual([output(calls), names(calls)], [[[false, false], false], ["ship"]]);
});

test("given a patch that is recorded, then it holds, whatever is left", async (it) => {
  const calls = await workOn(it, ask, { tasks: [{ recorded: [recorded("patched/check", true), recorded("pay", 1)] }] });
  assert.deepEqual([output(calls), calls.records.length], [[true, true], 0]);
});

// ---- the state of a run

const patches = ({ records }: Calls): unknown[] => records.map(({ statePatch }) => json(statePatch));

test("given changes of the state, then they travel with the next output, once, the last one of a member", async (it) => {
  const calls = await workOn(it, async (task) => {
    task.patchState({ a: 1, b: 1 });
    task.patchState({ a: 2 });
    await task.record("x", () => 1);
    await task.record("y", () => 1);
    task.patchState({ c: 3 });
  });
  assert.deepEqual([patches(calls), json(calls.completed[0]?.statePatch)], [[{ a: 2, b: 1 }, undefined], { c: 3 }]);
});

test("given a change of the state, when its record was there before, or its part only began, then it goes with a later one", async (it) => {
  const work = async (task: Task): Promise<void> => {
    task.patchState({ a: 1 });
    await task.record("x", () => 1, { atMostOnce: true });
    await task.record("y", () => 1);
  };
  const result: Scene["result"] = ({ name, result }) =>
    name === "x" && result.case === "output" ? { case: "recorded", value: { already: true, output: result.value } } : undefined;
  const calls = await workOn(it, work, { result });
  assert.deepEqual(patches(calls), [undefined, { a: 1 }, { a: 1 }]);
});

test("given setState, then it is a part with the change, and is sent once", async (it) => {
  const work = async (task: Task): Promise<void> => {
    task.patchState({ a: 1 });
    await task.setState({ a: 2, b: 2 });
    await task.setState({ b: 3 });
    await task.record("x", () => 1);
  };
  const first = await workOn(it, work);
  assert.deepEqual(
    [names(first), patches(first)],
    [
      ["state", "state#2", "x"],
      [{ a: 2, b: 2 }, { b: 3 }, undefined],
    ],
  );
  const replay = await workOn(it, work, { tasks: [{ recorded: [recorded("state", null), recorded("state#2", null)] }] });
  assert.deepEqual([names(replay), patches(replay)], [["x"], [undefined]]);
});

test("given a wait, then it is recorded as one, with the change of the state", async (it) => {
  const calls = await workOn(it, (task) => (task.patchState({ a: 1 }), task.suspend("wait", 1_000)));
  assert.equal(calls.records[0]?.parts[0]?.isWait, true);
  assert.deepEqual([patches(calls), json(calls.suspended[0]?.statePatch)], [[{ a: 1 }], undefined]);
});

// ---- the start of a worker

test("given a server without parts, then a worker does not poll, and says what to do", async (it) => {
  const polled = it.mock.fn(() => ({}));
  const logged = new Latch<unknown>();
  const client = await fakeHapax(it, ({ service }) => service(WorkerService, { pollTasks: polled }), []);
  it.mock.method(console, "error", (line: unknown) => logged.open(line));
  const text = /the server lacks parts \(version 1\.2\.3\): upgrade the server/;
  await assert.rejects(client.worker("work", {}).run(), text);
  const worker = client.worker("work", {});
  worker.start();
  assert.match(String(await logged.opened), text);
  assert.equal(await worker.stop(), true);
  assert.equal(polled.mock.callCount(), 0);
});

test("given the last attempt of a task, then the handler sees it", async (it) => {
  const seen: boolean[] = [];
  await workOn(it, (task) => void seen.push(task.lastAttempt), { tasks: [{ lastAttempt: true }, {}] });
  assert.deepEqual(seen, [true, false]);
});

test("given a branch that asks for the task of the handler, then the name is refused as ambiguous", async (it) => {
  const done = new Latch();
  const failure = await failureOf(it, (task) =>
    task.map("m", ["a", "b"], { key }, async () => (done.open(), task.record("x", () => 1))),
  );
  await done.opened;
  assert.deepEqual(failure, [FailureKind.FINAL, "STEP_NAME_AMBIGUOUS"]);
});
