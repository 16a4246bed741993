/** Limits: how many runs may be at the steps that name one, for each value of its key. */

import type { Connection } from "./connection.js";
import { type LimitState, LimitService } from "./gen/hapax/v1/limit_service_pb.js";
import { checkedName, duration } from "./values.js";

const { setLimit, listLimits } = LimitService.method;

type Change = ReturnType<typeof numbers> | { readonly remove: true };

/**
 * A limit of the steps that name it: a run that reaches one of them waits in line until there is room.
 *
 * Or a limit of the definitions that name it: a run waits before it starts, and counts until its end.
 */
export interface Limit {
  /** All steps of the workspace that name it share it, and so do all definitions; these are two limits. */
  readonly name: string;
  /** A JSON pointer into the input of the run, such as `/tenant`: each value has a number and a line of its own. */
  readonly input?: string | undefined;
  /** A label of the run, instead of `input`. Without both, and without a value, runs share one number. */
  readonly label?: string | undefined;
  /** How many runs of each value may be in the queue or held, or have started; 1 to 1,000. Any number, unless given. */
  readonly maxRunning?: number | undefined;
  /** How many runs of each value enter the queue, or start, in each `perMs`, evenly; 1 to 10,000. Any number, unless given. */
  readonly maxStarts?: number | undefined;
  /** The time for `maxStarts`: 1 s to 24 h. */
  readonly perMs?: number | undefined;
}

/** What is set for a limit. */
export interface LimitChange {
  /** The value of the limit's key; all values without a number of their own unless given. */
  readonly key?: string | undefined;
  /** Whether it is the limit of definitions of this name, not that of steps. */
  readonly ofDefinitions?: boolean | undefined;
  /** How many runs may be in the queue or held, 1 to 1,000; that of the definitions unless given. */
  readonly maxRunning?: number | undefined;
  /** How many runs enter the queue in each `perMs`, 1 to 10,000; that of the definitions unless given. */
  readonly maxStarts?: number | undefined;
  /** The time for `maxStarts`: 1 s to 24 h. */
  readonly perMs?: number | undefined;
  /** Is stored with the change. */
  readonly reason?: string | undefined;
}

function numbers({ maxRunning = 0, maxStarts = 0, perMs }: Pick<Limit, "maxRunning" | "maxStarts" | "perMs">) {
  return { maxRunning, maxStarts, per: duration(perMs) };
}

export function limitFields({ name, input, label, ...limit }: Limit) {
  const value = input ?? label;
  const key = value === undefined ? undefined : ({ case: input === undefined ? "label" : "input", value } as const);
  return { name: checkedName("name", name), ...numbers(limit), ...(key && { key }) };
}

/** Changes and shows the limits of steps and definitions. */
export class Limits {
  /** @internal */
  constructor(private readonly connection: Connection) {}

  /**
   * Sets the numbers of a limit at once, before those of all definitions; returns false if it was set so before.
   *
   * Runs that were admitted stay so: after a lower number, others wait until fewer run.
   */
  set(name: string, change: LimitChange): Promise<boolean> {
    return this.change(name, change, numbers(change));
  }

  /** Removes what `set` set: that of the whole limit holds again, or those of the definitions; returns false if there was none. */
  remove(name: string, which: Pick<LimitChange, "key" | "ofDefinitions" | "reason"> = {}): Promise<boolean> {
    return this.change(name, which, { remove: true });
  }

  private async change(name: string, which: LimitChange, change: Change): Promise<boolean> {
    const { key = "", reason = "", ofDefinitions = false } = which;
    const request = { name: checkedName("name", name), key: checkedName("key", key), reason, ofDefinitions, ...change };
    return !(await this.connection.call(setLimit, request)).response.already;
  }

  /** Returns the values that runs have reached in the last week, or that are set; of all limits unless the name is given. */
  async list(name = ""): Promise<LimitState[]> {
    const states: LimitState[] = [];
    for (let pageToken = ""; ;) {
      const request = { name: checkedName("name", name), pageSize: 500, pageToken };
      const { response } = await this.connection.call(listLimits, request);
      states.push(...response.limits);
      pageToken = response.nextPageToken;
      if (pageToken === "") return states;
    }
  }
}
