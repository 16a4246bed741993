/** Clients of several servers, and of none. */

import assert from "node:assert/strict";
import dns from "node:dns";
import { type TestContext, test } from "node:test";
import { type Client, Unavailable, connect } from "hapax";
import { RunService } from "hapax/v1/run_service";
import { PLAIN, fakeServer } from "./fake.js";

/** A server that counts its calls. */
async function counting(
  it: TestContext,
  port = 0,
  host = "127.0.0.1",
): Promise<{ port: number; stop: () => void; calls: number }> {
  const server = { calls: 0, port: 0, stop: () => {} };
  const routes = { getRun: () => (server.calls++, { run: { id: "run_1" } }) };
  return Object.assign(server, await fakeServer(it, ({ service }) => service(RunService, routes), undefined, { port, host }));
}

async function get(client: Client, times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await client.runs.get("run_1");
}

test(
  "given a list of two servers, then calls use them in turn; without one of them, the other one",
  { timeout: 30_000 },
  async (it) => {
    const [first, second] = [await counting(it), await counting(it)];
    const client = connect({ ...PLAIN, server: `127.0.0.1:${first.port}, 127.0.0.1:${second.port}` });
    it.after(() => client.close());
    while (first.calls === 0 || second.calls === 0) await get(client);
    first.calls = second.calls = 0;
    await get(client, 20);
    assert.deepEqual([first.calls, second.calls], [10, 10]);

    first.stop();
    await get(client, 20);
    assert.deepEqual([first.calls, second.calls], [10, 30]);

    const again = await counting(it, first.port);
    while (again.calls === 0) await get(client);
  },
);

test("given a name with two addresses, then calls use them in turn", { timeout: 30_000 }, async (it) => {
  const first = await counting(it);
  const second = await counting(it, first.port, "127.0.0.2");
  const addresses = [first, second].map((_, i) => ({ address: `127.0.0.${i + 1}`, family: 4 }));
  it.mock.method(dns.promises, "lookup", async () => addresses);
  const client = connect({ ...PLAIN, server: `hapax.internal:${first.port}` });
  it.after(() => client.close());
  while (first.calls === 0 || second.calls === 0) await get(client);
  first.calls = second.calls = 0;
  await get(client, 20);
  assert.deepEqual([first.calls, second.calls], [10, 10]);
});

test("given a name, when its address changes, then calls go to the new one", { timeout: 30_000 }, async (it) => {
  const former = await counting(it);
  const next = await counting(it, former.port, "127.0.0.2");
  let address = "127.0.0.1";
  it.mock.method(dns.promises, "lookup", async () => [{ address, family: 4 }]);
  const client = connect({ ...PLAIN, server: `hapax.internal:${former.port}` });
  it.after(() => client.close());
  await get(client);
  address = "127.0.0.2";
  former.stop();
  await get(client);
  assert.equal(next.calls, 1);
});

test("given a list that is malformed, then connect names it", () => {
  for (const server of ["a:1,", "a:1,b", "a:1,::1"]) {
    const message = `server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was ${server})`;
    assert.throws(() => connect({ ...PLAIN, server }), { name: "RangeError", message });
  }
  const options = { ...PLAIN, apiKey: "hpx_secret", server: "localhost:1,a:2" };
  assert.throws(() => connect(options), /not sent to localhost:1,a:2 without TLS/);
});

for (const server of ["127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2", "hapax.invalid:7420"]) {
  test(
    `given no server at ${server}, then a call fails after its timeout, and names the address`,
    { timeout: 20_000 },
    async () => {
      const client = connect({ ...PLAIN, server, callTimeoutMs: 1 });
      const begun = performance.now();
      await assert.rejects(client.runs.get("run_1"), (error: unknown) => {
        assert.ok(error instanceof Unavailable);
        assert.ok(error.message.includes(`the server is ${server}, by HAPAX_SERVER`), error.message);
        return true;
      });
      assert.ok(performance.now() - begun < 8_000);
      client.close();
    },
  );
}

test("given a call timeout that is not positive, then connect refuses it", () => {
  assert.throws(() => connect({ ...PLAIN, callTimeoutMs: 0 }), /callTimeoutMs must be positive \(was 0\)/);
});
