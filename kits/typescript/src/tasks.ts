/** A task in the hands of its handler, with the durable parts of a code workflow. */

import { durationFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Claim } from "./claims.js";
import type { Request } from "./connection.js";
import { FinalFailure } from "./errors.js";
import { type Execution, SuspendExecution } from "./executions.js";
import type { Payload } from "./gen/hapax/v1/common_pb.js";
import type { Signal as SignalMessage } from "./gen/hapax/v1/run_pb.js";
import type { SuspendTaskRequestSchema } from "./gen/hapax/v1/worker_service_pb.js";
import { type Hook, type HookAnswer, Hooks } from "./hooks.js";
import { type MapOptions, branchesOf, outcomesOf } from "./maps.js";
import { type Body, Part, type RecordOptions, unknownResult } from "./parts.js";
import { Scope, type Use } from "./scopes.js";
import { checkedPartName, fromPayload, toPayload } from "./values.js";

const TIMED_OUT = { "@type": "hapax.dev/signal-timeout" };
const LONGEST_WAIT = 365 * 86_400_000;
const MAX_DETAILS = 4_096;
const WAITS = "this execution waits; it is continued later";

/** What ends a wait without a worker: a time, a signal, or whichever comes first. */
interface Suspension {
  /** By Execution.now(). */
  readonly until?: number | undefined;
  readonly signalFilter?: Request<typeof SuspendTaskRequestSchema>["signalFilter"];
}

/** What a wait for a signal accepts. */
export interface AwaitSignalOptions {
  /** The type of the signal; the name of the wait unless this or `hookName` is given. */
  readonly type?: string | undefined;
  /** The name of the hook through which the signal came, of any type unless `type` is given, too. */
  readonly hookName?: string | undefined;
  /** After how many milliseconds `undefined` is returned; never unless given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A step of a run that this worker holds.
 *
 * A handler with several effects, or with waits, is a code workflow. It runs again from its beginning after every wait
 * and failure, and continues where it stopped, because what it records is not done again. A name that is used again is another
 * part: `fetch`, then `fetch#2`. What runs at the same time needs different names, or `map`.
 *
 * Calls of `record` may run at the same time. When the handler returns, throws or waits, the worker first lets the bodies end
 * that are running, and records them.
 */
export class Task {
  readonly stepId: string;
  readonly stepName: string;
  readonly attempt: number;
  /** Whether the run fails when this attempt does. */
  readonly lastAttempt: boolean;
  readonly runId: string;
  readonly fence: bigint;
  readonly claim: Claim;
  /** @internal */ suspension: Suspension | undefined;
  /** @internal Those that were not consumed. */ readonly signals: SignalMessage[];
  private readonly patches = new Map<string, Promise<boolean>>();
  /** @internal */ readonly scope: Scope;

  /** @internal A branch of a `map` has a parent, and a prefix of its names. */
  constructor(
    /** @internal */ readonly execution: Execution,
    prefix = "",
    private readonly parent?: Task,
  ) {
    const { message, claim } = execution;
    this.stepId = message.step?.id ?? "";
    this.stepName = message.step?.name ?? "";
    this.attempt = message.step?.attempt ?? 0;
    this.lastAttempt = message.lastAttempt;
    this.runId = message.run?.id ?? "";
    this.claim = claim;
    this.fence = claim.fence;
    this.signals = [...message.signals];
    this.scope = new Scope(prefix);
  }

  /** The name of the definition of the run. */
  get definition(): string {
    return this.execution.message.run?.definition ?? "";
  }

  /** Returns the input of the run. It is not checked to be a `T`. */
  input<T = unknown>(): T {
    return fromPayload(this.execution.message.input) as T;
  }

  /** The state of the run when the task was granted. */
  get state(): Readonly<Record<string, unknown>> {
    return (fromPayload(this.execution.message.state) ?? {}) as Record<string, unknown>;
  }

  /** Returns the output of the step before; undefined if there is none. It is not checked to be a `T`. */
  previousOutput<T = unknown>(): T {
    return fromPayload(this.execution.message.run?.output) as T;
  }

  /**
   * Returns the payload of the signal that ended an earlier signal step; undefined if it had none. It is not checked to be a `T`.
   *
   * Throws RangeError if the task has none of such a step.
   */
  signalOutput<T = unknown>(stepName: string): T {
    const { signalOutputs, moreSignalOutputs } = this.execution.message;
    const found = signalOutputs.find((each) => each.stepName === stepName);
    if (found !== undefined) return fromPayload(found.output) as T;
    const missing = moreSignalOutputs
      ? "the output of step NAME did not fit into the task"
      : "no earlier signal step is named NAME";
    throw new RangeError(missing.replace("NAME", stepName));
  }

  /**
   * Returns what `heartbeat` last reported about this step, also in an attempt that was lost; undefined if there is nothing. It is
   * not checked to be a `T`.
   */
  lastDetails<T = unknown>(): T | undefined {
    return fromPayload(this.execution.message.lastDetails) as T | undefined;
  }

  /**
   * Reports details about the progress for the next attempt, such as the number of the last row that was done.
   *
   * They are sent with the next renewal of the lease, at a third of it, or before a failure, and only the last ones are kept. So it
   * is cheap to call it often. They are dropped when the step is done. A code workflow rather records parts.
   *
   * They have a JSON, or are bytes, of at most 4 KiB. Throws ClaimLost if the task is lost: then stop.
   */
  heartbeat({ details }: { readonly details: unknown }): void {
    const payload = toPayload("the details", details ?? null, MAX_DETAILS);
    this.throwIfLost();
    this.claim.details = payload;
  }

  /** The milliseconds that the attempt has left; undefined if its step has no timeout. At the end the task is lost. */
  get attemptRemainingMs(): number | undefined {
    const left = this.claim.attemptUntil - performance.now();
    return left === Infinity ? undefined : Math.max(0, left);
  }

  /** The span that the run was started in, as the header `traceparent`; empty if there is none. */
  get traceparent(): string {
    return this.execution.message.run?.traceparent ?? "";
  }

  /** Is aborted when the run was cancelled, or another worker has the step. Hand it to `fetch` and the like. */
  get lost(): AbortSignal {
    return this.claim.lost;
  }

  /** Whether the task is lost. Then stop: the result is dropped. */
  get isLost(): boolean {
    return this.claim.isLost;
  }

  /** Throws ClaimLost if the task is lost. */
  throwIfLost(): void {
    this.claim.throwIfLost();
  }

  /** Changes members of the run's state with the next record, or when this execution waits or ends; null removes one. */
  patchState(members: Readonly<Record<string, unknown>>): void {
    this.execution.reports.patchState(members);
  }

  /** Changes members of the run's state at once; null removes one. It is a part with the name `state`. */
  setState(members: Readonly<Record<string, unknown>>): Promise<void> {
    return this.named("state", async (use) => {
      const { reports } = this.execution;
      if ((await this.known(use, false)) !== undefined) return reports.forget(members);
      await this.checkFit(use);
      reports.patchState(members);
      await this.store(use, null, false);
    });
  }

  /**
   * Returns what `body` returned when it ran first. In later executions it does not run.
   *
   * `body` gets the id of this part, the same each time: hand it to what it calls as its idempotency key. When it fails, it is
   * attempted again by the retry policy of the part, after a long pause in another execution; after the last attempt `record`
   * throws PartFailed. The result must have a JSON, or be bytes, of at most 256 KiB: otherwise the run ends as FAILED,
   * with the code `RESULT_REFUSED`. Without a result, `record` returns null. After the end of the handler it throws an Error.
   */
  record<T>(name: string, body: Body<T>, options: RecordOptions<T> = {}): Promise<T> {
    return this.named(name, (use) => new Part(this, use, body, options).value() as Promise<T>);
  }

  /**
   * Does the work of each item, some at the same time; returns the results in the order of the items.
   *
   * Each item has a branch: a task of its own, whose names are counted apart. `key` names the branch, the same in each execution.
   * When a branch fails, no other begins; when those that run have ended, the failure of the first item is thrown. With
   * `settled` all are done, and their outcomes are those of `Promise.allSettled`. A branch cannot wait.
   */
  map<I, T>(
    name: string,
    items: Iterable<I>,
    options: MapOptions<I> & { readonly settled: true },
    work: (task: Task, item: I) => T | Promise<T>,
  ): Promise<PromiseSettledResult<T>[]>;
  map<I, T>(
    name: string,
    items: Iterable<I>,
    options: MapOptions<I> & { readonly settled?: false | undefined },
    work: (task: Task, item: I) => T | Promise<T>,
  ): Promise<T[]>;
  map<I, T>(
    name: string,
    items: Iterable<I>,
    options: MapOptions<I>,
    work: (task: Task, item: I) => T | Promise<T>,
  ): Promise<T[] | PromiseSettledResult<T>[]> {
    return this.named(name, async (use) => {
      let pause: Suspension | undefined;
      const isStopped = (): boolean => this.isEnding || this.execution.hasEnded || this.isLost || pause !== undefined;
      const outcomes = await outcomesOf(branchesOf(use.name, items, options.key), options, isStopped, async ({ key, item }) => {
        const task = new Task(this.execution, `${use.name}/${key}/`, this);
        try {
          return await work(task, item);
        } finally {
          pause = shorter(task.suspension, pause);
        }
      });
      if (pause !== undefined) this.wait(pause);
      if (this.isEnding) throw new SuspendExecution(WAITS);
      const failed = outcomes.find((outcome) => outcome?.status === "rejected");
      if (failed !== undefined && (!options.settled || this.isLost)) throw failed.reason;
      if (outcomes.includes(undefined)) {
        this.throwIfLost();
        this.throwIfEnded();
      }
      const settled = outcomes as PromiseSettledResult<T>[];
      return options.settled ? settled : settled.map((each) => (each as PromiseFulfilledResult<T>).value);
    });
  }

  /**
   * Whether this run takes the path that was added to the code by this name.
   *
   * It is true for runs that come here for the first time, and false for those that went past it in older code. Await it where the
   * new path begins; remove it when no older run is left.
   */
  patched(name: string): Promise<boolean> {
    return this.durable(async () => {
      const isPatched = this.patches.get(name) ?? this.decide(`${this.scope.prefix}patched/${checkedPartName(name)}`);
      this.patches.set(name, isPatched);
      return isPatched;
    });
  }

  /** Waits so many milliseconds, at most 365 days, without a worker. Hapax measures the time, exact to about a second. */
  suspend(name: string, ms: number): Promise<void> {
    return this.namedWait(name, async (use) => {
      const until = await this.waitEnd(use, ms);
      if (until > this.execution.now()) this.wait({ until });
    });
  }

  /**
   * Returns the payload of the oldest matching signal, and consumes it. Waits for one without a worker.
   *
   * The payload is not checked to be a `T`.
   */
  awaitSignal<T = unknown>(name: string, options?: AwaitSignalOptions & { readonly timeoutMs?: undefined }): Promise<T>;
  awaitSignal<T = unknown>(name: string, options: AwaitSignalOptions): Promise<T | undefined>;
  awaitSignal<T>(name: string, options: AwaitSignalOptions = {}): Promise<T | undefined> {
    return this.namedWait(name, (use) => this.receive(name, use, options)) as Promise<T | undefined>;
  }

  /** Asks for a token for the run. The answer is committed; the same request on a later attempt succeeds again. */
  createHook(hook: Hook): Promise<HookAnswer> {
    return new Hooks(this.execution.connection).createFor(this.runId, hook, this.claim.message);
  }

  /** @internal By the clock of Hapax, in milliseconds. */
  get runCreatedAt(): number {
    const { run } = this.execution.message;
    return run?.createdAt ? timestampMs(run.createdAt) : 0;
  }

  /** @internal Whether the execution waits, is given back, or fails, whatever its handler does. */
  get isEnding(): boolean {
    return this.suspension !== undefined || this.execution.ending !== undefined || this.parent?.isEnding === true;
  }

  /** @internal Returns what is recorded. */
  async known(use: Use, isWait: boolean): Promise<{ readonly value: unknown } | undefined> {
    const record = await this.execution.records.find(use.name, isWait);
    use.isOverlapped ||= record?.overlapped === true;
    return record && { value: await this.execution.connection.payloads.read(record.output) };
  }

  /** @internal The scope is that of the name: guarded tools have scopes of their own. */
  checkFit({ name }: Use): Promise<void> {
    return this.execution.checkFit(name.slice(0, name.lastIndexOf("/") + 1), name);
  }

  /** @internal Ends this execution, or this branch of it, until the time is over or the signal is here. */
  wait(suspension: Suspension): never {
    // the end of a handler that waits for nothing stands
    if (this.suspension === undefined) this.throwIfEnded();
    this.suspension = shorter(this.suspension, suspension);
    if (this.parent === undefined) this.execution.halt();
    throw new SuspendExecution(WAITS);
  }

  private throwIfEnded(): void {
    if (!this.execution.hasEnded) return;
    throw new Error(`the handler of step ${this.stepName} has ended; await its records before it returns`);
  }

  /** @internal */
  async durable<T>(call: () => Promise<T>): Promise<T> {
    if (this.isEnding) throw new SuspendExecution(WAITS);
    this.throwIfEnded();
    if (this.claim.isRevoked) this.throwIfLost();
    return this.execution.during(call);
  }

  /** Makes a durable call as the next use of the name. */
  private named<T>(name: string, call: (use: Use) => Promise<T>): Promise<T> {
    return this.durable(async () => {
      const use = this.scope.begin(name);
      try {
        return await call(use);
      } finally {
        this.scope.end(use);
      }
    });
  }

  private namedWait<T>(name: string, call: (use: Use) => Promise<T>): Promise<T> {
    return this.named(name, (use) => {
      this.throwIfBranch(use);
      return call(use);
    });
  }

  /** @internal */
  throwIfBranch({ name }: Use): void {
    if (this.parent === undefined) return;
    throw new FinalFailure("WAIT_IN_BRANCH", `${name} is in a branch of a map, which cannot wait; wait before or after it`);
  }

  private async decide(name: string): Promise<boolean> {
    const use = { name, isOverlapped: true };
    const known = await this.known(use, false);
    if (known !== undefined) return known.value === true;
    if ((await this.execution.records.leftOver(this.scope.prefix)).length > 0) return false;
    return (await this.store(use, true, false)) === true;
  }

  /** @internal */
  async receive(name: string, use: Use, options: AwaitSignalOptions): Promise<unknown> {
    const { hookName = "", timeoutMs } = options;
    const { type = hookName === "" ? name : "" } = options;
    const filter = { type, hookName };
    const deadline = { ...use, name: `${use.name}.deadline` };
    this.execution.records.ask(deadline.name);
    const known = await this.known(use, true);
    let value = known?.value;
    if (known === undefined) {
      await this.checkFit(use);
      const signal = this.signals.find((each) => ["", each.type].includes(type) && ["", each.hookName].includes(hookName));
      if (signal !== undefined) {
        this.signals.splice(this.signals.indexOf(signal), 1);
        return this.storePayload(use, signal.payload, true, [signal.signalId]);
      }
      if (timeoutMs === undefined) this.wait({ signalFilter: filter });
      const until = await this.waitEnd(deadline, timeoutMs);
      if (until > this.execution.now()) this.wait({ until, signalFilter: filter });
      value = await this.store(use, TIMED_OUT, true);
    }
    return isTimeout(value) ? undefined : value;
  }

  /** When a wait ends, by the clock of this execution. Its end is recorded first. */
  private async waitEnd(use: Use, ms: number): Promise<number> {
    if (!(ms <= LONGEST_WAIT)) throw new FinalFailure("WAIT_TOO_LONG", `${use.name} must wait at most 365 days (was ${ms} ms)`);
    const known = await this.known(use, true);
    if (known === undefined) {
      await this.checkFit(use);
      const until = new Date(this.execution.now() + Math.max(0, ms)).toISOString();
      // another part may end this execution before the wait does: no attempt has the number 0
      await this.store(use, `${until} ${use.isOverlapped ? 0 : this.attempt} ${this.fence}`, true);
      return this.execution.now() + ms;
    }
    const [, end = "", attempt, fence = ""] = /^(\S+Z) (\d+) (\d+)$/.exec(String(known.value)) ?? [];
    if (Number.isNaN(Date.parse(end))) {
      throw new FinalFailure("STEP_CHANGED", `the recorded step ${use.name} is not a wait; keep step names stable`);
    }
    // Hapax has measured the wait; its time decides if that execution died around it, or the pause of a part has ended
    if (this.attempt === Number(attempt) && this.fence > BigInt(fence) && !this.execution.records.hasRetries) return 0;
    return Math.min(Date.parse(end), this.execution.now() + ms);
  }

  private store(use: Use, value: unknown, isWait: boolean): Promise<unknown> {
    return this.storePayload(use, toPayload(use.name, value), isWait);
  }

  private async storePayload(use: Use, payload: Payload | undefined, isWait: boolean, consumedSignalIds: string[] = []) {
    const value = payload ?? toPayload(use.name, null) ?? {};
    const [result] = await this.execution.reports.send(use, { result: { case: "output", value }, isWait, consumedSignalIds });
    if (result?.outcome.case !== "recorded") throw unknownResult(use.name, result);
    return fromPayload(result.outcome.value.output);
  }
}

/** The fields of the request that suspends a task. */
export function suspendFields({ until, signalFilter }: Suspension, now: number) {
  if (until === undefined) return { signalFilter };
  const value = durationFromMs(Math.max(1, Math.ceil(until - now)));
  return { time: { case: "duration", value } as const, signalFilter };
}

/** Returns what ends with the first of two waits. */
function shorter(one: Suspension | undefined, other: Suspension | undefined): Suspension | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const until = Math.min(one.until ?? Infinity, other.until ?? Infinity);
  return { until: until === Infinity ? undefined : until, signalFilter: one.signalFilter ?? other.signalFilter };
}

function isTimeout(value: unknown): boolean {
  return typeof value === "object" && value !== null && "@type" in value && value["@type"] === TIMED_OUT["@type"];
}
