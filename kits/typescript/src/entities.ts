/** Entities: one caller at a time acts on an invoice. */

import { randomUUID } from "node:crypto";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { Claim } from "./claims.js";
import type { Connection } from "./connection.js";
import * as errors from "./errors.js";
import { ActionFailureKind, type Entity } from "./gen/hapax/v1/entity_pb.js";
import { EntityService } from "./gen/hapax/v1/entity_service_pb.js";
import { Holder, type Work, type WorkCalls } from "./holder.js";
import { duration, failure } from "./values.js";

const { createEntity, getEntity, beginAction, completeAction, failAction, renewAction } = EntityService.method;

/** How an action runs. */
export interface ActOptions {
  /** The lease in milliseconds; that of the janitor unless given. */
  readonly leaseMs?: number | undefined;
  /** How many milliseconds to wait for another holder; 0 unless given, at most 30,000. */
  readonly waitMs?: number | undefined;
  /** Only if the entity has this version. */
  readonly expectedVersion?: bigint | undefined;
  /** After how many milliseconds the lease is renewed no longer; an hour unless given. */
  readonly holdAtMostMs?: number | undefined;
  /** Who acts, for the history. */
  readonly actor?: string | undefined;
  /** Stops the wait for the begin. An action that has begun goes on. */
  readonly abort?: AbortSignal | undefined;
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
   * If the action throws, the entity goes back to where it was, and the error passes as in Client.once. Write `claim.fence` with what the
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
        const claim = new Claim(outcome.value.claim, answer, outcome.value.leaseRemaining, this.connection.logger, holdAtMostMs);
        return new Holder<T>(claim, this.calls(lease)).run(action);
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

  private calls(lease: Duration | undefined): WorkCalls {
    const { connection } = this;
    return {
      kind: "action",
      payloads: connection.payloads,
      unkept: undefined,
      renew: (claim, timeout) => connection.tryOnce(renewAction, { claim, lease }, timeout),
      complete: (claim, output) => connection.record(completeAction, { claim, output }),
      fail: (claim, error) => connection.record(failAction, { claim, kind: failureKind(error), message: failure(error).message }),
    };
  }
}

function failureKind(error: unknown): ActionFailureKind {
  if (error instanceof errors.Invalid) return ActionFailureKind.INVALID;
  return error instanceof errors.WorkFailure ? ActionFailureKind.FAILURE : ActionFailureKind.EXCEPTION;
}
