/**
 * An expense that a person approves: a code workflow.
 *
 *   node approval.js worker
 *   node approval.js request EXPENSE CENTS
 *   node approval.js decide EXPENSE yes|no
 *   node approval.js result RUN
 */

import { FinalFailure, connect, workflow } from "hapax";

interface Expense {
  readonly expense: string;
  readonly cents: number;
}

const DAY = 86_400_000;
const client = connect();

// The handler runs again from its beginning after each wait and each crash. What is recorded is not done again.
const approval = workflow("expense", { queue: "expenses", leaseMs: 5_000 }, async (task, { expense, cents }: Expense) => {
  await task.record("ask", (id) => mail(`approve ${expense}, ${cents} cents?`, id));
  // no worker and no memory is used until a person decides
  let decision = await task.awaitSignal<string>("decision", { timeoutMs: 3 * DAY });
  if (decision === undefined) {
    await task.record("remind", (id) => mail(`${expense} still waits for you`, id));
    decision = await task.awaitSignal<string>("late-decision", { type: "decision", timeoutMs: 7 * DAY });
  }
  if (decision === undefined) throw new FinalFailure("NO_DECISION", `no one decided on ${expense} in 10 days`);
  task.patchState({ decision });
  if (decision !== "yes") return { paid: false };
  const receipt = await task.record("pay", (id) => pay(expense, cents, id));
  return { paid: true, receipt };
});

// Stand for a mail server and a bank. Both get the id of the step as their idempotency key: it is the same in each attempt.
function mail(text: string, id: string): void {
  console.log(`mail: ${text} [${id}]`);
}

function pay(expense: string, cents: number, id: string): string {
  console.log(`paid: ${cents} cents for ${expense} [${id}]`);
  return `receipt-of-${expense}`;
}

async function worker(): Promise<void> {
  const loop = client.worker(approval);
  await loop.start();
  console.log("works on the queue expenses");
  await loop.run();
}

// The token makes the run reachable by the name of the expense, and a second request gets the run of the first.
async function request(expense: string, cents: string): Promise<string> {
  const { run, disposition } = await client.runs.start(approval, {
    idempotencyKey: `expense/${expense}/${cents}`,
    input: { expense, cents: Number(cents) },
    hooks: [{ token: `expense/${expense}`, onConflict: "USE_EXISTING", retentionMs: DAY }],
  });
  return `${run?.id} ${disposition}`;
}

// The id of the signal makes a second click of the same person a duplicate.
function decide(expense: string, decision: string): Promise<string> {
  return client.hooks.signal(`expense/${expense}`, { type: "decision", payload: decision, signalId: `decision/${expense}` });
}

async function result(runId: string): Promise<string> {
  return JSON.stringify(await client.runs.result(runId));
}

const [command = "", first = "", second = ""] = process.argv.slice(2);
const commands: Record<string, () => Promise<string | void>> = {
  worker,
  request: () => request(first, second),
  decide: () => decide(first, second),
  result: () => result(first),
};
const answer = await commands[command]?.();
if (answer !== undefined) console.log(answer);
client.close();
