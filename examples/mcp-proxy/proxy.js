#!/usr/bin/env node
// Puts `once` in front of the tools of an MCP server, so that a tool call that is sent again is answered, not repeated.

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { HapaxError, Indeterminate, UnknownEffect, connect, fingerprint } from "hapax";
import { OperationService } from "hapax/v1/operation_service";

const KEY = "hapax.dev/idempotency-key";
const LEASE_MS = 10_000; // after which a retry learns that the proxy of the first call has died
const USAGE = "usage: proxy.js [--session NAME] [--window SECONDS] [--verify TOOL=TOOL]... -- COMMAND [ARGUMENT]...";

function settings() {
  const string = { type: "string" };
  const options = { session: string, window: { ...string, default: "600" }, verify: { ...string, multiple: true, default: [] } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const window = Number(values.window) * 1_000;
  const verify = new Map(values.verify.map((pair) => pair.split("=", 2)));
  if (positionals.length === 0 || !(window > 0) || [...verify.values()].includes(undefined)) throw new Error("a value is missing or wrong");
  return { command: positionals[0], args: positionals.slice(1), session: values.session ?? positionals.join(" "), window, verify };
}

let set;
try {
  set = settings();
} catch (error) {
  console.error(`hapax-mcp-proxy: ${error.message}\n${USAGE}`);
  process.exit(2);
}
const hapax = connect();
const agent = new StdioServerTransport();
const server = new StdioClientTransport({ command: set.command, args: set.args, env: process.env });
const asked = new Map(); // by the id of a request of this proxy, what its answer resolves
const calls = new Set(); // of tools, that have not ended
let readOnly; // a promise of the names of the tools with readOnlyHint

/** The tool call had no effect, by its own report, so it may be repeated. */
class Reported extends Error {
  constructor(answer) {
    super("the tool reported an error");
    this.answer = answer;
  }
}

/** Sends a request to the server, and returns its answer: `result` or `error`. */
function ask(method, params) {
  const id = `hapax-${randomUUID()}`;
  const answer = new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
  server.send({ jsonrpc: "2.0", id, method, params }).catch((error) => asked.get(id)?.reject(error));
  return answer.finally(() => asked.delete(id));
}

async function readOnlyTools() {
  const names = new Set();
  let cursor;
  do {
    const { result, error } = await ask("tools/list", cursor ? { cursor } : {});
    if (error) throw new Error(`the server does not list its tools: ${error.message}`);
    for (const tool of result.tools) if (tool.annotations?.readOnlyHint) names.add(tool.name);
    cursor = result.nextCursor;
  } while (cursor);
  return names;
}

/** Answers a tool call with its own result, or with that of the same call before. */
async function call(params) {
  const { name, arguments: input = {}, _meta } = params;
  readOnly ??= readOnlyTools().catch((error) => {
    readOnly = undefined; // the next call asks again
    throw error;
  });
  if ((await readOnly).has(name)) return ask("tools/call", params);
  const operation = `mcp/${name}`;
  const key = _meta?.[KEY];
  const requestId = key ?? Buffer.from(fingerprint([set.session, name, input])).toString("hex");
  const options = { input, onStale: "HOLD", leaseMs: LEASE_MS, waitMs: 30_000, ttlMs: key ? undefined : set.window };
  const work = async () => {
    const answer = await ask("tools/call", params);
    if (answer.error || answer.result.isError) throw new Reported(answer);
    return answer.result;
  };
  const once = async () => ({ result: await hapax.once(operation, requestId, work, options) });
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof Indeterminate) || !set.verify.has(name)) throw error;
  }
  const { result } = await ask("tools/call", { name: set.verify.get(name), arguments: input });
  const isFound = result && !result.isError && result.content?.length > 0;
  const json = { content: { case: "json", value: JSON.stringify(result) } };
  await hapax.call(OperationService.method.resolveOperation, {
    key: { operation, requestId },
    requestId: randomUUID(),
    reason: `${set.verify.get(name)} ${isFound ? "found the effect" : "found no effect"}`,
    actor: "hapax-mcp-proxy",
    resolution: isFound ? { case: "complete", value: { result: json } } : { case: "release", value: {} },
  });
  return once();
}

/** What the model reads if there is no answer of the tool. */
function failed(error) {
  if (error instanceof Reported) return error.answer;
  const text = error instanceof HapaxError ? error.message : `the tool could not be called: ${error.message}`;
  return { result: { content: [{ type: "text", text }], isError: true } };
}

agent.onmessage = (message) => {
  if (message.method !== "tools/call") return void server.send(message);
  const ended = call(message.params)
    .catch(failed)
    .then((answer) => agent.send({ ...answer, jsonrpc: "2.0", id: message.id }))
    .finally(() => calls.delete(ended));
  calls.add(ended);
};
server.onmessage = (message) => {
  if (message.method === "notifications/tools/list_changed") readOnly = undefined;
  const own = message.method === undefined && asked.get(message.id);
  if (own) own.resolve(message);
  else agent.send(message);
};
server.onclose = () => {
  for (const { reject } of asked.values()) reject(new UnknownEffect("SERVER_ENDED", "the MCP server ended before its answer"));
  end();
};

/** Ends after the calls that are under way, so that their results are recorded. */
async function end() {
  await Promise.allSettled(calls);
  await server.close();
  process.exit();
}
process.stdin.on("end", end);
process.on("SIGTERM", end);
process.stdout.on("error", () => {}); // the agent has gone, and the calls go on
await server.start();
await agent.start();
