// The first worker of the README, in a project as `npm init` makes it.
const assert = require("node:assert/strict");
const { ClaimLost, FinalFailure, HapaxError, Rejected, connect, workflow } = require("hapax");
const { guard } = require("hapax/agents");
const { runWorkflow } = require("hapax/testing");

const hello = workflow("hello", { queue: "hello" }, async (task) => {
  const name = await task.record("choose", () => "world");
  return `hello ${name}`;
});

async function main() {
  const client = connect();
  const worker = client.worker(hello);
  await worker.start();
  const run = await client.runs.start(hello, { idempotencyKey: process.env.KEY });
  console.log(await client.runs.result(run));
  await worker.stop();

  const twice = async (task) => [await guard(task, "pay", (order) => order.cents)({ cents: 7 }), await guard(task, "pay", () => 8)({ cents: 7 })];
  assert.deepEqual((await runWorkflow(twice)).result, [7, 7]);

  // the ES modules and the CommonJS of the package are two copies in this process
  const modules = await import("hapax");
  assert.notEqual(modules.HapaxError, HapaxError);
  assert.ok(new modules.ClaimLost("EXPIRED") instanceof ClaimLost);
  const decline = () => {
    throw new modules.FinalFailure("CARD_DECLINED");
  };
  const charge = () => client.once("shop/Charge", process.env.KEY, decline);
  await assert.rejects(charge(), (error) => error instanceof FinalFailure && error instanceof HapaxError);
  await assert.rejects(charge(), (error) => error instanceof Rejected && error instanceof modules.Rejected);
  client.close();
}

void main();
