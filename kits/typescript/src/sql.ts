/**
 * Intents and completions in your own transaction, in the database of Hapax. See docs/sql.md.
 *
 * The connection is one client of `pg`, or of another driver with `$1` as its placeholder. The functions insert one row, and take
 * effect if the transaction commits.
 */

import type { Claim } from "./claims.js";
import type { Task } from "./tasks.js";
import { toJson } from "./values.js";

/** What the functions need of a driver: one client that has begun a transaction, not a pool. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Other arguments of a function, by their names in SQL, such as `token`; and the workspace, the default one unless given. */
export interface Arguments {
  readonly workspace?: string | undefined;
  readonly [name: string]: string | number | boolean | Date | null | undefined;
}

/** Posts the start of a run; returns its id. Signals and cancellations are `SELECT hapax.signal_run(…)` and the like. */
export function startRun(connection: Queryable, definition: string, input: unknown = {}, more: Arguments = {}): Promise<string> {
  return select(connection, "start_run($1, $2, $3::jsonb", [definition, json("input", input)], more);
}

/**
 * Completes the work of a claim in the transaction that writes its rows, and returns the value.
 *
 * Call it last, commit, and return from the work. If the COMMIT is in doubt, the kit finds out what became of it. Renewals stop
 * before, because the transaction locks the record. While a body of `record` runs it throws an Error.
 */
export async function complete<T>(connection: Queryable, held: Claim | Task, value: T, more: Arguments = {}): Promise<T> {
  const claim = "claim" in held ? held.claim : held; // not instanceof: it may be of another copy of this package
  const { renewals, message, parts } = claim;
  if (parts > 0) throw new Error(`${parts} durable calls of the task are in progress; complete it after they have ended`);
  if (renewals !== undefined && message !== undefined) {
    await renewals.renewLast(claim);
    const call = `complete_${renewals.kind}($1, $2, $3, $4::jsonb`;
    await select(connection, call, [message.id, String(message.fence), json("value", value)], more);
    claim.inSql = { value };
  }
  return value;
}

function json(place: string, value: unknown): string | null {
  return value === undefined ? null : toJson(place, value);
}

async function select(connection: Queryable, call: string, values: readonly unknown[], more: Arguments): Promise<string> {
  const { workspace = "", ...named } = more;
  const names = Object.keys(named).map((name, index) => `, ${name} => $${values.length + index + 2}`);
  const all = [workspace, ...values, ...Object.values(named)];
  const { rows } = await connection.query(`SELECT hapax.${call}${names.join("")}) AS id`, all);
  return String((rows[0] as { id: unknown }).id);
}
