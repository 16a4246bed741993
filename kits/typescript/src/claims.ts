/** Claims and their leases, which are renewed while the work runs. */

import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Answer, Logger } from "./connection.js";
import { ClaimLost } from "./errors.js";
import { ClaimLostReason, type ClaimLost as LostMessage, type LeaseRenewed } from "./gen/hapax/v1/claim_pb.js";
import type { Claim as ClaimMessage } from "./gen/hapax/v1/claim_pb.js";
import type { Payload } from "./gen/hapax/v1/common_pb.js";
import { enumName } from "./values.js";

const MAX_CLAIMS = 500;
const TAKEN_KEPT = 10_000;
const MAX_DETAILS_OF_CALL = 524_288;

/** The last claims that this process was given: one that comes again is in work or finished, and is ignored. */
export class TakenClaims {
  private readonly ids = new Set<string>();

  constructor(private readonly logger: Logger) {}

  /** Returns false for a claim that was added before. */
  add(id: string): boolean {
    if (this.ids.has(id)) {
      this.logger.warn(`hapax: claim ${id} is ignored, it was received before`);
      return false;
    }
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > TAKEN_KEPT && oldest !== undefined) this.ids.delete(oldest);
    return true;
  }
}

/** What Hapax answers to the renewal of one claim. */
export interface Renewal {
  readonly outcome:
    | { readonly case: "renewed"; readonly value: LeaseRenewed }
    | { readonly case: "claimLost"; readonly value: LostMessage }
    | { readonly case: undefined };
}

/** The kind of work that a claim is for; it selects the function that completes the work in SQL. */
export type ClaimKind = "operation" | "action" | "task";

/**
 * The right to finish one piece of work, with a lease that is renewed until the work is recorded.
 *
 * `fence` only rises for one resource: hand it to what the work writes to, and refuse lower ones there.
 */
export class Claim {
  readonly fence: bigint;
  /** @internal */ isRevoked = false;
  /** @internal Is called when Hapax reports the loss. */ onRevoked = (): void => {};
  /** @internal The durable calls of a task that are in progress. */ parts = 0;
  /** @internal */ renewals: Renewals | undefined;
  /** @internal */ inSql: { readonly value: unknown } | undefined;
  /** @internal For the next attempt of a task, until they are stored. */ details: Payload | undefined;
  /** @internal */ length: number;
  /** @internal By performance.now(). */ attemptUntil = Infinity;
  private longest: number;
  private readonly loss = new AbortController();
  private readonly renewUntil: number;
  private safeUntil: number;
  private dueAt: number;
  private lossTimer: NodeJS.Timeout | undefined;

  /** @internal */
  constructor(
    /** @internal */ readonly message: ClaimMessage | undefined,
    answer: Answer<unknown>,
    remaining: Duration | undefined,
    /** @internal */ readonly logger: Logger,
    holdAtMost = Infinity,
    attempt?: Duration,
  ) {
    this.fence = message?.fence ?? 0n;
    const granted = answer.sentAt + answer.roundTrip;
    this.length = remaining === undefined ? Infinity : Math.max(1, durationMs(remaining) - answer.roundTrip);
    this.safeUntil = granted + this.length * 0.9;
    this.dueAt = granted + this.length / 3;
    this.longest = this.length;
    this.renewUntil = granted + holdAtMost;
    if (remaining !== undefined) this.cut(answer.sentAt, durationMs(remaining), attempt);
  }

  /** No renewal leads beyond the end of the attempt, so the lease needs no margin there. */
  private cut(sentAt: number, remaining: number, attempt: Duration | undefined): void {
    if (attempt === undefined) return;
    this.attemptUntil = sentAt + durationMs(attempt);
    if (durationMs(attempt) > remaining) return;
    this.safeUntil = this.attemptUntil;
    this.dueAt = performance.now() + this.longest / 3;
  }

  /** Returns a stand-in for work that Hapax does not track. */
  static untracked(): Claim {
    return new Claim(undefined, { response: undefined, sentAt: 0, roundTrip: 0 }, undefined, console);
  }

  /** Is aborted when another holder may have the work; its reason is a ClaimLost. Hand it to `fetch` and the like. */
  get lost(): AbortSignal {
    return this.loss.signal;
  }

  /** Whether another holder may have the work by now; then stop it. Once true, it stays true. */
  get isLost(): boolean {
    if (performance.now() >= this.safeUntil) this.lose("LEASE_LOST");
    return this.lost.aborted;
  }

  /** Throws ClaimLost if the claim is lost. */
  throwIfLost(): void {
    if (this.isLost) throw this.lost.reason;
  }

  /** @internal Marks the claim as lost, because Hapax said so: what the holder sends would not be recorded. */
  revoke(message: LostMessage): ClaimLost {
    this.isRevoked = true;
    this.onRevoked();
    this.lose(enumName(ClaimLostReason, message.reason));
    return new ClaimLost(enumName(ClaimLostReason, message.reason));
  }

  private lose(reason: string): void {
    if (this.lost.aborted) return;
    this.logger.warn(`hapax: claim ${this.message?.id} is lost: ${reason}`);
    this.loss.abort(new ClaimLost(reason));
  }

  /** @internal Reports the loss in time while a renewal is under way. */
  watch(isKept: boolean): void {
    clearTimeout(this.lossTimer);
    if (isKept && !this.lost.aborted) {
      this.lossTimer = setTimeout(() => this.isLost || this.watch(true), this.safeUntil - performance.now());
    }
  }

  /** @internal How much of the lease is left, from 0 to 1. */
  get left(): number {
    return (this.safeUntil - performance.now()) / this.length;
  }

  /** @internal When to renew, by performance.now(). */
  get renewAt(): number {
    return this.isRevoked || this.dueAt >= this.renewUntil ? Infinity : this.dueAt;
  }

  /** @internal Whether to renew now. A renewal that is nearly due joins the others. */
  isDue(now: number): boolean {
    return !this.isRevoked && now < this.renewUntil && now >= this.dueAt - this.length / 6;
  }

  /** @internal A renewal is under way; the next one is due after its result. */
  renewing(): void {
    this.dueAt = Infinity;
  }

  /** @internal Applies the result of a renewal; undefined if it failed. */
  renewed(result: Renewal | undefined, sentAt: number): void {
    const now = performance.now();
    if (result?.outcome.case === "renewed") {
      const { leaseRemaining: remaining, attemptRemaining } = result.outcome.value;
      this.length = Math.max(1, remaining ? durationMs(remaining) : 0);
      this.longest = Math.max(this.longest, this.length);
      this.safeUntil = sentAt + this.length - Math.max(this.length / 10, 2 * (now - sentAt));
      this.dueAt = sentAt + this.length / 3;
      this.cut(sentAt, this.length, attemptRemaining);
      if (this.renewals?.isKept(this)) this.watch(true);
    } else if (result?.outcome.case === "claimLost") {
      this.revoke(result.outcome.value);
    } else {
      this.dueAt = now + Math.min(this.length / 12, 2_000);
    }
  }
}

/** Renews claims at a third of their lease. */
export class Renewals {
  private readonly claims = new Set<Claim>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * `renew` sends one request for the claims, at most so many milliseconds, and returns a result for each. The details are none, or
   * one for each claim.
   */
  constructor(
    readonly kind: ClaimKind,
    private readonly renew: (
      claims: ClaimMessage[],
      timeout: number,
      details: readonly (Payload | undefined)[],
    ) => Promise<Answer<readonly Renewal[]>>,
  ) {}

  keep(claim: Claim): void {
    claim.renewals = this;
    this.claims.add(claim);
    claim.watch(true);
    this.schedule();
  }

  isKept(claim: Claim): boolean {
    return this.claims.has(claim);
  }

  /** Renews the claim no longer. A renewal that is on its way still counts. */
  release(claim: Claim): void {
    this.claims.delete(claim);
    claim.watch(false);
    this.schedule();
  }

  /** As release, for a claim whose record is about to be locked; renews before, if less than half of the lease remains. */
  async renewLast(claim: Claim): Promise<void> {
    this.release(claim);
    if (!claim.isRevoked && claim.left < 0.5) await this.renewNow([claim]);
  }

  /** Renews the claim now if it has details that are not stored. */
  async report(claim: Claim): Promise<void> {
    if (claim.details !== undefined) await this.renewNow([claim]);
  }

  private schedule(): void {
    clearTimeout(this.timer);
    const soonest = Math.min(...[...this.claims].map((claim) => claim.renewAt));
    if (soonest === Infinity) return;
    this.timer = setTimeout(() => this.renewDue(), Math.min(Math.max(5, soonest - performance.now()), 3_600_000));
  }

  /** A call without an answer does not hold up those of other claims, which may have shorter leases. */
  private renewDue(): void {
    const due = [...this.claims].filter((claim) => claim.isDue(performance.now())).slice(0, MAX_CLAIMS);
    if (due.length > 0) void this.renewNow(due);
    this.schedule();
  }

  private async renewNow(due: readonly Claim[]): Promise<void> {
    due.forEach((claim) => claim.renewing());
    const timeout = Math.max(20, Math.min(5_000, ...due.map((claim) => claim.length / 3)));
    const messages = due.flatMap((claim) => claim.message ?? []);
    const details = detailsOf(due);
    const sentAt = performance.now();
    const answer = await this.renew(messages, timeout, details).catch(() => undefined); // a renewal that failed is repeated
    due.forEach((claim, index) => {
      const result = answer?.response[index];
      claim.renewed(result, sentAt);
      if (result?.outcome.case === "renewed" && claim.details === details[index]) claim.details = undefined;
    });
    this.schedule();
  }
}

/** Returns no details, or those of each claim; what is too much for a request goes with a later one. */
function detailsOf(due: readonly Claim[]): readonly (Payload | undefined)[] {
  let size = 0;
  const details = due.map(({ details }) => {
    size += typeof details?.content.value === "object" ? details.content.value.length : 3 * (details?.content.value?.length ?? 0);
    return size <= MAX_DETAILS_OF_CALL ? details : undefined;
  });
  return details.some(Boolean) ? details : [];
}
