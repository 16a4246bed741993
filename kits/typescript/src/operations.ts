/** Operations: work that runs once for each request id. */

import { randomUUID } from "node:crypto";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Claim, Renewals } from "./claims.js";
import type { Connection } from "./connection.js";
import * as errors from "./errors.js";
import { ClaimLostReason, type ClaimLost as LostMessage } from "./gen/hapax/v1/claim_pb.js";
import { FailureKind } from "./gen/hapax/v1/common_pb.js";
import { type Replay, OnStale } from "./gen/hapax/v1/operation_pb.js";
import { type CompleteOperationResponse, OnReleasedMismatch, OperationService } from "./gen/hapax/v1/operation_service_pb.js";
import { NOT_RETAINED, checkedName, duration, failure, fingerprint, fromPayload, toPayload } from "./values.js";

const notRetained = toPayload({ "@type": "hapax.dev/result-not-retained" });
const { beginOperation, completeOperation, failOperation, renewOperation } = OperationService.method;

/** How an operation runs. */
export interface OnceOptions {
  /** What a duplicate must have in common: anything with a JSON, or bytes. */
  readonly input?: unknown;
  /** On whose behalf the work is done. */
  readonly account?: string;
  /** After how many milliseconds a holder that died is replaced; 60,000 unless given. */
  readonly leaseMs?: number;
  /** How many milliseconds to wait for another holder; 0 unless given, at most 30,000. */
  readonly waitMs?: number;
  /** How many milliseconds the result is replayed; a day unless given. */
  readonly ttlMs?: number;
  /** Whether a call takes over from a holder that died, or leaves the operation to an operator. */
  readonly onStale?: "TAKE_OVER" | "HOLD";
  /** Whether another input is accepted after a failure. */
  readonly acceptCorrections?: boolean;
  /** After how many milliseconds the lease is renewed no longer; an hour unless given. */
  readonly holdAtMostMs?: number;
  /** Stops the wait for the begin. Work that has begun goes on. */
  readonly abort?: AbortSignal;
}

/** Work that runs once. */
export type Work<T> = (claim: Claim) => T | Promise<T>;

/** See Client.once. */
export async function once<T>(
  connection: Connection,
  operation: string,
  requestId: string,
  work: Work<T>,
  options: OnceOptions,
): Promise<T> {
  const { leaseMs = 60_000, waitMs = 0, holdAtMostMs = 3_600_000, abort } = options;
  const request = {
    operation: checkedName("operation", operation),
    requestId: checkedName("request_id", requestId),
    account: checkedName("account", options.account ?? ""),
    attemptId: randomUUID(),
    fingerprint: fingerprint(options.input),
    lease: duration(leaseMs),
    ttl: duration(options.ttlMs),
    onStale: OnStale[options.onStale ?? "TAKE_OVER"],
    onReleasedMismatch: options.acceptCorrections ? OnReleasedMismatch.ACCEPT : OnReleasedMismatch.KEY_REUSED,
  };
  let answer = await connection.call(beginOperation, request, { waitMs, abort });
  if (answer.response.outcome.case === "acquired" && waitMs > 0 && answer.roundTrip > leaseMs / 4) {
    // the lease counts from the request, so the wait may have used it up: the same attempt gets it anew
    answer = await connection.call(beginOperation, request, { waitMs: 0 });
  }
  const outcome = answer.response.outcome;
  switch (outcome.case) {
    case "acquired": {
      const { claim, leaseRemaining } = outcome.value;
      return new Holder<T>(connection, new Claim(claim, answer, leaseRemaining, holdAtMostMs), leaseMs).run(work);
    }
    case "replay":
      return replayed<T>(outcome.value);
    case "inProgress": {
      const busy = new errors.InProgress("another call with this request id is in progress");
      const retryAfter = outcome.value.retryAfter;
      throw Object.assign(busy, { retryAfterMs: Math.max(retryAfter ? durationMs(retryAfter) : 0, 100) });
    }
    case "keyReused":
      throw new errors.KeyReused(`request id ${requestId} was used with another input; use a new one`);
    case "indeterminate":
      throw new errors.Indeterminate("an earlier attempt may have taken effect; an operator must resolve the operation");
    case "untracked":
    case undefined:
      throw new errors.HapaxError(`the outcome ${outcome.case} is unknown to this kit; upgrade it`);
  }
}

class Holder<T> {
  constructor(
    private readonly connection: Connection,
    private readonly claim: Claim,
    private readonly leaseMs: number,
  ) {}

  async run(work: Work<T>): Promise<T> {
    const lease = duration(this.leaseMs);
    const renewals = new Renewals("operation", async ([claim], timeout) => {
      const answer = await this.connection.tryOnce(renewOperation, { claim, lease }, timeout);
      return { ...answer, response: [answer.response] };
    });
    renewals.keep(this.claim);
    try {
      return await this.end(work);
    } finally {
      renewals.release(this.claim);
    }
  }

  private async end(work: Work<T>): Promise<T> {
    let value: T;
    try {
      value = await work(this.claim);
    } catch (error) {
      return this.fail(error);
    }
    if (this.claim.inSql !== undefined) {
      // only a failure finds out whether the transaction was committed; a completion would hide a rollback
      return this.fail(new errors.NotCommitted("the work was completed in a transaction that was not committed"));
    }
    const { outcome } = await this.complete(value);
    return outcome.case === "claimLost" ? this.overtaken(outcome.value) : value;
  }

  private async complete(value: T): Promise<CompleteOperationResponse> {
    let result = notRetained;
    try {
      result = toPayload(value);
    } catch (error) {
      this.log("the result is not kept", error);
    }
    const send = async (): Promise<CompleteOperationResponse> =>
      (await this.connection.record(completeOperation, { claim: this.claim.message, result })).response;
    try {
      return await send().catch((error: unknown) => {
        if (!(error instanceof errors.Refused)) throw error;
        // the effect has happened, so the key must not be free again
        this.log("the result was refused and is not kept", error);
        result = notRetained;
        return send();
      });
    } catch (error) {
      throw new errors.Unrecorded(value, error as Error);
    }
  }

  private async fail(error: unknown): Promise<T> {
    const kind =
      error instanceof errors.FinalFailure
        ? FailureKind.FINAL
        : error instanceof errors.UnknownEffect
          ? FailureKind.UNKNOWN_EFFECT
          : FailureKind.RETRYABLE;
    const request = { claim: this.claim.message, kind, failure: failure(error) };
    const answer = await this.connection.record(failOperation, request).catch((unrecorded: unknown) => {
      this.log("the failure is not recorded", unrecorded);
      throw error;
    });
    const { outcome } = answer.response;
    if (outcome.case !== "claimLost") throw error;
    return this.overtaken(outcome.value, error);
  }

  private overtaken(lost: LostMessage, cause?: unknown): T {
    if (this.claim.inSql !== undefined && lost.reason === ClaimLostReason.ENDED) return this.claim.inSql.value as T;
    if (lost.replay === undefined) throw new errors.ClaimLost(ClaimLostReason[lost.reason], { cause });
    return replayed(lost.replay);
  }

  private log(what: string, error: unknown): void {
    console.error(`hapax: claim ${this.claim.message?.id}: ${what}:`, error);
  }
}

function replayed<T>(replay: Replay): T {
  if (replay.failure !== undefined) {
    const { code, message } = replay.failure;
    throw Object.assign(new errors.Rejected(`the operation failed: ${code} ${message}`), { failureCode: code });
  }
  if (replay.result?.content.value === NOT_RETAINED)
    throw new errors.NotRetained("the work is done, but its result was not kept");
  return fromPayload(replay.result) as T;
}
