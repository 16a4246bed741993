/** One execution of a task: what its handler and the branches of its `map`s share. */

import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Claim } from "./claims.js";
import type { Connection } from "./connection.js";
import { FinalFailure } from "./errors.js";
import type { Task as TaskMessage } from "./gen/hapax/v1/run_pb.js";
import { WorkerService } from "./gen/hapax/v1/worker_service_pb.js";
import type { Body } from "./parts.js";
import { Records } from "./records.js";
import { type PartReport, Reports } from "./reports.js";

const MOST_NAMES = 10;
const WARNED_KEPT = 10_000;

/** Ends an execution that waits, or that this worker cannot continue. It is not for handlers: let it pass. */
export class SuspendExecution extends Error {
  override readonly name = "SuspendExecution";
}

/** What happens when the records of a run are not those that the code asks for. */
export type OnCodeChange = "release" | "fail" | "warn";

/** Decides what happens to tasks whose records do not fit the code of this worker. */
export interface CodeChange {
  readonly mode: OnCodeChange;
  /** The runs that were warned of. */
  readonly warned: Set<string>;
}

/** Why a task is given back, for people and programs. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** How an execution ends, whatever its handler does then. */
export type Ending =
  | { readonly case: "fail"; readonly error: unknown; readonly part: string; readonly isUnknown: boolean }
  | { readonly case: "release"; readonly problem: string; readonly reason: Reason | undefined };

export class Execution {
  readonly records: Records;
  readonly reports: Reports;
  /** The bodies that run. */
  readonly bodies = new Set<AbortController>();
  /** Comes when the task is lost. */
  readonly lost: Promise<void>;
  /** Parts whose bodies do not know their effects, and that were not begun. */
  readonly begun: (PartReport & { readonly name: string })[] = [];
  ending: Ending | undefined;
  private readonly startedAt: number = performance.timeOrigin; // of performance.now(), by the clock of Hapax
  hasEnded = false;
  private readonly halting = new AbortController();
  /** What runs instead of a body: a test replaces it. */
  bodyOf: <T>(name: string, body: Body<T>) => Body<T> = (_, body) => body;
  private onIdle = (): void => {};

  constructor(
    readonly message: TaskMessage,
    readonly claim: Claim,
    readonly connection: Connection,
    sentAt: number,
    private readonly codeChange: CodeChange,
  ) {
    const { step, leaseRemaining } = message;
    // the lease is counted from the request, by the clock of Hapax
    if (step?.leaseUntil !== undefined && leaseRemaining !== undefined) {
      this.startedAt = timestampMs(step.leaseUntil) - durationMs(leaseRemaining) - sentAt;
    }
    this.records = new Records(message, async (pageToken) => {
      const request = { claim: claim.message, pageToken };
      const { response } = await connection.record(WorkerService.method.listRecords, request);
      if (response.claimLost !== undefined) throw claim.revoke(response.claimLost);
      return response;
    });
    this.reports = new Reports(claim, connection);
    this.lost = new Promise((resolve) => claim.lost.addEventListener("abort", () => resolve(), { once: true }));
    void this.lost.then(() => this.halt());
    void this.lost.then(() => this.bodies.forEach((body) => body.abort(claim.lost.reason)));
  }

  /** The time by the clock of Hapax, in milliseconds. That of a test server has a clock of its own. */
  now(): number {
    return this.startedAt + performance.now();
  }

  /** Is aborted when no further body begins in this execution. */
  get halted(): AbortSignal {
    return this.halting.signal;
  }

  halt(): void {
    this.halting.abort();
  }

  /** Counts a durable call as in progress. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.claim.parts++;
    try {
      return await call();
    } finally {
      if (--this.claim.parts === 0) this.onIdle();
    }
  }

  /**
   * Refuses further durable calls, and waits for those in progress unless Hapax reports the loss of the task.
   *
   * Otherwise a body that is running could not be recorded, and would run again.
   */
  async end(): Promise<void> {
    this.hasEnded = true;
    this.halt();
    if (this.claim.parts === 0 || this.claim.isRevoked) return;
    await new Promise<void>((resolve) => (this.onIdle = this.claim.onRevoked = resolve));
  }

  /** Ends the execution with a failure of the part, whatever the handler does with the error. */
  fail(part: string, error: unknown, isUnknown: boolean): unknown {
    // an effect in doubt is not forgotten
    const isKept = this.ending === undefined || (isUnknown && !(this.ending.case === "fail" && this.ending.isUnknown));
    if (isKept) this.ending = { case: "fail", error, part, isUnknown };
    this.halt();
    return error;
  }

  /** Gives the task back to the queue: another worker may have the code for it. */
  release(problem: string, reason?: Reason): SuspendExecution {
    this.ending ??= { case: "release", problem, reason };
    this.halt();
    return new SuspendExecution(problem);
  }

  /** Checks before something new happens in a scope that the code has asked for all that was recorded there before. */
  async checkFit(prefix: string, name: string): Promise<void> {
    const left = await this.records.leftOver(prefix);
    if (left.length === 0) return;
    const names = left.slice(0, MOST_NAMES).map((each) => `\`${each}\``);
    const text = `records ${names.join(", ")} ${left.length > 1 ? "are" : "is"} not asked for before \`${name}\``;
    const runId = this.message.run?.id ?? "";
    switch (this.codeChange.mode) {
      case "release":
        throw this.release(text, { code: "CODE_CHANGED", message: text });
      case "fail":
        throw new FinalFailure("STEP_CHANGED", text);
      case "warn":
        if (this.codeChange.warned.size >= WARNED_KEPT) this.codeChange.warned.clear();
        if (!this.codeChange.warned.has(runId)) this.claim.logger.warn(`hapax: the code of ${runId} has changed: ${text}`);
        this.codeChange.warned.add(runId);
    }
  }
}
