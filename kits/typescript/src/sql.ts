/**
 * Intents and completions in a transaction of yours, in the database of Hapax. See docs/sql.md.
 *
 * The connection is one client of `pg`, or of another driver with `$1` as its placeholder. The functions insert one row, and take
 * effect if the transaction commits.
 */

import type { Claim, ClaimKind } from "./claims.js";
import { Task } from "./tasks.js";

/** What the functions need of a driver: one client that has begun a transaction, not a pool. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Other arguments of a function, by their names in SQL, such as `token`; and the workspace, the default one unless given. */
export interface Arguments {
  readonly workspace?: string;
  readonly [name: string]: string | number | boolean | Date | null | undefined;
}

const FUNCTIONS: Readonly<Record<ClaimKind, string>> = {
  operation: "complete_operation",
  action: "complete_action",
  task: "complete_task",
};

/** Posts the start of a run; returns its id. */
export function startRun(connection: Queryable, definition: string, input: unknown = {}, more: Arguments = {}): Promise<string> {
  return select(connection, "start_run", [definition, json(input)], more);
}

/** Posts a signal to a run; returns a ticket. */
export function signalRun(
  connection: Queryable,
  runId: string,
  type: string,
  payload?: unknown,
  more: Arguments = {},
): Promise<string> {
  return select(connection, "signal_run", [runId, type, json(payload)], more);
}

/** Posts a signal to the owner of a token; returns a ticket. */
export function signalHook(
  connection: Queryable,
  token: string,
  type: string,
  payload?: unknown,
  more: Arguments = {},
): Promise<string> {
  return select(connection, "signal_hook", [token, type, json(payload)], more);
}

/** Posts the cancellation of a run; returns a ticket. */
export function cancelRun(connection: Queryable, runId: string, reason = "", more: Arguments = {}): Promise<string> {
  return select(connection, "cancel_run", [runId, reason], more);
}

/**
 * Completes the work of a claim in the transaction that writes its rows, and returns the value.
 *
 * Call it last, commit, and return from the work. If the COMMIT is in doubt, the kit finds out what became of it. Renewals stop
 * before, because the transaction locks the record.
 */
export async function complete<T>(connection: Queryable, held: Claim | Task, value: T, more: Arguments = {}): Promise<T> {
  const claim = held instanceof Task ? held.claim : held;
  const { renewals, message } = claim;
  if (renewals !== undefined && message !== undefined) {
    await renewals.renewLast(claim);
    await select(connection, FUNCTIONS[renewals.kind], [message.id, String(message.fence), json(value)], more);
    claim.inSql = { value };
  }
  return value;
}

class Json {
  constructor(readonly text: string) {}
}

function json(value: unknown): Json | null {
  return value === undefined ? null : new Json(JSON.stringify(value));
}

async function select(connection: Queryable, name: string, values: readonly unknown[], more: Arguments): Promise<string> {
  const { workspace = "", ...named } = more;
  const all = [workspace, ...values, ...Object.values(named)];
  const names = [...["", ...values].map(() => ""), ...Object.keys(named).map((key) => `${key} => `)];
  const places = all.map((value, index) => `${names[index]}$${index + 1}${value instanceof Json ? "::jsonb" : ""}`);
  const texts = all.map((value) => (value instanceof Json ? value.text : value));
  const { rows } = await connection.query(`SELECT hapax.${name}(${places.join(", ")}) AS id`, texts);
  return String((rows[0] as { id: unknown }).id);
}
