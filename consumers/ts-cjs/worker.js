// The first worker of the README, in a project as `npm init` makes it.
const assert = require("node:assert/strict");
const { ClaimLost, FinalFailure, HapaxError, Rejected, connect } = require("hapax");
const { DefinitionService } = require("hapax/v1/definition_service");

async function main() {
  const client = connect();
  await client.call(DefinitionService.method.registerDefinition, {
    name: "hello",
    version: "1",
    steps: [{ name: "greet", kind: { case: "code", value: { queue: "hello" } } }],
  });
  const worker = client.worker("hello", {
    greet: async (task) => {
      const name = await task.record("choose", () => "world");
      return `hello ${name}`;
    },
  });
  worker.start();
  const { run } = await client.runs.start("hello", { idempotencyKey: process.env.KEY });
  console.log(await client.runs.result(run.id));
  await worker.stop();

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
