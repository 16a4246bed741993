/** Hooks: one run owns a token, such as `order/4711`, and is reached by it. */

import type { Connection } from "./connection.js";
import { ClaimLost } from "./errors.js";
import { ClaimLostReason, type Claim as ClaimMessage } from "./gen/hapax/v1/claim_pb.js";
import { OnConflict, QueueFull } from "./gen/hapax/v1/hook_pb.js";
import { HookService } from "./gen/hapax/v1/hook_service_pb.js";
import { SignalDisposition } from "./gen/hapax/v1/run_pb.js";
import { type Signal, newSignal } from "./signals.js";
import { checkedName, duration, enumName } from "./values.js";

const { createHook, signalHook, getHook, disposeHook } = HookService.method;

/** A token to own, and what happens if another run owns it. */
export interface Hook {
  /** Who knows the token can signal its owner. */
  readonly token: string;
  /**
   * REJECT unless given: nothing starts, the owner is named. USE_EXISTING: the owner stands for the request. SIGNAL_EXISTING: it
   * also gets the signal. SUPERSEDE: it is cancelled; with `expectedOwner` only that run. QUEUE: the run waits for its turn; all
   * hooks of a start have it, or none.
   */
  readonly onConflict?: "REJECT" | "USE_EXISTING" | "SIGNAL_EXISTING" | "SUPERSEDE" | "QUEUE" | undefined;
  readonly expectedOwner?: string | undefined;
  /** How many milliseconds the token stays with the run after its end. */
  readonly retentionMs?: number | undefined;
  /** For steps that wait for its signals. */
  readonly name?: string | undefined;
  /** With QUEUE: how many runs may wait, at most 10,000; 1,000 unless given. */
  readonly queueLimit?: number | undefined;
  /**
   * With QUEUE: what happens beyond `queueLimit`. REJECT unless given: nothing starts. SUPERSEDE, only with a limit of 1: the run
   * that waits is CANCELLED, and this one waits instead.
   */
  readonly queueFull?: "REJECT" | "SUPERSEDE" | undefined;
}

/** Whether the run got the token, or the id of its owner. `fingerprint` stands for the token in events. */
export type HookAnswer =
  { readonly isOwner: true; readonly fingerprint: string } | { readonly isOwner: false; readonly owner: string };

export function hookFields({ token, onConflict = "REJECT", expectedOwner = "", retentionMs, name = "" }: Hook) {
  const retention = duration(retentionMs);
  return { token: checkedName("token", token), name, retention, onConflict: OnConflict[onConflict], expectedOwner };
}

export function startHookFields(hook: Hook) {
  const { queueLimit = 0, queueFull = "UNSPECIFIED" } = hook;
  return { ...hookFields(hook), queueLimit, queueFull: QueueFull[queueFull] };
}

/** Reaches runs by their tokens. A token without an owner is Refused (HOOK_NOT_FOUND). */
export class Hooks {
  /** @internal */
  constructor(private readonly connection: Connection) {}

  /** Gives an existing run the token. */
  create(runId: string, hook: Hook): Promise<HookAnswer> {
    return this.createFor(runId, hook);
  }

  /** @internal With a claim, only while the step is held by it. */
  async createFor(runId: string, hook: Hook, claim?: ClaimMessage): Promise<HookAnswer> {
    const { response } = await this.connection.call(createHook, { runId, claim, ...hookFields(hook) });
    const { outcome } = response;
    if (outcome.case === "claimLost") throw new ClaimLost(enumName(ClaimLostReason, outcome.value.reason));
    if (outcome.case === "conflict") return { isOwner: false, owner: outcome.value.runId };
    return { isOwner: true, fingerprint: outcome.value?.fingerprint ?? "" };
  }

  /** Puts a signal into the inbox of the owner; returns DELIVERED, BUFFERED or DUPLICATE. */
  async signal(token: string, signal: Signal): Promise<string> {
    const { response } = await this.connection.call(signalHook, { token, signal: newSignal(signal) });
    return enumName(SignalDisposition, response.disposition);
  }

  /** Returns the id of the run that owns the token, or has ended and keeps it; if there is none, of the first that waits. */
  async get(token: string): Promise<string> {
    const { response } = await this.connection.call(getHook, { token });
    return (response.hook ?? response.waiting[0])?.runId ?? "";
  }

  /** Frees the token, if this run owns it. */
  async dispose(token: string, runId: string): Promise<void> {
    await this.connection.call(disposeHook, { token, runId });
  }
}
