/** Runs: start one once, await its result, signal and cancel it. */

import { randomUUID } from "node:crypto";
import { type CallOptions, type Connection, type Request, paused } from "./connection.js";
import { RunCancelled, RunFailed, RunNotEnded, UnknownAnswer } from "./errors.js";
import { Disposition, OnKeyMismatch, SignalDisposition, RunStatus, type Run as RunMessage } from "./gen/hapax/v1/run_pb.js";
import { RunService, type StartRunRequestSchema } from "./gen/hapax/v1/run_service_pb.js";
import { type Hook, startHookFields } from "./hooks.js";
import { POLL_WAIT } from "./polling.js";
import { type Signal, newSignal } from "./signals.js";
import { activeSpan } from "./traces.js";
import { isStored } from "./payloads.js";
import { duration, enumName, fingerprint } from "./values.js";
import type { Workflow } from "./workflows.js";

const EARLY_PAUSE = 500; // milliseconds
const { startRun, getRun, awaitRun, signalRun, cancelRun } = RunService.method;

/** A run as Hapax keeps it. The output is not checked to be a `T`. */
export interface Run<T = unknown> {
  readonly id: string;
  readonly status: keyof typeof RunStatus;
  readonly version: bigint;
  readonly output: T | undefined;
  readonly failureCode: string;
  readonly failureMessage: string;
}

/** A start with a run that stands for the request. A start without hooks is always one. */
export interface Accepted<T = unknown> {
  readonly disposition: Exclude<keyof typeof Disposition, "REJECTED">;
  readonly run: Run<T>;
  /** The id of the run that owns the token, or owned it; empty if there is none. */
  readonly owner: string;
  /** Of a QUEUED run: how many runs wait before it in its longest line, at most 100. */
  readonly runsAhead: number;
  /** The runs that lost a token, their place in a line or their key to this one. */
  readonly supersededRunIds: readonly string[];
}

/** What became of a start. `disposition` says whether there is a run. */
export type Started<T = unknown> =
  Accepted<T> | { readonly disposition: "REJECTED"; readonly run: undefined; readonly owner: string };

/** How a run is started. */
export interface StartOptions {
  /** Names this start. Without one the kit draws it, and a second call starts a second run. */
  readonly idempotencyKey?: string | undefined;
  readonly input?: unknown;
  /** The version of the definition; the latest unless given. */
  readonly version?: string | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  readonly signal?: Signal | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * The same key with another input is Refused (IDEMPOTENCY_KEY_REUSED), unless this is RETURN_EXISTING, or RESTART_FAILED and
   * the run of the key is FAILED or CANCELLED: a new run then takes the key.
   */
  readonly onKeyMismatch?: "ERROR" | "RETURN_EXISTING" | "RESTART_FAILED" | undefined;
  /** After how many milliseconds the run fails with RUN_TIMEOUT, whatever its status; as the definition says unless given. */
  readonly timeoutMs?: number | undefined;
  /** Within how many milliseconds its first step must start; otherwise it fails with NOT_STARTED_IN_TIME. Any time unless given. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * How many milliseconds the start waits until the run has ended, at most 30,000; 0 unless given. `run` is then the run at the
   * end of the wait, and `result` of a COMPLETED one makes no further call.
   */
  readonly waitMs?: number | undefined;
  /** The span of the caller, as the header `traceparent`; the active one of OpenTelemetry unless given. */
  readonly traceparent?: string | undefined;
  /** Other fields of StartRunRequest, such as `fingerprint`. */
  readonly more?: Request<typeof StartRunRequestSchema> | undefined;
}

/** How a run of a workflow is started: with an input of its type. */
export type WorkflowInput<I> = Omit<StartOptions, "input" | "version"> &
  (undefined extends I ? { readonly input?: I } : { readonly input: I });

/** How long the result of a run is awaited. */
export interface ResultOptions {
  readonly atMostMs?: number | undefined;
  /** Stops the wait. The run continues. */
  readonly abort?: AbortSignal | undefined;
}

/** Starts, awaits and controls runs. */
export class Runs {
  /** @internal */
  constructor(private readonly connection: Connection) {}

  /** Starts a run of a workflow, by its name and version, or returns the one that stands for this request. */
  start<I, O>(
    workflow: Workflow<I, O>,
    ...options: undefined extends I
      ? [(WorkflowInput<I> & { readonly hooks?: undefined })?]
      : [WorkflowInput<I> & { readonly hooks?: undefined }]
  ): Promise<Accepted<O>>;
  start<I, O>(workflow: Workflow<I, O>, options: WorkflowInput<I>): Promise<Started<O>>;
  /** Starts a run, or returns the one that stands for this request. */
  start(definition: string, options?: StartOptions & { readonly hooks?: undefined }): Promise<Accepted>;
  start(definition: string, options: StartOptions): Promise<Started>;
  async start(of: string | Workflow, given: StartOptions = {}): Promise<Started> {
    const [definition, options] = typeof of === "string" ? [of, given] : [of.name, { ...given, version: of.version }];
    const input = await this.connection.payloads.write("input", options.input);
    const request: Request<typeof StartRunRequestSchema> = {
      definition,
      definitionVersion: options.version ?? "",
      idempotencyKey: options.idempotencyKey || randomUUID(),
      input,
      // the reference may be another one each time
      fingerprint: input !== undefined && isStored(input) ? fingerprint(options.input) : new Uint8Array(),
      hooks: (options.hooks ?? []).map(startHookFields),
      signal: options.signal && newSignal(options.signal),
      labels: { ...options.labels },
      onKeyMismatch: OnKeyMismatch[options.onKeyMismatch ?? "ERROR"],
      traceparent: options.traceparent ?? activeSpan(this.connection.logger) ?? "",
      timeout: duration(options.timeoutMs),
      startTimeout: duration(options.startTimeoutMs),
      ...options.more,
    };
    const { response } = await this.connection.call(startRun, request, { waitMs: options.waitMs });
    const owner = response.owner?.runId ?? "";
    const disposition = enumName(Disposition, response.disposition) as Started["disposition"];
    if (disposition === "REJECTED") return { disposition, run: undefined, owner };
    if (response.run !== undefined) {
      const { runsAhead, supersededRunIds } = response;
      return { disposition, run: await this.runOf(response.run), owner, runsAhead, supersededRunIds };
    }
    throw new UnknownAnswer(
      `Hapax answered StartRun with ${disposition} and no run, which this package does not know; upgrade it`,
    );
  }

  /** Returns the run, or throws Refused (RUN_NOT_FOUND). */
  async get(runId: string): Promise<Run> {
    return this.runOf((await this.connection.call(getRun, { runId })).response.run);
  }

  /**
   * Waits for the end of a run, at most a minute unless `atMostMs` says otherwise, and returns its output.
   *
   * The run is its id, or what `start` returned. Throws RunFailed, RunCancelled or RunNotEnded. The output is not checked to be
   * a `T`.
   */
  async result<T = unknown>(of: string | Accepted<T>, { atMostMs = 60_000, abort }: ResultOptions = {}): Promise<T> {
    if (typeof of !== "string" && of.run.status === "COMPLETED") return of.run.output as T;
    const runId = typeof of === "string" ? of : of.run.id;
    const end = performance.now() + atMostMs;
    for (;;) {
      const waitMs = Math.max(0, Math.min(POLL_WAIT, end - performance.now()));
      const options: CallOptions = { waitMs, abort };
      const request = { target: { case: "runId", value: runId } } as const;
      const { response, roundTrip } = await this.connection.call(awaitRun, request, options);
      const run = withoutOutput(response.run);
      if (run.status === "COMPLETED") return (await this.connection.payloads.read(response.run?.output)) as T;
      if (run.status === "FAILED") {
        const failed = new RunFailed(`run ${run.id} failed: ${run.failureCode} ${run.failureMessage}`);
        throw Object.assign(failed, { failureCode: run.failureCode });
      }
      if (run.status === "CANCELLED") throw new RunCancelled(`run ${run.id} was cancelled`);
      if (performance.now() >= end) {
        throw new RunNotEnded(`run ${run.id} has not ended after ${atMostMs} ms; it is ${run.status}`);
      }
      // a newer server may have ended it by a status that this package does not know
      if (roundTrip < waitMs / 2) await paused(Math.min(EARLY_PAUSE, waitMs), abort);
    }
  }

  /** Puts a signal into the inbox of a run; returns DELIVERED, BUFFERED or DUPLICATE. */
  async signal(runId: string, signal: Signal): Promise<string> {
    const { response } = await this.connection.call(signalRun, { runId, signal: newSignal(signal) });
    return enumName(SignalDisposition, response.disposition);
  }

  /** Cancels the run; one that is cancelled is returned unchanged. */
  async cancel(runId: string, reason = ""): Promise<Run> {
    return this.runOf((await this.connection.call(cancelRun, { runId, reason })).response.run);
  }

  private async runOf(run: RunMessage | undefined): Promise<Run> {
    return { ...withoutOutput(run), output: await this.connection.payloads.read(run?.output) };
  }
}

function withoutOutput(run: RunMessage | undefined): Omit<Run, "output"> {
  return {
    id: run?.id ?? "",
    status: enumName(RunStatus, run?.status ?? 0) as Run["status"],
    version: run?.version ?? 0n,
    failureCode: run?.failure?.code ?? "",
    failureMessage: run?.failure?.message ?? "",
  };
}
