const { Rejected, connect } = require("hapax");
const { DefinitionService } = require("hapax/v1/definition_service");

const client = connect();
afterAll(() => client.close());

test("the first worker of the README greets", async () => {
  await client.call(DefinitionService.method.registerDefinition, {
    name: "hello",
    version: "1",
    steps: [{ name: "greet", kind: { case: "code", value: { queue: "hello" } } }],
  });
  const worker = client.worker("hello", {
    greet: async (task) => `hello ${await task.record("choose", () => "world")}`,
  });
  worker.start();
  const { run } = await client.runs.start("hello", { idempotencyKey: process.env.KEY });
  const greeting = await client.runs.result(run.id);
  expect(greeting).toBe("hello world");
  await worker.stop();
  process.stdout.write(`${greeting}\n`);
});

test("an operation runs once, and its failure has its class", async () => {
  const work = jest.fn(() => ({ receipt: 7 }));
  const charge = () => client.once("shop/Charge", process.env.KEY, work, { input: { cents: 3000 } });
  expect(await charge()).toEqual({ receipt: 7 });
  expect(await charge()).toEqual({ receipt: 7 });
  expect(work).toHaveBeenCalledTimes(1);
  const { FinalFailure } = require("hapax/errors");
  const decline = () => client.once("shop/Decline", process.env.KEY, () => Promise.reject(new FinalFailure("DECLINED")));
  await expect(decline()).rejects.toBeInstanceOf(FinalFailure);
  await expect(decline()).rejects.toBeInstanceOf(Rejected);
});
