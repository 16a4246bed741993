/** The work of a claim, which is renewed until its end is recorded. */

import { type Claim, type ClaimKind, type Renewal, Renewals } from "./claims.js";
import type { Answer } from "./connection.js";
import { ClaimLost, HapaxError, NotCommitted, NotRetained, NotSerializable, Refused, Rejected } from "./errors.js";
import { RetryableFailure, Unrecorded, WorkFailure } from "./errors.js";
import { ClaimLostReason, type Claim as ClaimMessage, type ClaimLost as LostMessage } from "./gen/hapax/v1/claim_pb.js";
import type { Payload } from "./gen/hapax/v1/common_pb.js";
import type { Replay } from "./gen/hapax/v1/operation_pb.js";
import type { Payloads } from "./payloads.js";
import { NOT_RETAINED, enumName } from "./values.js";

/** Work of the holder of a claim. */
export type Work<T> = (claim: Claim) => T | Promise<T>;

/** What Hapax answers to the end of work. */
export interface EndedWork {
  readonly outcome:
    | { readonly case: "claimLost"; readonly value: LostMessage }
    | { readonly case: "completed" | "failed" | "suspended" | "released" | undefined };
}

/** How a kind of work is renewed, and how its end is recorded. */
export interface WorkCalls {
  readonly kind: ClaimKind;
  readonly payloads: Payloads;
  /** Stands for a result that cannot be kept. */
  readonly unkept: Payload | undefined;
  renew(claim: ClaimMessage | undefined, timeout: number): Promise<Answer<Renewal>>;
  complete(claim: ClaimMessage | undefined, result: Payload | undefined): Promise<Answer<EndedWork>>;
  fail(claim: ClaimMessage | undefined, error: unknown): Promise<Answer<EndedWork>>;
}

/** Does the work of a claim. */
export class Holder<T> {
  constructor(
    private readonly claim: Claim,
    private readonly calls: WorkCalls,
  ) {}

  async run(work: Work<T>): Promise<T> {
    const renewals = new Renewals(this.calls.kind, async ([claim], timeout) => {
      const answer = await this.calls.renew(claim, timeout);
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
      return this.fail(error, this.outward(error));
    }
    if (this.claim.inSql !== undefined) {
      // only a failure finds out whether the transaction was committed; a completion would hide a rollback
      return this.fail(new NotCommitted("the work was completed in a transaction that was not committed"));
    }
    // a late operation gets the result of the holder that took over
    if (this.calls.kind === "action" && this.claim.isRevoked) throw this.claim.lost.reason;
    const { outcome } = await this.complete(value);
    return outcome.case === "claimLost" ? this.overtaken(outcome.value) : value;
  }

  private async complete(value: T): Promise<EndedWork> {
    let result = this.calls.unkept;
    try {
      result = await this.calls.payloads.write("result", value);
    } catch (error) {
      this.log("the result is not kept", error);
    }
    const send = async (): Promise<EndedWork> => (await this.calls.complete(this.claim.message, result)).response;
    try {
      return await send().catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        // the effect has happened, so the key must not be free again
        this.log("the result was refused and is not kept", error);
        result = this.calls.unkept;
        return send();
      });
    } catch (error) {
      throw new Unrecorded(value, error as Error);
    }
  }

  private async fail(error: unknown, outward = error): Promise<T> {
    const answer = await this.calls.fail(this.claim.message, error).catch((unrecorded: unknown) => {
      this.log("the failure is not recorded", unrecorded);
      throw outward;
    });
    const { outcome } = answer.response;
    if (outcome.case !== "claimLost") throw outward;
    return this.overtaken(outcome.value, error);
  }

  /** The error for the caller, who must not take that of another call of the work for one of this call. */
  private outward(error: unknown): unknown {
    const isOfWork = error instanceof WorkFailure || error instanceof NotSerializable || error === this.claim.lost.reason;
    if (isOfWork || !(error instanceof HapaxError)) return error;
    return new RetryableFailure(error.kind, error.message, { cause: error });
  }

  private async overtaken(lost: LostMessage, cause?: unknown): Promise<T> {
    if (this.claim.inSql !== undefined && lost.reason === ClaimLostReason.ENDED) return this.claim.inSql.value as T;
    if (lost.replay === undefined) throw new ClaimLost(enumName(ClaimLostReason, lost.reason), { cause });
    return replayed(lost.replay, this.calls.payloads);
  }

  private log(what: string, error: unknown): void {
    this.claim.logger.error(`hapax: claim ${this.claim.message?.id}: ${what}:`, error);
  }
}

/** Returns the result of an earlier call, or throws its failure. */
export async function replayed<T>(replay: Replay, payloads: Payloads): Promise<T> {
  if (replay.failure !== undefined) {
    const { code, message } = replay.failure;
    throw Object.assign(new Rejected(`the operation failed: ${code} ${message}`), { failureCode: code });
  }
  if (replay.result?.content.value === NOT_RETAINED) throw new NotRetained("the work is done, but its result was not kept");
  return (await payloads.read(replay.result)) as T;
}
