/** The order of the README: two parts, a wait of 14 days, and an approval. */

import { workflow } from "hapax";

export interface Order {
  readonly number: string;
}

export const order = workflow("order", { queue: "orders" }, async (task, { number }: Order) => {
  const receipt = await task.record("pay", (id) => `receipt of ${number} [${id.split("/")[1]}]`);
  await task.suspend("return period", 14 * 86_400_000);
  const approval = await task.awaitSignal<string>("approved", { timeoutMs: 86_400_000 });
  if (approval === undefined) return "late";
  return task.record("ship", () => `shipped with ${receipt} by ${approval}`);
});
