/** A part of a code step: a body that has its own attempts, and runs until its result is recorded. */

import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { paused } from "./connection.js";
import { ClaimLost, PartFailed, RetryableFailure, UnknownAnswer, UnknownEffect } from "./errors.js";
import { type Failure, FailureKind } from "./gen/hapax/v1/common_pb.js";
import { PartState } from "./gen/hapax/v1/run_pb.js";
import type { PartFailed as FailedMessage, PartResult } from "./gen/hapax/v1/worker_service_pb.js";
import { type Execution, SuspendExecution } from "./executions.js";
import type { PartReport } from "./reports.js";
import type { Use } from "./scopes.js";
import type { Task } from "./tasks.js";
import { duration, fieldsOf, report, stack, toPayload } from "./values.js";

const LONGEST_ELAPSED = 86_400_000;
const LONGEST_TIMER = 2 ** 31 - 1;
const BEGIN = { result: { case: "begin", value: {} } } as const;

/** What `verify` returns when the effect did not happen: the body runs again. */
export const NOT_DONE: unique symbol = Symbol.for("hapax.dev/not-done");

/** Which failures of a part are retried, and when. What is not given is as the definition of the step says. */
export interface RetryOptions {
  /** At most 1,000; -1 = no limit. 8 unless given. */
  readonly maxAttempts?: number | undefined;
  /** The longest pause before the first retry in milliseconds; 1 s unless given. */
  readonly initialMs?: number | undefined;
  /** By what the longest pause grows with each attempt; 2 unless given. */
  readonly factor?: number | undefined;
  /** The longest pause before any retry in milliseconds; 60 s unless given. */
  readonly maxMs?: number | undefined;
  /** Codes of failures that are final. */
  readonly nonRetryable?: readonly string[] | undefined;
  /** Codes of the only failures that are retried. */
  readonly retryOnly?: readonly string[] | undefined;
  /** After how many milliseconds since the first failure no other attempt begins. */
  readonly giveUpAfterMs?: number | undefined;
}

/** How a part is done. */
export interface RecordOptions<T = unknown> {
  readonly retry?: RetryOptions | undefined;
  /** After how many milliseconds an attempt fails with the code `PART_TIMEOUT`; never unless given. */
  readonly timeoutMs?: number | undefined;
  /** Whether Hapax stores that the body begins, before it does. It never runs again then while its effect is in doubt. */
  readonly atMostOnce?: boolean | undefined;
  /** Decides what became of an effect in doubt: returns the result, or NOT_DONE. Without it an operator settles the part. */
  readonly verify?: ((id: string) => T | typeof NOT_DONE | Promise<T | typeof NOT_DONE>) | undefined;
}

/** Does the work of a part. The signal is aborted when the time of this attempt is over, or the task is lost. */
export type Body<T> = (id: string, signal: AbortSignal) => T | Promise<T>;

class PartTimeout extends RetryableFailure {}

export class Part<T> {
  private readonly id: string;
  private attempt = 1;

  constructor(
    private readonly task: Task,
    private readonly use: Use,
    private readonly body: Body<T>,
    private readonly options: RecordOptions<T>,
  ) {
    this.id = `${task.stepId}/${use.name}`;
  }

  /** Returns what is recorded, or does what is left to do until there is a record. */
  async value(): Promise<unknown> {
    const { records } = this.execution;
    const known = await this.task.known(this.use, false);
    if (known !== undefined) return known.value;
    const open = records.open(this.use.name);
    switch (open?.state) {
      case undefined:
        break;
      case PartState.FAILED:
        throw this.failed(open.failure, open.attempts);
      case PartState.BEGUN:
        this.attempt = open.attempts;
        return this.verified();
      case PartState.RETRY: {
        this.attempt = open.attempts + 1;
        const until = open.dueAt === undefined ? 0 : timestampMs(open.dueAt);
        if (until > this.execution.now()) this.task.wait({ until });
        break;
      }
      default:
        throw this.execution.release(`part ${this.use.name} has a state that this package does not know; upgrade it`);
    }
    await this.task.checkFit(this.use);
    return this.done(false);
  }

  private get execution(): Execution {
    return this.task.execution;
  }

  /** Attempts the body until there is a result. */
  private async done(isBegun: boolean): Promise<unknown> {
    for (;;) {
      if (this.options.atMostOnce && !isBegun) {
        const [begun] = await this.send(BEGIN);
        isBegun = begun?.outcome.case === "begun" && !begun.outcome.value.inDoubt;
        if (!isBegun) return (await this.end(begun))?.value;
      }
      const [result] = await this.send(await this.run(isBegun));
      const end = await this.end(result);
      if (end !== undefined) return end.value;
      isBegun = false;
    }
  }

  /** Runs the body once; returns the report. */
  private async run(isBegun: boolean): Promise<PartReport> {
    let result: { readonly value: T; readonly elapsed: number };
    try {
      result = await attempt(this.id, this.execution.bodyOf(this.use.name, this.body), this.options.timeoutMs, this.execution);
    } catch (error) {
      return this.failure(error, isBegun);
    }
    return { ...(await this.output(result.value)), elapsed: duration(Math.min(result.elapsed, LONGEST_ELAPSED)) };
  }

  private async output(value: unknown): Promise<PartReport> {
    const { name } = this.use;
    const payload = await this.execution.connection.payloads.write(name, value);
    return { result: { case: "output", value: payload ?? toPayload(name, null) ?? {} } };
  }

  private failure(error: unknown, isBegun: boolean): PartReport {
    const { claim } = this.execution;
    const { name } = this.use;
    // a durable call in the body ends the execution, or the task is lost
    if (error instanceof SuspendExecution || (error instanceof ClaimLost && claim.isLost)) throw error;
    if (error instanceof UnknownEffect) {
      if (!isBegun) this.execution.begun.push({ name, ...BEGIN });
      throw this.execution.fail(name, error, true);
    }
    if (error instanceof PartTimeout && isBegun) throw this.execution.fail(name, error, false);
    const { failure, kind, retryAfter } = report(error);
    claim.logger.info(`hapax: attempt ${this.attempt} of part ${this.id} failed:`, error);
    const retry = policy(this.options.retry);
    const value = { attempt: this.attempt, failure: { ...failure, part: "", stack: stack(error) }, kind, retry, retryAfter };
    return { result: { case: "failure", value } };
  }

  /** Returns the result of a part that has one; undefined if the body runs again at once. */
  private async end(result: PartResult | undefined): Promise<{ readonly value: unknown } | undefined> {
    switch (result?.outcome.case) {
      case "recorded":
        return { value: await this.execution.connection.payloads.read(result.outcome.value.output) };
      case "begun":
        return { value: await this.verified() };
      case "failed":
        return this.retry(result.outcome.value);
      case undefined:
        throw unknownResult(this.use.name, result);
    }
  }

  /** Waits for the next attempt, here or without a worker. */
  private async retry({ failure, attempts, retryAt, retryIn, hold }: FailedMessage): Promise<undefined> {
    if (retryAt === undefined) throw this.failed(failure, attempts);
    this.attempt = attempts + 1;
    const pause = retryIn === undefined ? 0 : durationMs(retryIn);
    const until = this.execution.now() + pause;
    if (hold && (await paused(pause, this.execution.halted))) return undefined;
    this.execution.claim.throwIfLost();
    this.task.wait({ until });
  }

  private failed(failure: Failure | undefined, attempts: number): PartFailed {
    return new PartFailed(this.use.name, failure?.code ?? "", failure?.message ?? "", attempts);
  }

  /** Finds out whether the effect happened: another worker began the body, or an earlier execution. */
  private async verified(): Promise<unknown> {
    const { name } = this.use;
    const { claim } = this.execution;
    const { verify } = this.options;
    if (verify === undefined) throw this.execution.fail(name, inDoubt(name), true);
    let found: T | typeof NOT_DONE;
    try {
      await former(this.id, this.execution);
      found = await verify(this.id);
    } catch (error) {
      if (error instanceof SuspendExecution || (error instanceof ClaimLost && claim.isLost)) throw error;
      throw this.execution.fail(name, error, false);
    }
    if (found !== NOT_DONE) {
      const [result] = await this.send(await this.output(found));
      return (await this.end(result))?.value;
    }
    await this.task.checkFit(this.use);
    const failure = { code: "NOT_DONE", message: "verify found no effect" };
    const value = { attempt: this.attempt, failure, kind: FailureKind.RETRYABLE, retry: policy(this.options.retry) };
    const [last, next] = await this.send({ result: { case: "failure", value } }, BEGIN);
    if (last?.outcome.case === "failed") this.attempt = last.outcome.value.attempts + 1;
    // without another attempt it is not begun, but has failed
    if (next?.outcome.case !== "begun") return (await this.end(next))?.value;
    if (next.outcome.value.inDoubt) throw this.execution.fail(name, inDoubt(name), true);
    return this.done(true);
  }

  private send(...reports: readonly PartReport[]): Promise<PartResult[]> {
    return this.execution.reports.send(this.use, ...reports);
  }
}

/** The error for a result that is newer than this package. */
export function unknownResult(name: string, result: PartResult | undefined): UnknownAnswer {
  const text = `Hapax answered a report about part ${name} with a result that this package does not know`;
  return new UnknownAnswer(`${text} (${result?.outcome.case ?? fieldsOf(result?.$unknown)}); upgrade it`);
}

function inDoubt(name: string): UnknownEffect {
  const text = `another worker began part ${name}, and it is unknown whether it took effect`;
  return new UnknownEffect("UNKNOWN_EFFECT", `${text}; an operator settles it, or the code says how to verify it`);
}

export function policy(retry: RetryOptions | undefined) {
  if (retry === undefined) return undefined;
  const { maxAttempts = 0, factor = 0, nonRetryable = [], retryOnly = [], initialMs, maxMs, giveUpAfterMs } = retry;
  return {
    maxAttempts,
    factor,
    nonRetryable: [...nonRetryable],
    retryOnly: [...retryOnly],
    initial: duration(initialMs),
    max: duration(maxMs),
    giveUpAfter: duration(giveUpAfterMs),
  };
}

/** The bodies that run in this process, by the id of their part: none runs twice at the same time. */
const running = new Map<string, Promise<void>>();

/** Waits for a body that an earlier attempt has left. */
async function former(id: string, { claim, lost }: Execution): Promise<void> {
  while (running.has(id)) {
    await Promise.race([running.get(id), lost]);
    claim.throwIfLost();
  }
}

/** Runs a body until it ends, or until its time is over. */
async function attempt<T>(id: string, body: Body<T>, timeoutMs: number | undefined, execution: Execution) {
  await former(id, execution);
  const abort = new AbortController();
  execution.bodies.add(abort);
  const startedAt = performance.now();
  const result = (async () => body(id, abort.signal))();
  const ended = (): void => void running.delete(id);
  running.set(id, result.then(ended, ended));
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<never>((_, reject) => {
    if (timeoutMs === undefined) return;
    timer = setTimeout(
      () => {
        const error = new PartTimeout("PART_TIMEOUT", `the body did not end within ${timeoutMs} ms`);
        reject(error);
        abort.abort(error);
      },
      Math.min(timeoutMs, LONGEST_TIMER),
    );
  });
  try {
    return { value: await Promise.race([result, isOver]), elapsed: performance.now() - startedAt };
  } finally {
    clearTimeout(timer);
    execution.bodies.delete(abort);
  }
}
