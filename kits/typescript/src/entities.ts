/** Entities: one caller at a time acts on an invoice. */

import { randomUUID } from "node:crypto";
import { Claim, Renewals } from "./claims.js";
import type { Connection } from "./connection.js";
import * as errors from "./errors.js";
import { ClaimLostReason } from "./gen/hapax/v1/claim_pb.js";
import { ActionFailureKind, type Entity } from "./gen/hapax/v1/entity_pb.js";
import { EntityService } from "./gen/hapax/v1/entity_service_pb.js";
import type { Work } from "./operations.js";
import { duration, failure, toPayload } from "./values.js";

const { createEntity, getEntity, beginAction, completeAction, failAction, renewAction } = EntityService.method;

/** How an action runs. */
export interface ActOptions {
  /** The lease in milliseconds; that of the janitor unless given. */
  readonly leaseMs?: number;
  /** How many milliseconds to wait for another holder; 0 unless given, at most 30,000. */
  readonly waitMs?: number;
  /** Only if the entity has this version. */
  readonly expectedVersion?: bigint;
  /** After how many milliseconds the lease is renewed no longer; an hour unless given. */
  readonly holdAtMostMs?: number;
  /** Who acts, for the history. */
  readonly actor?: string;
  /** Stops the wait for the begin. An action that has begun goes on. */
  readonly abort?: AbortSignal;
}

/** Creates entities and acts on them, one holder at a time. */
export class Entities {
  /** @internal */
  constructor(private readonly connection: Connection) {}

  /** Lets an entity follow the lifecycle. Returns its status; one that is there is returned as it is. */
  async create(lifecycle: string, entityId: string, status: string): Promise<string> {
    return (await this.connection.call(createEntity, { lifecycle, entityId, status })).response.entity?.status ?? "";
  }

  /** Returns the entity, with its `status`, `version` and `claim`, or throws Refused (ENTITY_NOT_FOUND). */
  async get(lifecycle: string, entityId: string): Promise<Entity | undefined> {
    return (await this.connection.call(getEntity, { lifecycle, entityId })).response.entity;
  }

  /**
   * Runs the action as the holder of the entity, and completes it; what it returns is the output in the history.
   *
   * If the action throws, the entity goes back to where it was, and the error passes. Write `claim.fence` with what the
   * action writes, and refuse lower ones there.
   *
   * Throws ClaimFailed, WrongStatus, NotAllowed or NeedsRecovery if there is no grant, and ClaimLost or Unrecorded if the
   * end is not recorded.
   */
  async act<T>(
    lifecycle: string,
    entityId: string,
    step: string,
    requester: string,
    action: Work<T>,
    { leaseMs, waitMs = 0, expectedVersion = 0n, holdAtMostMs = 3_600_000, actor = "", abort }: ActOptions = {},
  ): Promise<T> {
    const lease = duration(leaseMs);
    const request = { lifecycle, entityId, stepKey: step, requester, attemptId: randomUUID(), lease, expectedVersion, actor };
    const answer = await this.connection.call(beginAction, request, { waitMs, abort });
    const { outcome } = answer.response;
    switch (outcome.case) {
      case "granted": {
        const claim = new Claim(outcome.value.claim, answer, outcome.value.leaseRemaining, holdAtMostMs);
        const renewals = new Renewals("action", async ([held], timeout) => {
          const renewal = await this.connection.tryOnce(renewAction, { claim: held, lease }, timeout);
          return { ...renewal, response: [renewal.response] };
        });
        renewals.keep(claim);
        return this.hold(claim, action).finally(() => renewals.release(claim));
      }
      case "claimFailed":
        throw Object.assign(new errors.ClaimFailed(outcome.value.message), { holder: outcome.value.holder });
      case "wrongStatus": {
        const { status } = outcome.value;
        throw Object.assign(new errors.WrongStatus(`step ${step} does not start from status ${status}`), { status });
      }
      case "notAllowed":
        throw new errors.NotAllowed(`lifecycle ${lifecycle} has no step ${step} for ${requester}`);
      case "needsRecovery":
        throw new errors.NeedsRecovery("the janitor of the module must recover the entity first");
      case undefined:
        throw new errors.HapaxError("the outcome is unknown to this kit; upgrade it");
    }
  }

  private async hold<T>(claim: Claim, action: Work<T>): Promise<T> {
    let value: T;
    let output;
    try {
      value = await action(claim);
      output = toPayload(value);
    } catch (error) {
      return this.fail(claim, error);
    }
    if (claim.inSql !== undefined) {
      // only a failure finds out whether the transaction was committed; a completion would hide a rollback
      const text = "the action was completed in a transaction that was not committed";
      return this.fail(claim, new errors.NotCommitted(text));
    }
    if (claim.isRevoked) throw claim.lost.reason;
    const request = { claim: claim.message, output };
    const answer = await this.connection.record(completeAction, request).catch((error: unknown) => {
      throw new errors.Unrecorded(value, error as Error);
    });
    const { outcome } = answer.response;
    if (outcome.case === "claimLost") throw claim.revoke(outcome.value);
    return value;
  }

  private async fail<T>(claim: Claim, error: unknown): Promise<T> {
    const { INVALID, FAILURE, EXCEPTION } = ActionFailureKind;
    const kind = error instanceof errors.Invalid ? INVALID : error instanceof errors.WorkFailure ? FAILURE : EXCEPTION;
    const request = { claim: claim.message, kind, message: failure(error).message };
    const answer = await this.connection.record(failAction, request).catch((unrecorded: unknown) => {
      console.error(`hapax: the failure of claim ${claim.message?.id} is not recorded:`, unrecorded);
      throw error;
    });
    const { outcome } = answer.response;
    if (outcome.case !== "claimLost") throw error;
    if (claim.inSql !== undefined && outcome.value.reason === ClaimLostReason.ENDED) return claim.inSql.value as T;
    throw new errors.ClaimLost(ClaimLostReason[outcome.value.reason], { cause: error });
  }
}
