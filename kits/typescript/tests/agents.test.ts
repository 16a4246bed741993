/** Guarded tools of agents. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestContext, test } from "node:test";
import { FinalFailure, type Handler, NOT_DONE, type Task, fingerprint } from "hapax";
import { ApprovalDenied, guard } from "hapax/agents";
import { FailureKind } from "hapax/v1/common";
import { PartState } from "hapax/v1/run";
import { type Calls, type Scene, json, workOn } from "./fake.js";

interface Payment {
  readonly to: string;
  readonly cents: number;
}

const ADA = { to: "ada", cents: 30 };
const BOB = { to: "bob", cents: 30 };
const digits = (value: unknown): string => Buffer.from(fingerprint(value)).toString("hex").slice(0, 16);
const payload = (value: unknown) => ({ content: { case: "json", value: JSON.stringify(value) } }) as const;
const recorded = (name: string, value: unknown, more = {}) => ({ name, output: payload(value), overlapped: true, ...more });
const decision = (call: unknown, value: unknown) => ({
  signalId: `of-${digits(call)}`,
  type: `approval/${digits(call)}`,
  payload: payload(value),
});
const reports = ({ records }: Calls) => records.flatMap(({ parts }) => parts);
const outputs = (calls: Calls): unknown[] =>
  reports(calls).flatMap(({ name, result }) => (result.case === "output" ? [[name, json(result.value)]] : []));
const output = ({ completed }: Calls): unknown => json(completed[0]?.output);

/** A bank whose payments take a moment, so that calls overlap. */
function bank() {
  const paid: string[] = [];
  const pay = async ({ to, cents }: Payment): Promise<string> => {
    await sleep(5);
    return `${paid.push(to)}: ${cents}`;
  };
  return { paid, pay };
}

test("given the same arguments with other ids of the tool call, then there is one effect and one result (O3)", async (it) => {
  const { paid, pay } = bank();
  const calls = await workOn(it, async (task) => {
    const call = (_toolCallId: string, input: Payment) => guard(task, "pay", pay)(input);
    const together = await Promise.all([call("call-1", ADA), call("call-2", { cents: 30, to: "ada" }), call("call-3", BOB)]);
    return [...together, await call("call-4", ADA)];
  });
  assert.deepEqual(output(calls), ["1: 30", "1: 30", "2: 30", "1: 30"]);
  assert.deepEqual(paid, ["ada", "bob"]);
  const names = [ADA, BOB].map((each) => `tool/pay/${digits(each)}`);
  assert.deepEqual(Object.fromEntries(outputs(calls) as [string, unknown][]), { [names[0]!]: "1: 30", [names[1]!]: "2: 30" });
  assert.equal(reports(calls).filter(({ result }) => result.case === "begin").length, 2);
});

const prints: readonly [string, unknown[], string][] = [
  ["one object, whatever the order of its members", [{ order: "4711", amount: 30 }], "9fab4e9e9c500667"],
  ["no argument, as an empty object", [], "44136fa355b3678a"],
  ["several, as a list", [null, false], "bfe2ad0c42e64c70"],
  ["one list, as a list in a list", [["a"]], digits([["a"]])],
];
for (const [what, args, expected] of prints) {
  test(`given the arguments ${what}, then the part has the fingerprint that other kits compute`, async (it) => {
    const calls = await workOn(it, (task) => guard(task, "pay", (...all: unknown[]) => all.length)(...args));
    assert.deepEqual(outputs(calls), [[`tool/pay/${expected}`, args.length]]);
  });
}

test("given parallel calls that are replayed in another order, then no body runs again, and a new call fits", async (it) => {
  const { paid, pay } = bank();
  const work = (payments: Payment[]): Handler => {
    return (task) => Promise.all(payments.map((each) => guard(task, "pay", pay)(each)));
  };
  const first = await workOn(it, work([ADA, BOB]));
  const known = reports(first).flatMap(({ name, result, overlapped }) =>
    result.case === "output" ? [{ name, output: payload(json(result.value)), overlapped }] : [],
  );
  const eve = { to: "eve", cents: 5 };
  // what is recorded comes after the new call
  const second = await workOn(
    it,
    async (task) => {
      const call = guard(task, "pay", pay);
      return [await call(eve), ...(await Promise.all([call(BOB), call(ADA)])), await task.record("llm", () => "anew")];
    },
    { tasks: [{ recorded: [...known, recorded("llm", "said", { overlapped: false })] }] },
  );
  assert.deepEqual(output(second), ["3: 5", "2: 30", "1: 30", "said"]);
  assert.deepEqual([paid, second.released], [["ada", "bob", "eve"], []]);
});

test("given a tool that may repeat, then its calls are numbered, and run one after the other", async (it) => {
  let [active, most] = [0, 0];
  const roll = async (_sides: number): Promise<void> => {
    most = Math.max(most, ++active);
    await sleep(5);
    active--;
  };
  const calls = await workOn(it, async (task) => {
    const tool = guard(task, "roll", roll, { repeat: true });
    await Promise.all([tool(6), tool(6)]);
    await guard(task, "roll", roll, { repeat: true })(6);
  });
  const name = `tool/roll/${digits([6])}`;
  const names = outputs(calls).map((each) => (each as [string])[0]);
  assert.deepEqual([names, most], [[name, `${name}#2`, `${name}#3`], 1]);
});

test("given a call in doubt, then verify gets its arguments", async (it) => {
  const name = `tool/pay/${digits(ADA)}`;
  const { paid, pay } = bank();
  const asked: unknown[] = [];
  for (const found of ["found", NOT_DONE] as const) {
    const verify = (...all: unknown[]) => (asked.push(...all), found);
    const calls = await workOn(it, async (task) => [await guard(task, "pay", pay, { verify })(ADA)], {
      tasks: [{ openParts: [{ name, state: PartState.BEGUN, attempts: 1 }] }],
      result: ({ result }) =>
        result.case === "failure" ? { case: "failed", value: { attempts: 1, retryAt: {}, retryIn: {}, hold: true } } : undefined,
    });
    const [result] = output(calls) as [string];
    assert.equal(result, found === NOT_DONE ? "1: 30" : "found");
    assert.deepEqual(asked.splice(0), [ADA]);
  }
  assert.deepEqual(paid, ["ada"]);
});

test("given a call with more arguments than the tool takes, then it is refused before anything happens", async (it) => {
  const { paid, pay } = bank();
  const calls = await workOn(it, async (task) => {
    const tool = guard(task, "pay", pay) as (...args: unknown[]) => Promise<unknown>;
    await assert.rejects(tool(ADA, { toolCallId: "call-1" }), { name: "RangeError", message: /takes 1 and got 2.*\(input\) =>/ });
  });
  assert.deepEqual([calls.records, paid], [[], []]);
});

/** Lets an agent ask for the payment to Ada, and returns what the worker called. */
async function approved(it: TestContext, scene: Scene = {}) {
  const { paid, pay } = bank();
  const handler = async (task: Task): Promise<unknown> => {
    try {
      return await guard(task, "pay", pay, { approval: true })(ADA);
    } catch (error) {
      if (!(error instanceof ApprovalDenied)) throw error;
      return [error.failureCode, error.note, error.message];
    }
  };
  const calls = await workOn(it, handler, scene);
  return { calls, paid };
}
const approval = `approval/${digits(ADA)}`;
const shown = { approvals: { [digits(ADA)]: { tool: "pay", arguments: ADA } } };

test("given an approval of other arguments, then the run waits for its own, and its state shows the call (O2)", async (it) => {
  const other = decision({ to: "ada", cents: 9_000 }, { approved: true });
  const { calls, paid } = await approved(it, { tasks: [{ signals: [other, { ...other, type: "approval" }] }] });
  const [suspended] = calls.suspended;
  assert.deepEqual(suspended?.signalFilter?.type, approval);
  assert.deepEqual([json(suspended?.statePatch), calls.records, paid], [shown, [], []]);
});

test("given an approval, then its record removes the call from the state, and then the tool is called once", async (it) => {
  const signal = decision(ADA, { approved: true, note: "fine" });
  const { calls, paid } = await approved(it, { tasks: [{ state: payload(shown), signals: [signal] }] });
  const [record] = calls.records;
  const [part] = record?.parts ?? [];
  assert.deepEqual(
    [part?.name, part?.isWait, part?.overlapped, part?.consumedSignalIds],
    [approval, true, true, [signal.signalId]],
  );
  assert.deepEqual(json(record?.statePatch), { approvals: null });
  assert.deepEqual(outputs(calls).at(-1), [`tool/pay/${digits(ADA)}`, "1: 30"]);
  assert.deepEqual([output(calls), paid], ["1: 30", ["ada"]]);
});

for (const value of [{ approved: false, note: "too much" }, { approved: "true" }, true, null]) {
  test(`given the decision ${JSON.stringify(value)}, then the agent gets ApprovalDenied, also from its record`, async (it) => {
    const note = (value as { note?: string } | null)?.note ?? "";
    const expected = ["APPROVAL_DENIED", note, `the call of pay was not approved${note && ": too much"}`];
    for (const task of [{ signals: [decision(ADA, value)] }, { recorded: [recorded(approval, value, { isWait: true })] }]) {
      const { calls, paid } = await approved(it, { tasks: [task] });
      assert.deepEqual([output(calls), paid], [expected, []]);
    }
  });
}

test("given a denial that the agent does not catch, then the run fails for good with its code", async (it) => {
  const tasks = [{ signals: [decision(ADA, { approved: false })] }];
  const { failed } = await workOn(it, (task) => guard(task, "pay", bank().pay, { approval: true })(ADA), { tasks });
  assert.deepEqual([failed[0]?.kind, failed[0]?.failure?.code], [FailureKind.FINAL, "APPROVAL_DENIED"]);
});

test("given two calls at once and the approval of one, then that one happens, and the run waits for the other", async (it) => {
  const { paid, pay } = bank();
  const work = (task: Task) => Promise.all([BOB, ADA].map((each) => guard(task, "pay", pay, { approval: true })(each)));
  const both = { approvals: Object.fromEntries([ADA, BOB].map((each) => [digits(each), { tool: "pay", arguments: each }])) };
  const first = await workOn(it, work);
  assert.deepEqual(json(first.suspended[0]?.statePatch), both);
  const tasks = [{ state: payload(both), signals: [decision(ADA, { approved: true })] }];
  const second = await workOn(it, work, { tasks });
  assert.deepEqual(json(second.records[0]?.statePatch), { approvals: { [digits(ADA)]: null } });
  assert.equal(second.suspended[0]?.signalFilter?.type, `approval/${digits(BOB)}`);
  assert.deepEqual(paid, ["ada"]);
});

test("given a tool that may repeat, then each call needs an approval of its own", async (it) => {
  const { paid, pay } = bank();
  const work = (task: Task) =>
    Promise.all([ADA, ADA].map((each) => guard(task, "pay", pay, { approval: true, repeat: true })(each)));
  const [approve, tool] = [{ approved: true }, `tool/pay/${digits(ADA)}`];
  const calls = await workOn(it, work, { tasks: [{ signals: [decision(ADA, approve)] }] });
  assert.deepEqual(
    outputs(calls).map((each) => (each as [string])[0]),
    [approval, tool],
  );
  assert.deepEqual([json(calls.suspended[0]?.statePatch), paid], [shown, ["ada"]]);
  const known = [recorded(approval, approve, { isWait: true }), recorded(tool, "1: 30")];
  const later = await workOn(it, work, { tasks: [{ recorded: known }] });
  assert.deepEqual([later.suspended.length, later.records, paid], [1, [], ["ada"]]);
});

const refused: readonly [string, Handler, string][] = [
  ["a name with a slash", (task) => guard(task, "a/b", bank().pay)(ADA), "STEP_NAME_INVALID"],
  [
    "an approval in a branch",
    (task) => task.map("m", [1], { key: (k) => k }, (branch) => guard(branch, "pay", bank().pay, { approval: true })(ADA)),
    "WAIT_IN_BRANCH",
  ],
  [
    "an approval that counts for two tools",
    async (task) => {
      await guard(task, "pay", bank().pay, { approval: true })(ADA);
      await guard(task, "refund", bank().pay, { approval: true })(ADA);
    },
    "APPROVAL_AMBIGUOUS",
  ],
  ["arguments without a JSON", (task) => guard(task, "pay", (_: unknown) => 1)({ at: NaN }), "RESULT_REFUSED"],
  ["a tool that fails for good", (task) => guard(task, "pay", () => Promise.reject(new FinalFailure("DECLINED")))(), "DECLINED"],
];
for (const [what, handler, code] of refused) {
  test(`given ${what}, then the step fails for good`, async (it) => {
    const tasks = [{ recorded: [recorded(approval, { approved: true }, { isWait: true })] }];
    const { failed } = await workOn(it, handler, { tasks });
    assert.deepEqual([failed[0]?.kind, failed[0]?.failure?.code], [FailureKind.FINAL, code]);
  });
}

test("given guarded calls in the branches of a map, then each branch has its own", async (it) => {
  const calls = await workOn(it, (task) =>
    task.map("to", ["a", "b"], { key: (to) => to }, (branch) => guard(branch, "pay", () => 1)()),
  );
  const names = outputs(calls).map((each) => (each as [string])[0]);
  assert.deepEqual(
    names.sort(),
    ["a", "b"].map((to) => `to/${to}/tool/pay/${digits({})}`),
  );
});
