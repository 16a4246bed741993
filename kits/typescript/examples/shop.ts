/** The shop of docs/tutorial.md: node shop.js charge|worker|order|send|janitor ARGUMENT... */

import { mkdirSync, writeFileSync } from "node:fs";
import { HapaxError, type Recovery, type Task, type Verdict, WrongStatus, connect } from "hapax";

const client = connect();

// 1. An operation: charges the card once for each request id, and replays the receipt to duplicates.
function charge(requestId: string, amount: number): Promise<{ charged: number }> {
  const work = () => {
    console.log(`the card is charged ${amount} EUR`);
    return { charged: amount };
  };
  return client.once("shop.v1.Shop/Charge", requestId, work, { input: amount, waitMs: 5_000 });
}

// 2. A run: a worker does the steps of orders. The id of a step is the same on every attempt.
function worker(): Promise<void> {
  console.log("works on the queue shop");
  const steps = {
    charge: (task: Task) => charge(task.stepId, task.input<number>()),
    ship: () => ({ shipped: true }),
  };
  return client.worker("shop", steps).run();
}

// 3. A hook: one run owns the token of the order. Every trigger of the order gets the result of that run.
async function order(id: string, amount: number, trigger: string): Promise<string> {
  const { run } = await client.runs.start("shop-order", {
    idempotencyKey: trigger,
    input: amount,
    hooks: [{ token: `order/${id}`, retentionMs: 3_600_000, onConflict: "USE_EXISTING" }],
  });
  if (run === undefined) throw new Error(`order ${id} was not started`);
  return `${run.id} ${JSON.stringify(await client.runs.result(run.id))}`;
}

// 4. A claim: one caller at a time sends an invoice.
async function send(id: string): Promise<string> {
  await client.entities.create("shop-invoice", id, "draft");
  try {
    await client.entities.act(
      "shop-invoice",
      id,
      "send",
      "billing",
      (claim) => {
        if (!post(id, claim.fence, "invoice")) throw new Error("the janitor has ended this attempt");
        if (process.env["CRASH"]) process.exit(1); // as if the machine failed after the mail, and before the completion
      },
      { leaseMs: 10_000 },
    );
    return "sent";
  } catch (error) {
    if (error instanceof WrongStatus) return error.status;
    // such as another holder, or one that is lost and waits for its recovery
    if (error instanceof HapaxError) return error.message;
    throw error;
  }
}

// Stands for a mail server that accepts one message for each invoice and fence.
function post(id: string, fence: bigint, content: string): boolean {
  const outbox = process.env["OUTBOX"] ?? "outbox";
  mkdirSync(outbox, { recursive: true });
  try {
    writeFileSync(`${outbox}/${id}-${fence}`, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

// Takes the place of the message of a lost holder: if it can, the invoice was not sent, and never will be with that fence.
function janitor(): Promise<void> {
  console.log("recovers invoices");
  const check = ({ entityId, lostFence }: Recovery): Verdict => {
    const verdict = post(entityId, lostFence, "void") ? "REVERT" : "COMPLETE";
    console.log(`${entityId} ${verdict}`);
    return verdict;
  };
  return client.janitor("shop", check).run();
}

const [command = "", id = "", amount = "", trigger = ""] = process.argv.slice(2);
const commands: Record<string, () => unknown> = {
  charge: async () => JSON.stringify(await charge(id, Number(amount))),
  worker,
  order: () => order(id, Number(amount), trigger),
  send: () => send(id),
  janitor,
};
const answer = await commands[command]?.();
if (answer !== undefined) console.log(answer);
client.close();
