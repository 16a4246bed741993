/** The names of parts: those of a handler, and those of each branch of a `map`. */

import { FinalFailure } from "./errors.js";
import { checkedPartName, nameProblem } from "./values.js";

/** One use of a name. Its full name is that of the part. */
export interface Use {
  readonly name: string;
  /** Whether another part of the scope was in progress meanwhile, in this execution or by its record. */
  isOverlapped: boolean;
}

/** The handler of a task, or one branch of a `map`, in which names are counted. */
export class Scope {
  private readonly last = new Map<string, { readonly use: Use; readonly count: number }>();
  private readonly running = new Set<Use>();

  /** `prefix` is empty, or ends in `/`. */
  constructor(readonly prefix: string) {}

  /** Returns the next use of the name, which is in progress until `end`. */
  begin(name: string): Use {
    const { use: before, count = 0 } = this.last.get(checkedPartName(name)) ?? {};
    const use = { name: `${this.prefix}${name}${count > 0 ? `#${count + 1}` : ""}`, isOverlapped: this.running.size > 0 };
    for (const each of this.running) each.isOverlapped = true;
    if (before !== undefined && (use.isOverlapped || before.isOverlapped)) {
      const text = `${before.name} and ${use.name} have one name, and another part ran beside them: their order may differ next time`;
      throw new FinalFailure("STEP_NAME_AMBIGUOUS", `${text}; use map, or different names`);
    }
    const problem = nameProblem("the full name of a part", use.name);
    if (problem !== undefined) throw new FinalFailure("STEP_NAME_INVALID", `${problem}: ${use.name}`);
    this.last.set(name, { use, count: count + 1 });
    this.running.add(use);
    return use;
  }

  end(use: Use): void {
    this.running.delete(use);
  }
}
