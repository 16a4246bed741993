/** A task in the hands of its handler, with the durable parts of a code workflow. */

import { durationFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Claim } from "./claims.js";
import type { Connection, Request } from "./connection.js";
import { FinalFailure, Refused } from "./errors.js";
import type { Payload } from "./gen/hapax/v1/common_pb.js";
import type { Signal as SignalMessage, Task as TaskMessage } from "./gen/hapax/v1/run_pb.js";
import { WorkerService, type SuspendTaskRequestSchema } from "./gen/hapax/v1/worker_service_pb.js";
import { type Hook, type HookAnswer, Hooks } from "./hooks.js";
import { fromPayload, toPayload } from "./values.js";

const TIMED_OUT = { "@type": "hapax.dev/signal-timeout" };
const LONGEST_WAIT = 365 * 86_400_000;

type Suspension = Pick<Request<typeof SuspendTaskRequestSchema>, "time" | "signalFilter" | "statePatch">;

/** Ends an execution that waits. It is not for handlers: let it pass. */
export class SuspendExecution extends Error {
  override readonly name = "SuspendExecution";
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
 * and failure, and continues where it stopped, because what it records is not done again. Each name occurs once.
 *
 * Calls of `record` may run at the same time. When the handler returns, throws or waits, the worker first lets the bodies end
 * that are running, and records them.
 */
export class Task {
  readonly stepId: string;
  readonly stepName: string;
  readonly attempt: number;
  readonly runId: string;
  readonly fence: bigint;
  /** @internal */ suspension: Suspension | undefined;
  private readonly recorded: Map<string, Payload | undefined>;
  private readonly signals: SignalMessage[];
  private readonly used = new Set<string>();
  private patch: Record<string, unknown> | undefined;
  private hasEnded = false;
  private onIdle = (): void => {};

  /** @internal */
  constructor(
    private readonly message: TaskMessage,
    readonly claim: Claim,
    private readonly connection: Connection,
  ) {
    this.stepId = message.step?.id ?? "";
    this.stepName = message.step?.name ?? "";
    this.attempt = message.step?.attempt ?? 0;
    this.runId = message.run?.id ?? "";
    this.fence = claim.fence;
    this.recorded = new Map(message.recorded.map((each) => [each.name, each.output]));
    this.signals = [...message.signals];
  }

  /** The name of the definition of the run. */
  get definition(): string {
    return this.message.run?.definition ?? "";
  }

  /** Returns the input of the run. It is not checked to be a `T`. */
  input<T = unknown>(): T {
    return fromPayload(this.message.input) as T;
  }

  /** The state of the run when the task was granted. */
  get state(): Readonly<Record<string, unknown>> {
    return (fromPayload(this.message.state) ?? {}) as Record<string, unknown>;
  }

  /** Returns the output of the step before; undefined if there is none. It is not checked to be a `T`. */
  previousOutput<T = unknown>(): T {
    return fromPayload(this.message.run?.output) as T;
  }

  /** The span that the run was started in, as the header `traceparent`; empty if there is none. */
  get traceparent(): string {
    return this.message.run?.traceparent ?? "";
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

  /** Changes members of the run's state when this execution ends or waits; null removes one. */
  patchState(members: Readonly<Record<string, unknown>>): void {
    this.patch = { ...this.patch, ...members };
  }

  /**
   * Returns what `body` returned when it ran first. In later executions it does not run.
   *
   * `body` gets the id of this part, the same each time: hand it to what it calls as its idempotency key. `name` has 1 to 100
   * characters. The result must have a JSON, or be bytes, of at most 256 KiB: otherwise the run ends as FAILED,
   * with the code `RESULT_REFUSED`. Without a result, `record` returns null. After the end of the handler it throws an Error.
   */
  record<T>(name: string, body: (id: string) => T | Promise<T>): Promise<T> {
    return this.part(async () => {
      const recorded = await this.find(name);
      if (recorded !== undefined) return recorded.value as T;
      return (await this.store(name, toPayload(name, await body(`${this.stepId}/${name}`)))) as T;
    });
  }

  /** Waits so many milliseconds, at most 365 days, without a worker. Hapax measures the time, exact to about a second. */
  suspend(name: string, ms: number): Promise<void> {
    return this.part(async () => {
      const left = await this.left(name, ms);
      if (left > 0) this.wait(left);
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
    return this.part(() => this.receive(name, options)) as Promise<T | undefined>;
  }

  /** Asks for a token for the run. The answer is committed; the same request on a later attempt succeeds again. */
  createHook(hook: Hook): Promise<HookAnswer> {
    return new Hooks(this.connection).createFor(this.runId, hook, this.claim.message);
  }

  /**
   * @internal Refuses further durable calls, and waits for those in progress unless Hapax reports the loss of the task.
   *
   * Otherwise a body that is running could not be recorded, and would run again.
   */
  async end(): Promise<void> {
    this.hasEnded = true;
    if (this.claim.parts === 0 || this.claim.isRevoked) return;
    await new Promise<void>((resolve) => (this.onIdle = this.claim.onRevoked = resolve));
  }

  /** @internal By the clock of Hapax, in milliseconds. */
  get runCreatedAt(): number {
    return this.message.run?.createdAt ? timestampMs(this.message.run.createdAt) : 0;
  }

  /** @internal */
  get statePatch(): Payload | undefined {
    return toPayload("state_patch", this.patch);
  }

  private async part<T>(call: () => Promise<T>): Promise<T> {
    if (this.suspension !== undefined) throw new SuspendExecution("this execution waits; it is continued later");
    if (this.hasEnded) throw new Error(`the handler of step ${this.stepName} has ended; await its records before it returns`);
    this.claim.parts++;
    try {
      return await call();
    } finally {
      if (--this.claim.parts === 0) this.onIdle();
    }
  }

  private async receive(name: string, options: AwaitSignalOptions): Promise<unknown> {
    const { hookName = "", timeoutMs } = options;
    const { type = hookName === "" ? name : "" } = options;
    const filter = { type, hookName };
    const recorded = await this.find(name);
    let value = recorded?.value;
    if (recorded === undefined) {
      const signal = this.signals.find((each) => ["", each.type].includes(type) && ["", each.hookName].includes(hookName));
      if (signal !== undefined) {
        this.signals.splice(this.signals.indexOf(signal), 1);
        return this.store(name, signal.payload, [signal.signalId]);
      }
      if (timeoutMs === undefined) return this.wait(undefined, filter);
      const left = await this.left(`${name}.deadline`, timeoutMs);
      if (left > 0) this.wait(left, filter);
      value = await this.store(name, toPayload(name, TIMED_OUT));
    }
    return isTimeout(value) ? undefined : value;
  }

  /** The milliseconds that are left of a wait, whose end is recorded first. */
  private async left(name: string, ms: number): Promise<number> {
    if (!(ms <= LONGEST_WAIT)) throw new FinalFailure("WAIT_TOO_LONG", `${name} must wait at most 365 days (was ${ms} ms)`);
    const until = new Date(Date.now() + Math.max(0, ms)).toISOString();
    const text =
      (await this.find(name))?.value ?? (await this.store(name, toPayload(name, `${until} ${this.attempt} ${this.fence}`)));
    const [, end = "", attempt, fence = ""] = /^(\S+Z) (\d+) (\d+)$/.exec(String(text)) ?? [];
    if (Number.isNaN(Date.parse(end))) {
      throw new FinalFailure("STEP_CHANGED", `the recorded step ${name} is not a wait; keep step names stable`);
    }
    // Hapax has measured the wait; the clock decides only if that execution died around it
    if (this.attempt === Number(attempt) && this.fence > BigInt(fence)) return 0;
    return Math.max(0, Math.min(Date.parse(end) - Date.now(), ms));
  }

  private wait(ms: number | undefined, signalFilter?: Suspension["signalFilter"]): never {
    const time = ms === undefined ? undefined : ({ case: "duration", value: durationFromMs(Math.ceil(ms)) } as const);
    this.suspension = { ...(time && { time }), signalFilter, statePatch: this.statePatch };
    throw new SuspendExecution("this execution waits; it is continued later");
  }

  private async find(name: string): Promise<{ readonly value: unknown } | undefined> {
    const length = [...name].length;
    if (length < 1 || length > 100) {
      throw new FinalFailure("STEP_NAME_INVALID", `step name must have 1 to 100 characters (was ${name})`);
    }
    if (this.used.has(name)) throw new FinalFailure("STEP_NAME_REUSED", `step name must be unique in an execution: ${name}`);
    this.used.add(name);
    if (this.recorded.has(name)) return { value: fromPayload(this.recorded.get(name)) };
    return this.message.moreRecorded ? this.send(name) : undefined;
  }

  private async store(name: string, output: Payload | undefined, consumedSignalIds: string[] = []): Promise<unknown> {
    return (await this.send(name, { output: output ?? toPayload(name, null), consumedSignalIds }))?.value;
  }

  private async send(
    name: string,
    fields: { output?: Payload | undefined; consumedSignalIds?: string[] } = {},
  ): Promise<{ readonly value: unknown } | undefined> {
    if (this.claim.isRevoked) this.throwIfLost();
    const request = { claim: this.claim.message, name, ...fields };
    const answer = await this.connection.record(WorkerService.method.recordStep, request).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      throw new FinalFailure(error.reason, `step ${name} was not recorded: ${error.message}`, { cause: error });
    });
    const { outcome } = answer.response;
    if (outcome.case === "claimLost") throw this.claim.revoke(outcome.value);
    return outcome.case === "recorded" ? { value: fromPayload(outcome.value.output) } : undefined;
  }
}

function isTimeout(value: unknown): boolean {
  return typeof value === "object" && value !== null && "@type" in value && value["@type"] === TIMED_OUT["@type"];
}
