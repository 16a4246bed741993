/** The branches of a `map`. */

import { FinalFailure } from "./errors.js";
import { nameProblem } from "./values.js";

/** How a `map` runs. */
export interface MapOptions<I> {
  /** Names the branch of an item: not empty, unique, without `/`, and the same in each execution. */
  readonly key: (item: I) => string | number;
  /** How many branches run at once; 10 unless given. */
  readonly concurrency?: number | undefined;
  /** Whether a failure stops no branch, and the outcomes of all are returned. */
  readonly settled?: boolean | undefined;
}

export interface Branch<I> {
  readonly key: string;
  readonly item: I;
}

/** Returns the branches of a map with this name. Throws if two have one key, or a key is no part of a name. */
export function branchesOf<I>(name: string, items: Iterable<I>, keyOf: (item: I) => string | number): Branch<I>[] {
  const keys = new Set<string>();
  return Array.from(items, (item) => {
    const key = String(keyOf(item));
    if (key === "" || key.includes("/") || keys.has(key) || nameProblem("key", key) !== undefined) {
      const rule = `each item of map ${name} needs a name of its own as its key, which is not empty and has no \`/\``;
      throw new FinalFailure("MAP_KEY_INVALID", `${rule} (was ${JSON.stringify(key)})`);
    }
    keys.add(key);
    return { key, item };
  });
}

/** Runs branches, so many at once, and begins no other once it is stopped. A branch that was not begun has no outcome. */
export async function outcomesOf<I, T>(
  branches: readonly Branch<I>[],
  { concurrency = 10, settled = false }: MapOptions<I>,
  isStopped: () => boolean,
  work: (branch: Branch<I>) => T | Promise<T>,
): Promise<(PromiseSettledResult<T> | undefined)[]> {
  if (!(concurrency >= 1)) throw new RangeError(`the concurrency of a map must be at least 1 (was ${concurrency})`);
  const outcomes: (PromiseSettledResult<T> | undefined)[] = branches.map(() => undefined);
  const waiting = branches.entries();
  let hasFailed = false;
  const run = async (): Promise<void> => {
    while (!isStopped() && (settled || !hasFailed)) {
      const next = waiting.next();
      if (next.done) return;
      const [index, branch] = next.value;
      const [outcome] = await Promise.allSettled([(async () => work(branch))()]);
      outcomes[index] = outcome;
      hasFailed ||= outcome.status === "rejected";
    }
  };
  await Promise.all(branches.slice(0, concurrency).map(run));
  return outcomes;
}
