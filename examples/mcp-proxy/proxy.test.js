import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const folder = mkdtempSync(join(tmpdir(), "mcp-proxy-"));
const env = { ...process.env, LEDGER: join(folder, "ledger"), HOLD: join(folder, "hold") };
const session = `${Date.now()}-${process.pid}`; // another one in each run of the tests
const clients = [];
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  rmSync(folder, { recursive: true });
});

/** A client of a new proxy. */
async function connect(...options) {
  const client = new Client({ name: "agent", version: "1" });
  const args = ["proxy.js", "--session", session, ...options, "--", process.execPath, "shop.js"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: import.meta.dirname }));
  clients.push(client);
  return client;
}

async function call(client, name, input = {}, key = undefined) {
  const _meta = key && { "hapax.dev/idempotency-key": key };
  const { content, isError } = await client.callTool({ name, arguments: input, _meta }, undefined, { timeout: 120_000 });
  return (isError ? "error: " : "") + content[0].text;
}

const payments = (order) => (existsSync(env.LEDGER) ? readFileSync(env.LEDGER, "utf8").split("\n") : []).filter((line) => line === order).length;

async function until(holds) {
  for (const end = Date.now() + 20_000; !holds(); await setTimeout(10)) assert.ok(Date.now() < end, `not in time: ${holds}`);
}

/** Pays, and lets the connection break after the effect. */
async function payAndBreak(order, breakOff) {
  const client = await connect();
  writeFileSync(env.HOLD, "");
  const paying = call(client, "pay", { order }).catch(() => {}); // the connection breaks
  await until(() => payments(order) === 1);
  const broken = breakOff(client);
  rmSync(env.HOLD);
  await Promise.all([broken, paying]);
}

const kill = async (client) => process.kill(client.transport.pid, "SIGKILL");

test("given a call that is sent again through a new proxy, then it is answered, and pays once", async () => {
  const first = await call(await connect(), "pay", { order: "a" });
  assert.match(first, /^paid a/);
  const client = await connect();
  assert.equal(await call(client, "pay", { order: "a" }), first);
  assert.equal(payments("a"), 1);
  assert.equal(await call(client, "count"), "1");
  await call(client, "pay", { order: "b" });
  assert.equal(await call(client, "count"), "2"); // a tool that only reads is not answered from before
});

test("given an idempotency key, then it decides, whatever the session", async () => {
  const client = await connect();
  const [one, two] = [`${session}-1`, `${session}-2`];
  await call(client, "pay", { order: "c" }, one);
  await call(client, "pay", { order: "c" }, two);
  await call(await connect("--session", "other"), "pay", { order: "c" }, two);
  assert.equal(payments("c"), 2);
  assert.match(await call(client, "pay", { order: "d" }, two), /^error: .*another input/);
  assert.equal(payments("d"), 0);
});

test("given an agent that goes away after the effect, then the call is recorded, and pays once", async () => {
  await payAndBreak("e", (client) => client.close());
  assert.match(await call(await connect(), "pay", { order: "e" }), /^paid e/);
  assert.equal(payments("e"), 1);
});

test("given a proxy that is killed after the effect, then the tool that verifies answers, and it pays once", async () => {
  await payAndBreak("f", kill);
  const client = await connect("--verify", "pay=find_payment");
  assert.equal(await call(client, "pay", { order: "f" }), "found f");
  assert.equal(await call(client, "pay", { order: "f" }), "found f");
  assert.equal(payments("f"), 1);
});

test("given a proxy that is killed, and no effect, then the call is repeated", async () => {
  await payAndBreak("g", kill);
  writeFileSync(env.LEDGER, readFileSync(env.LEDGER, "utf8").replace("g\n", ""));
  assert.match(await call(await connect("--verify", "pay=find_payment"), "pay", { order: "g" }), /^paid g/);
  assert.equal(payments("g"), 1);
});

test("given a proxy that is killed, and no tool that verifies, then an operator must decide", async () => {
  await payAndBreak("h", kill);
  assert.match(await call(await connect(), "pay", { order: "h" }), /^error: an earlier attempt may have taken effect/);
  assert.equal(payments("h"), 1);
});

test("given a tool that reports an error, then the next call is tried", async () => {
  const client = await connect();
  for (let i = 0; i < 2; i++) assert.equal(await call(client, "pay", { order: "declined" }), "error: the card was declined");
});

test("given a window that is over, then the same call is a new one", async () => {
  const client = await connect("--window", "5");
  await call(client, "pay", { order: "i" });
  await call(client, "pay", { order: "i" });
  assert.equal(payments("i"), 1);
  for (const end = Date.now() + 20_000; payments("i") === 1; await setTimeout(100)) {
    assert.ok(Date.now() < end, "the window does not end");
    await call(client, "pay", { order: "i" });
  }
});
