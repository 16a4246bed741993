/** Tools of agents: calls that happen once for their arguments, and after an approval where one is needed. */

import { ApprovalDenied, FinalFailure } from "./errors.js";
import type { Execution } from "./executions.js";
import { type NOT_DONE, Part, type RecordOptions } from "./parts.js";
import type { Task } from "./tasks.js";
import { checkedPartName, fingerprint } from "./values.js";

export { ApprovalDenied };

const DIGITS = 16;

/** How a tool is guarded. */
export interface GuardOptions<A extends readonly unknown[], T> {
  /** Whether each call first waits for a person. */
  readonly approval?: boolean | undefined;
  /** Whether the same arguments again are another call. Such calls run one after the other, and are numbered. */
  readonly repeat?: boolean | undefined;
  /** Decides what became of a call in doubt: gets its arguments, and returns its result, or NOT_DONE. */
  readonly verify?: ((...args: A) => T | typeof NOT_DONE | Promise<T | typeof NOT_DONE>) | undefined;
}

/**
 * Returns the function as a tool: a call with the same arguments happens once in a run, and returns the recorded result.
 *
 * The call is a part `tool/NAME/F`, at most once: after a crash in its middle `verify` decides, or an operator settles it. `F` are
 * the first 16 hexadecimal digits of the `fingerprint` of the arguments: of the object if they are one object, or none; otherwise
 * of their list. They must have a JSON. A call with more arguments than `fn` declares throws RangeError, because all of them count:
 * an agent that adds its own needs `(input) => tool(input)`. Calls may run at the same time, and in another order each time.
 *
 * With `approval` a call first waits for the signal `approval/F`, with the payload `{"approved": true, "note": "…"}`. Meanwhile the
 * state of the run has it: `{"approvals": {F: {"tool": NAME, "arguments": …}}}`. An approval of other arguments is not for this
 * call. Any other payload throws ApprovalDenied. Two tools with the same arguments cannot both wait for one: the second fails for
 * good, with `APPROVAL_AMBIGUOUS`. A branch of a `map` cannot wait.
 */
export function guard<A extends readonly unknown[], T>(
  task: Task,
  name: string,
  fn: (...args: A) => T | Promise<T>,
  { approval = false, repeat = false, verify }: GuardOptions<A, T> = {},
): (...args: A) => Promise<T> {
  const prefix = `${task.scope.prefix}tool/${checkedPartName(name)}/`;
  const guarded = Guarded.of(task);
  return async (...args) => {
    if (fn.length > 0 && args.length > fn.length) {
      const text = `tool ${name} takes ${fn.length} and got ${args.length} arguments, which would all count`;
      throw new RangeError(`${text}; call it in a function with its own arguments, such as (input) => ${name}(input)`);
    }
    const [first = {}] = args;
    const isObject = args.length < 2 && typeof first === "object" && first !== null && !Array.isArray(first);
    const call = { tool: name, arguments: isObject ? first : args };
    const digits = Buffer.from(fingerprint(call.arguments)).toString("hex").slice(0, DIGITS);
    const options: RecordOptions<T> = { atMostOnce: true, verify: verify && (() => verify(...args)) };
    return guarded.once(prefix + digits, repeat, (number) =>
      task.durable(async () => {
        if (approval) await guarded.approval(task, call, digits, number);
        // the order of the calls means nothing
        const use = { name: prefix + digits + number, isOverlapped: true };
        return new Part(task, use, () => fn(...args), options).value();
      }),
    ) as Promise<T>;
  };
}

interface Call {
  readonly tool: string;
  readonly arguments: unknown;
}

/** The guarded calls of one execution. */
class Guarded {
  private static readonly all = new WeakMap<Execution, Guarded>();
  private readonly calls = new Map<string, { readonly last: Promise<unknown>; readonly count: number }>();
  private readonly approvals = new Map<string, string>();
  private readonly open: Set<string>;
  private readonly changes: Record<string, Call | null> = {};

  private constructor(task: Task) {
    this.open = new Set(Object.keys(task.state["approvals"] ?? {}));
  }

  static of(task: Task): Guarded {
    const guarded = Guarded.all.get(task.execution) ?? new Guarded(task);
    Guarded.all.set(task.execution, guarded);
    return guarded;
  }

  /** Makes a call unless this execution has made it; a repeat has a number, and waits for the one before. */
  once(key: string, repeat: boolean, call: (number: string) => Promise<unknown>): Promise<unknown> {
    const { last, count = 0 } = this.calls.get(key) ?? {};
    if (last !== undefined && !repeat) return last;
    const made = last === undefined ? call("") : last.catch(() => {}).then(() => call(`#${count + 1}`));
    this.calls.set(key, { last: made, count: count + 1 });
    return made;
  }

  /** Waits for the decision about a call. Throws ApprovalDenied unless it is approved. */
  async approval(task: Task, call: Call, digits: string, number: string): Promise<void> {
    const type = `approval/${digits}`;
    const use = { name: type + number, isOverlapped: true };
    task.throwIfBranch(use);
    const other = this.approvals.get(digits) ?? call.tool;
    this.approvals.set(digits, other);
    if (other !== call.tool) {
      const text = `${type} approves the call of ${other}, and ${call.tool} has the same arguments`;
      throw new FinalFailure("APPROVAL_AMBIGUOUS", `${text}; give one of them an argument that differs, such as its name`);
    }
    const isDecided = (await task.known(use, true)) !== undefined || task.signals.some((signal) => signal.type === type);
    // goes with the record of the decision, or with the wait
    this.show(task, digits, isDecided ? null : call);
    const { approved, note = "" } = Object(await task.receive(type, use, {})) as Record<string, unknown>;
    if (approved !== true) throw new ApprovalDenied(call.tool, String(note));
  }

  /** Changes an open approval in the state of the run. */
  private show(task: Task, digits: string, call: Call | null): void {
    if (this.open.has(digits) === (call !== null)) return;
    if (call === null) this.open.delete(digits);
    else this.open.add(digits);
    this.changes[digits] = call;
    // it is a merge patch, and the last one wins: it has all changes of this execution
    task.patchState({ approvals: this.open.size > 0 ? { ...this.changes } : null });
  }
}
