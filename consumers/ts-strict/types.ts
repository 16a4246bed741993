// What the compiler has to accept and to refuse. Nothing here runs.
import { type Hook, type OnceOptions, type Started, type Task, InProgress, connect, workflow } from "hapax";
import { guard } from "hapax/agents";
import { idempotency } from "hapax/express";
import { idempotency as plugin } from "hapax/fastify";
import { complete } from "hapax/sql";
import { fits, runWorkflow, startTestServer } from "hapax/testing";

interface Order {
  readonly cents: number;
}

export async function uses(key: string | undefined, hook: Hook, abort: AbortSignal | undefined): Promise<string> {
  const client = connect({ server: process.env["HAPAX_SERVER"], workspace: undefined });
  const plain = await client.runs.start("order", { idempotencyKey: key, input: { cents: 1 } satisfies Order });
  const id: string = plain.run.id;
  const started: Started = await client.runs.start("order", { hooks: [hook] });
  // @ts-expect-error a start with a hook may be REJECTED
  started.run.id;
  if (started.disposition === "REJECTED") return started.owner;
  const cents: number = (await client.runs.result<Order>(started.run.id, { abort })).cents;
  const options: OnceOptions = { account: key, abort, leaseMs: cents };
  try {
    return await client.once("shop/Charge", key, () => id, options);
  } catch (error) {
    if (error instanceof InProgress) return String(error.retryAfterMs);
    // @ts-expect-error the class decides which members there are
    return error.retryAfterMs;
  }
}

export async function step(task: Task): Promise<number> {
  const { cents } = task.input<Order>();
  // @ts-expect-error without a type the input is unknown
  task.input().cents;
  const approval: Order = await task.awaitSignal<Order>("approval");
  const late: Order | undefined = await task.awaitSignal<Order>("late", { timeoutMs: 1_000 });
  // @ts-expect-error a wait with a timeout may have no signal
  const never: Order = await task.awaitSignal<Order>("never", { timeoutMs: 1_000 });
  return cents + approval.cents + (late?.cents ?? 0) + never.cents + (task.previousOutput<Order | undefined>()?.cents ?? 0);
}

const order = workflow("order", { queue: "orders", version: undefined }, async (task, input: Order) => {
  const pay = guard(task, "pay", (call: Order) => call.cents, { approval: true });
  // @ts-expect-error a guarded tool has the arguments of its function
  await pay("30");
  return String(await pay(input));
});
const ping = workflow("ping", { queue: "pings" }, () => 7);

export async function workflows(abort: AbortSignal | undefined): Promise<void> {
  await using server = await startTestServer();
  await using instance = await server.instance({ payloads: undefined });
  const { client } = instance;
  await client.worker([order, ping], { workerId: undefined }).start();
  const run = await client.runs.start(order, { input: { cents: 1 } });
  const paid: string = await client.runs.result(run, { abort });
  // @ts-expect-error the input has a type
  await client.runs.start(order, { input: { euros: 1 } });
  // @ts-expect-error the input is missing
  await client.runs.start(order);
  // @ts-expect-error the output is a number
  const pong: string = await client.runs.result(await client.runs.start(ping));
  const { result, sleptMs } = await runWorkflow(order, { input: { cents: paid.length + pong.length } });
  await fits(order, result);
  await instance.advance(sleptMs);
}


export const entries = [idempotency, plugin, complete];
