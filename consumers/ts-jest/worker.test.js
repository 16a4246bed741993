const { Rejected, connect, workflow } = require("hapax");
const { startTestServer } = require("hapax/testing");

const client = connect();
afterAll(() => client.close());

test("the first worker of the README greets", async () => {
  const hello = workflow("hello", { queue: "hello" }, async (task) => `hello ${await task.record("choose", () => "world")}`);
  const worker = client.worker(hello);
  await worker.start();
  const greeting = await client.runs.result(await client.runs.start(hello, { idempotencyKey: process.env.KEY }));
  expect(greeting).toBe("hello world");
  await worker.stop();
  process.stdout.write(`${greeting}\n`);
});

describe("on a test server", () => {
  let server;
  beforeAll(async () => (server = await startTestServer()), 120_000); // in a checkout it may have to be built
  afterAll(() => server.close());

  test("a greeting of 14 days is there at once", async () => {
    const hapax = await server.instance();
    const patient = workflow("patient", { queue: "patient" }, async (task) => {
      await task.suspend("patience", 14 * 86_400_000);
      return "hello at last";
    });
    await hapax.client.worker(patient).start();
    const run = await hapax.client.runs.start(patient);
    await hapax.advance("14d");
    expect(await hapax.client.runs.result(run)).toBe("hello at last");
    await hapax.close();
  }, 60_000); // as the server on a busy machine needs
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
