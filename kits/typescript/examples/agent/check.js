/** Runs the agent, kills its worker while a call waits for a person, and checks that each thing happened once. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const program = (...args) => execFileSync(process.execPath, ["dist/agent.js", ...args], { encoding: "utf8" }).trim();
const lines = [];

async function worker() {
  const child = spawn(process.execPath, ["dist/agent.js", "worker"], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => child.kill("SIGKILL"));
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  await once(output, "line");
  return child;
}

async function end(child, signal) {
  child.kill(signal);
  await once(child, "close");
}

for (const [decision, answer, payments] of [
  ["yes", "done: paid invoice-of-ada", 1],
  ["no", "done: the call of pay was not approved: says a person", 0],
]) {
  const first = await worker();
  const run = program("ask", "Pay the invoice of ada.");
  while (program("open", run) === "{}") await sleep(50);
  await end(first, "SIGKILL");
  const second = await worker();
  program("decide", run, decision);
  assert.equal(program("result", run), answer);
  await end(second, "SIGTERM");
  const happened = lines.splice(0).filter((line) => /^(paid|the model)/.test(line));
  assert.deepEqual(
    happened.filter((line) => line.startsWith("the model")),
    [1, 3, 5].map((count) => `the model gets ${count} messages`),
  );
  assert.equal(happened.length, 3 + payments, String(happened));
}
console.log("the agent paid once");
