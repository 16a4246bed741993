/** A worker with an agent: each call of its model may fail, and the model names each payment twice. KitAgentIT kills it. */

import { appendFileSync, readFileSync } from "node:fs";
import { NOT_DONE, RetryableFailure, connect, workflow } from "hapax";
import { guard } from "hapax/agents";

const TURNS = 50;
const ledger = process.env["CONTRACT_LEDGER"] ?? "";

interface Payment {
  readonly order: number;
}

function model(turn: number): {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly input: Payment }[];
} {
  if (Math.random() < 0.15) throw new RetryableFailure("RATE_LIMITED", "429 from the model");
  if (turn === TURNS - 1) return { text: "all is paid", calls: [] };
  return { text: "", calls: [{ id: `call-${turn}`, input: { order: Math.floor(turn / 2) } }] };
}

function pay({ order }: Payment): number {
  appendFileSync(ledger, `pay ${order}\n`);
  return order;
}

function verify({ order }: Payment): number | typeof NOT_DONE {
  return readFileSync(ledger, "utf8").includes(`pay ${order}\n`) ? order : NOT_DONE;
}

const agent = workflow("agent", { queue: "agents", leaseMs: 2_000, retry: { maxAttempts: 20 } }, async (task) => {
  const tool = guard(task, "pay", pay, { verify });
  const retry = { maxAttempts: -1, initialMs: 50, giveUpAfterMs: 3_600_000 };
  for (let turn = 0; ; turn++) {
    const answer = await task.record("llm", () => model(turn), { retry });
    for (const { input } of answer.calls) await tool(input);
    if (answer.calls.length === 0) return answer.text;
  }
});

await connect({ workspace: process.env["CONTRACT_WORKSPACE"] }).worker(agent).run();
