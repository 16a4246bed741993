/** Operations: work that runs once for each request id. */

import { randomUUID } from "node:crypto";
import { type Duration, durationMs } from "@bufbuild/protobuf/wkt";
import { Claim } from "./claims.js";
import type { Connection } from "./connection.js";
import * as errors from "./errors.js";
import { FailureKind } from "./gen/hapax/v1/common_pb.js";
import { OnStale } from "./gen/hapax/v1/operation_pb.js";
import { OnReleasedMismatch, OperationService } from "./gen/hapax/v1/operation_service_pb.js";
import { Holder, type Work, type WorkCalls, replayed } from "./holder.js";
import { checkedName, duration, failure, fingerprint, toPayload } from "./values.js";

const notRetained = toPayload("result", { "@type": "hapax.dev/result-not-retained" });
const { beginOperation, completeOperation, failOperation, renewOperation } = OperationService.method;

/** How an operation runs. */
export interface OnceOptions {
  /** What a duplicate must have in common: anything with a JSON, or bytes. */
  readonly input?: unknown;
  /** On whose behalf the work is done. */
  readonly account?: string | undefined;
  /** After how many milliseconds a holder that died is replaced; 60,000 unless given. */
  readonly leaseMs?: number | undefined;
  /** How many milliseconds to wait for another holder; 0 unless given, at most 30,000. */
  readonly waitMs?: number | undefined;
  /** How many milliseconds the result is replayed; a day unless given. */
  readonly ttlMs?: number | undefined;
  /** Whether a call takes over from a holder that died, or leaves the operation to an operator. */
  readonly onStale?: "TAKE_OVER" | "HOLD" | undefined;
  /** Whether another input is accepted after a failure. */
  readonly acceptCorrections?: boolean | undefined;
  /** After how many milliseconds the lease is renewed no longer; an hour unless given. */
  readonly holdAtMostMs?: number | undefined;
  /** Stops the wait for the begin. Work that has begun goes on. */
  readonly abort?: AbortSignal | undefined;
}

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
      return new Holder<T>(
        new Claim(claim, answer, leaseRemaining, connection.logger, holdAtMostMs),
        calls(connection, request.lease),
      ).run(work);
    }
    case "replay":
      return replayed<T>(outcome.value, connection.payloads);
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

function calls(connection: Connection, lease: Duration | undefined): WorkCalls {
  return {
    kind: "operation",
    payloads: connection.payloads,
    unkept: notRetained,
    renew: (claim, timeout) => connection.tryOnce(renewOperation, { claim, lease }, timeout),
    complete: (claim, result) => connection.record(completeOperation, { claim, result }),
    fail: (claim, error) => connection.record(failOperation, { claim, kind: failureKind(error), failure: failure(error) }),
  };
}

function failureKind(error: unknown): FailureKind {
  if (error instanceof errors.FinalFailure) return FailureKind.FINAL;
  return error instanceof errors.UnknownEffect ? FailureKind.UNKNOWN_EFFECT : FailureKind.RETRYABLE;
}
