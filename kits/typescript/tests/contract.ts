/** The contract program of the TypeScript kit: see kits/contract/README.md. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createInterface } from "node:readline";
import { ROOT_CONTEXT, context, propagation } from "@opentelemetry/api";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import express from "express";
import fastify from "fastify";
import pg from "pg";
import * as hapax from "hapax";
import * as sql from "hapax/sql";
import { idempotency as expressIdempotency } from "hapax/express";
import { idempotency as fastifyIdempotency } from "hapax/fastify";
import { CallError } from "hapax/errors";
import { checkedKey, checkedName, checkedPartName } from "hapax/values";

interface Fields {
  readonly [name: string]: any;
}
type Part = Fields;
type Held = hapax.Claim | hapax.Task;

new NodeTracerProvider().register();
const workspace = process.env["CONTRACT_WORKSPACE"] ?? "";
const client = hapax.connect({ workspace });
const ledger = process.env["CONTRACT_LEDGER"] ?? "";
const latches = new Set<string>();
const loops: hapax.Loop[] = [];

function say(line: Fields): void {
  process.stdout.write(`${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value))}\n`);
}

/** Does the parts of a work. */
class Work {
  constructor(
    private readonly held: Held,
    private readonly id: string,
    begins: Fields | undefined,
  ) {
    if (begins !== undefined) this.event("begins", begins);
  }

  event(event: string, more: Fields = {}): void {
    say({ event, id: this.id, fence: this.held.fence, ...more });
  }

  async run(parts: readonly Part[], id = this.id): Promise<unknown> {
    for (const part of parts) {
      if ("return" in part) return part["return"];
      await this.do(part, id);
    }
    return undefined;
  }

  private get task(): hapax.Task {
    return this.held as hapax.Task;
  }

  private async do(part: Part, id: string): Promise<void> {
    if ("effect" in part) {
      appendFileSync(ledger, `${part["effect"]} ${this.held.fence} ${id}\n`);
    } else if ("hold" in part) {
      await this.hold(part["hold"]);
    } else if ("record" in part) {
      const value = await this.task.record(part["record"], (partId) => this.run(part["work"], partId), this.options(part));
      this.event("recorded", { name: part["record"], value });
    } else if ("map" in part) {
      this.event("mapped", { name: part["map"], value: await this.map(part, id) });
    } else if ("patched" in part) {
      const value = await this.task.patched(part["patched"]);
      this.event("patched", { name: part["patched"], value });
      await this.run(part[value ? "work" : "else"] ?? [], id);
    } else if ("caught" in part) {
      await this.run(part["caught"], id).catch((error: unknown) => {
        if (!(error instanceof hapax.PartFailed)) throw error;
        this.event("part_failed", { part: error.part, code: error.failureCode, attempts: error.attempts });
      });
    } else if ("beside" in part) {
      void this.run(part["beside"], id).catch((error: Error) => this.event("beside_failed", { message: error.message }));
    } else if ("suspend" in part) {
      await this.task.suspend(part["suspend"], part["ms"]);
    } else if ("await_signal" in part) {
      const value = await this.task.awaitSignal(part["await_signal"], { timeoutMs: part["timeout_ms"] });
      this.event("signal", { name: part["await_signal"], value: value ?? null });
    } else if ("complete_in_sql" in part) {
      await this.completeInSql(part, id);
    } else if ("patch" in part) {
      this.task.patchState(part["patch"]);
    } else if ("set_state" in part) {
      await this.task.setState(part["set_state"]);
    } else if ("fail_times" in part) {
      const file = `${ledger}.fails`;
      const failures = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      if (failures.filter((line) => line === id).length >= part["fail_times"]) return;
      appendFileSync(file, `${id}\n`);
      throw failure(part);
    } else if ("fail" in part) {
      throw failure(part);
    }
  }

  /** The options of a record, as the kit names them. */
  private options({ retry, timeout_ms, at_most_once, verify }: Part): hapax.RecordOptions {
    const found = async (id: string): Promise<unknown> =>
      "not_done" in (verify[0] ?? {}) ? hapax.NOT_DONE : ((await this.run(verify, id)) ?? null);
    return {
      timeoutMs: timeout_ms,
      atMostOnce: at_most_once,
      verify: verify && found,
      retry: retry && {
        maxAttempts: retry["max_attempts"],
        initialMs: retry["initial_ms"],
        maxMs: retry["max_ms"],
        factor: retry["factor"],
        nonRetryable: retry["non_retryable"],
        retryOnly: retry["retry_only"],
        giveUpAfterMs: retry["give_up_after_ms"],
      },
    };
  }

  private async map({ map, keys, work, concurrency, settled }: Part, id: string): Promise<unknown[]> {
    const options = { key: (key: string) => key, concurrency };
    const branch = (task: hapax.Task): Promise<unknown> => new Work(task, this.id, undefined).run(work, id);
    if (!settled) return (await this.task.map(map, keys as string[], options, branch)).map((value) => value ?? null);
    const outcomes = await this.task.map(map, keys as string[], { ...options, settled: true }, branch);
    return outcomes.map((outcome) => {
      if (outcome.status === "fulfilled") return { value: outcome.value ?? null };
      const { reason } = outcome;
      return { error: reason instanceof hapax.PartFailed ? reason.failureCode : String(reason) };
    });
  }

  private async completeInSql(part: Part, id: string): Promise<void> {
    const database = await beginTransaction();
    await database.query("INSERT INTO contract_effect (id, fence) VALUES ($1, $2)", [id, this.held.fence]);
    await sql.complete(database, this.held, part["complete_in_sql"], { workspace });
    if ("hold" in part) await this.hold(part["hold"]);
    await database.query(part["end"]);
    await database.end();
  }

  private async hold(latch: string): Promise<void> {
    this.event("holds", { latch });
    const { lost } = this.held;
    lost.addEventListener("abort", () => this.event("lost"), { once: true });
    while (!latches.has(latch)) await sleep(20);
  }
}

function failure({ fail = "retryable", code = "FAILED", retry_after_ms }: Part): Error {
  const text = "as the work says";
  if (fail === "final") return new hapax.FinalFailure(code, text);
  if (fail === "unknown_effect") return new hapax.UnknownEffect(code, text);
  return new hapax.RetryableFailure(code, text, { retryAfterMs: retry_after_ms });
}

async function beginTransaction(): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: process.env["CONTRACT_DATABASE"] });
  await database.connect();
  await database.query("BEGIN");
  return database;
}

async function startInSql({ definition, input }: Fields): Promise<string> {
  const database = await beginTransaction();
  const id = await sql.startRun(database, definition, input, { workspace });
  await database.query("COMMIT");
  await database.end();
  return id;
}

function vectors({ file }: Fields): unknown[] {
  const { function: name, vectors } = JSON.parse(readFileSync(file, "utf8"));
  const functions: Fields = {
    fingerprint,
    name: isName,
    part_name: isPartName,
    header_key: isHeaderKey,
    server: isServer,
    pause,
    error: kindOf,
  };
  return vectors.map(functions[name]);
}

function fingerprint(vector: Fields): string | null {
  try {
    const input =
      "base64" in vector ? Buffer.from(vector["base64"], "base64") : "json" in vector ? JSON.parse(vector["json"]) : undefined;
    return Buffer.from(hapax.fingerprint(input)).toString("hex");
  } catch {
    return null;
  }
}

function isName({ text }: Fields): boolean {
  try {
    return checkedName("text", text) === text;
  } catch {
    return false;
  }
}

function isPartName({ name }: Fields): boolean {
  try {
    return checkedPartName(name) === name;
  } catch {
    return false;
  }
}

function isServer({ server }: Fields): boolean {
  try {
    hapax.connect({ server }).close();
    return true;
  } catch {
    return false;
  }
}

function isHeaderKey({ base64 }: Fields): boolean {
  try {
    return checkedKey(Buffer.from(base64, "base64").toString("latin1")) !== "";
  } catch {
    return false;
  }
}

function callError({ code, reason, advised_ms }: Fields): CallError {
  return new CallError(code, "", reason ?? "", advised_ms ?? undefined);
}

function pause(vector: Fields): number | null {
  return callError(vector).pauseMs(vector["retry"], vector["holder"]) ?? null;
}

function kindOf(vector: Fields): string {
  return callError(vector).exception().kind;
}

function once({ operation, request_id, input, account, lease_ms, wait_ms, work }: Fields): Promise<unknown> {
  const options = { input, account, leaseMs: lease_ms, waitMs: wait_ms };
  return client.once(operation, request_id, (claim) => new Work(claim, request_id, {}).run(work), options);
}

function signal({ type, payload, signal_id }: Fields): hapax.Signal {
  return { type, payload, signalId: signal_id };
}

async function start(command: Fields): Promise<unknown> {
  const { definition, idempotency_key, input, hook, on_key_mismatch, traceparent, span, wait_ms } = command;
  const hooks = hook && [
    {
      token: hook.token,
      name: hook.name,
      onConflict: hook.on_conflict,
      expectedOwner: hook.expected_owner,
      retentionMs: hook.retention_ms,
      queueLimit: hook.queue_limit,
      queueFull: hook.queue_full,
    },
  ];
  const options = {
    idempotencyKey: idempotency_key,
    input,
    hooks,
    signal: command["signal"] && signal(command["signal"]),
    onKeyMismatch: on_key_mismatch,
    traceparent,
    waitMs: wait_ms,
  };
  const caller = propagation.extract(ROOT_CONTEXT, span ? { traceparent: span } : {});
  const started = await context.with(caller, () => client.runs.start(definition, options));
  const { run, disposition, owner } = started;
  const line = run && { runs_ahead: started.runsAhead, superseded: started.supersededRunIds };
  return { run_id: run?.id ?? null, output: run?.output ?? null, disposition, owner: owner || null, ...line };
}

function act({ lifecycle, entity_id, step, requester, lease_ms, wait_ms, work }: Fields): Promise<unknown> {
  const action = (claim: hapax.Claim): Promise<unknown> => new Work(claim, entity_id, {}).run(work);
  return client.entities.act(lifecycle, entity_id, step, requester, action, { leaseMs: lease_ms, waitMs: wait_ms });
}

function work({ queue, definition, steps, concurrency, on_code_change }: Fields): string {
  const handlers = Object.entries(steps).map(([name, parts]): [string, hapax.Handler] => [
    `${definition}/${name}`,
    async (task) => {
      const carrier: Fields = {};
      propagation.inject(context.active(), carrier);
      const { attempt, traceparent } = task;
      const work = new Work(task, task.stepId, { attempt, traceparent, span: carrier["traceparent"] });
      return await work.run(parts as Part[]).finally(() => work.event("ends"));
    },
  ]);
  loops.push(client.worker(queue, Object.fromEntries(handlers), { concurrency, onCodeChange: on_code_change }));
  loops.at(-1)?.start();
  return "started";
}

async function workflow({ definition, queue, limits, work }: Fields): Promise<string> {
  const options = {
    queue,
    limits: limits.map(({ max_running, ...limit }: Fields) => ({ ...limit, maxRunning: max_running })),
  };
  const main = hapax.workflow(definition, options, (task) => new Work(task, task.stepId, {}).run(work));
  const loop = client.worker(main);
  loops.push(loop);
  await loop.start();
  return "started";
}

async function listLimits({ name }: Fields): Promise<unknown> {
  const states = await client.limits.list(name);
  return states.map(({ key, maxRunning, running, waiting }) => ({ key, max_running: maxRunning, running, waiting }));
}

function janitor({ module }: Fields): string {
  const check = ({ lostFence }: hapax.Recovery): hapax.Verdict => {
    const fences = readFileSync(ledger, "utf8").split("\n");
    return fences.some((line) => line.split(" ")[1] === String(lostFence)) ? "COMPLETE" : "REVERT";
  };
  loops.push(client.janitor(module, check));
  loops.at(-1)?.start();
  return "started";
}

async function serve({ work }: Fields): Promise<unknown> {
  const status = work.find((part: Part) => "status" in part)?.status ?? 201;
  const pay = async (key: unknown): Promise<Buffer> => {
    const value = await new Work(hapax.Claim.untracked(), String(key), {}).run(work);
    return Buffer.from(JSON.stringify(value ?? null));
  };
  const required = { required: true };

  const app = express();
  app.use(express.raw({ type: () => true }), expressIdempotency(client, required));
  app.post("/pay", async (request, response) => {
    const body = await pay(request.headers["idempotency-key"]);
    response.status(status).setHeader("Content-Type", "application/json").end(body);
  });
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  const other = fastify();
  other.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  await other.register(fastifyIdempotency(client, required));
  other.post("/pay", async (request, reply) => {
    const body = await pay(request.headers["idempotency-key"]);
    return reply.code(status).header("Content-Type", "application/json").send(body);
  });
  await other.listen({ port: 0, host: "127.0.0.1" });

  return { express: (server.address() as AddressInfo).port, fastify: (other.server.address() as AddressInfo).port };
}

function open({ latch }: Fields): string {
  latches.add(latch);
  return "opened";
}

const commands: Record<string, (command: Fields) => unknown> = {
  vectors,
  once,
  start,
  start_in_sql: startInSql,
  result: (it) => client.runs.result(it["run_id"], { atMostMs: it["at_most_ms"] }),
  cancel: async (it) => (await client.runs.cancel(it["run_id"])).status,
  signal_run: (it) => client.runs.signal(it["run_id"], signal(it)),
  signal_hook: (it) => client.hooks.signal(it["token"], signal(it)),
  create_hook: async (it) => {
    const answer = await client.hooks.create(it["run_id"], { token: it["token"] });
    return answer.isOwner ? null : answer.owner;
  },
  hook_owner: (it) => client.hooks.get(it["token"]),
  create_entity: (it) => client.entities.create(it["lifecycle"], it["entity_id"], it["status"]),
  act,
  work,
  workflow,
  set_limit: (it) => client.limits.set(it["name"], { key: it["key"], maxRunning: it["max_running"] }),
  remove_limit: (it) => client.limits.remove(it["name"], { key: it["key"] }),
  list_limits: listLimits,
  janitor,
  serve,
  open,
};

async function answer({ id, do: name, ...fields }: Fields): Promise<void> {
  try {
    say({ id, value: (await commands[name]?.(fields)) ?? null });
  } catch (error) {
    const isKnown = error instanceof hapax.HapaxError;
    say({ id, error: { kind: isKnown ? error.kind : "Defect", reason: isKnown ? error.reason : "", message: String(error) } });
  }
}

process.on("SIGTERM", async () => {
  const drained = loops.map((loop) => loop.stop());
  say({ event: "stopping" });
  await Promise.all(drained);
  process.exit(0);
});
// standard output is for answers
Object.assign(console, { info: console.error, log: console.error, warn: console.error });
createInterface(process.stdin)
  .on("line", (line) => void answer(JSON.parse(line)))
  .on("close", () => process.exit(0));
