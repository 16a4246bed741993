/** The errors of calls, the outcomes without a result, and the failures that work may throw. */

import { Code, ConnectError } from "@connectrpc/connect";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

/**
 * The root of all errors of this package. `kind` is the name of its class.
 *
 * `code` is the gRPC status and `reason` the name of an ErrorReason; both are empty if the error is not the answer to a call.
 * `metadata` belongs to the reason, such as `run_id`.
 */
export class HapaxError extends Error {
  readonly kind: string = "HapaxError";
  code = "";
  reason = "";
  metadata: Readonly<Record<string, string>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Without a member of its own, TypeScript would take two classes for the same type. */
function ofKind<K extends string>(kind: K) {
  return class extends HapaxError {
    override readonly kind = kind;
  };
}

/** Hapax was unreachable for too long. The call may have taken effect; the same call with the same key is safe to repeat. */
export class Unavailable extends ofKind("Unavailable") {}

/** Hapax rejected the call and changed nothing; the same call would be rejected again. */
export class Refused extends ofKind("Refused") {}

/** A value has no JSON, or none of at most 256 KiB, or a field no encoding. Nothing was sent. `place` is such as `input.lines[0]`. */
export class NotSerializable extends ofKind("NotSerializable") {
  constructor(
    readonly place: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${place} cannot be sent: ${problem}`, options);
  }
}

/** Hapax did not accept the API key: it is missing, unknown, expired or revoked. */
export class Unauthenticated extends ofKind("Unauthenticated") {}

/** Hapax knows the caller, which has no role for this call in this workspace. */
export class PermissionDenied extends ofKind("PermissionDenied") {}

/** Hapax is newer than this package, and answered what it does not know. The call may have taken effect. Upgrade the package. */
export class UnknownAnswer extends ofKind("UnknownAnswer") {}

/** Another call with this request id is in progress. Repeat after `retryAfterMs` milliseconds. */
export class InProgress extends ofKind("InProgress") {
  retryAfterMs = 1_000;
}

/** The request id was used with another input; use a new one. */
export class KeyReused extends ofKind("KeyReused") {}

/** An earlier attempt may have taken effect; an operator must resolve the operation. */
export class Indeterminate extends ofKind("Indeterminate") {}

/** The operation failed for good, in an earlier call. `failureCode` is the code of its FinalFailure. */
export class Rejected extends ofKind("Rejected") {
  failureCode = "";
}

/** The work is done, but its result was above 256 KiB, or had no JSON, and was not kept. */
export class NotRetained extends ofKind("NotRetained") {}

/** The work was completed in a transaction that was not committed. Nothing happened. */
export class NotCommitted extends ofKind("NotCommitted") {}

/** Another action on the entity is in progress. `holder` is the actor of its begin. */
export class ClaimFailed extends ofKind("ClaimFailed") {
  holder = "";
}

/** The entity is free, but the step does not start from its `status`. */
export class WrongStatus extends ofKind("WrongStatus") {
  status = "";
}

/** The lifecycle has no such step for this requester. */
export class NotAllowed extends ofKind("NotAllowed") {}

/** The lease of the last holder expired, and the janitor of the module must recover the entity first. */
export class NeedsRecovery extends ofKind("NeedsRecovery") {}

/** Another holder took over, or an operator did. The work of this holder was not recorded. `reason` says why. */
export class ClaimLost extends ofKind("ClaimLost") {
  override reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the claim is lost (${reason}): the work was not recorded`, options);
    this.reason = reason;
  }
}

/** The work is done, but Hapax did not confirm its record in time. `value` is what the work returned. */
export class Unrecorded extends ofKind("Unrecorded") {
  readonly value: unknown;

  constructor(value: unknown, cause: Error) {
    super(`the work is done, but its record is not confirmed: ${cause.message}`, { cause });
    this.value = value;
  }
}

/** The run ended as FAILED. `failureCode` is the code of its failure. */
export class RunFailed extends ofKind("RunFailed") {
  failureCode = "";
}

/** The run ended as CANCELLED. */
export class RunCancelled extends ofKind("RunCancelled") {}

/** The run has not ended in time. */
export class RunNotEnded extends ofKind("RunNotEnded") {}

/**
 * A part of the task failed for good, and fails so in each execution. A handler may catch it; otherwise it ends the run as FAILED.
 *
 * `part` is its full name, `failureCode` (and `code`) the code of its last failure, and `attempts` the number of that attempt.
 */
export class PartFailed extends ofKind("PartFailed") {
  constructor(
    readonly part: string,
    readonly failureCode: string,
    text: string,
    readonly attempts: number,
  ) {
    super(text || failureCode);
    this.code = failureCode;
  }
}

/** A failure that work throws to decide what a duplicate gets. Throw one of the kinds below. */
export abstract class WorkFailure extends HapaxError {
  readonly failureCode: string;

  /** `code` is for programs, such as `CARD_DECLINED`, at most 255 characters; `text` for people, at most 4 KiB. */
  constructor(code: string, text = "", options?: ErrorOptions) {
    super(text || code, options);
    this.failureCode = code;
  }
}

/** Nothing happened: the next call, or the next attempt of a part or a step, does the work. Other errors count as this one. */
export class RetryableFailure extends WorkFailure {
  override readonly kind = "RetryableFailure";
  /** The pause before the next attempt of a part or a step in milliseconds; as its policy says unless given. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, text = "", options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(code, text, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The work failed for good: each duplicate gets this failure, a part is not attempted again, and a step ends its run as FAILED. */
export class FinalFailure extends WorkFailure {
  override readonly kind = "FinalFailure";
}

/** A guarded call was not approved. `note` says why, in the words of the person. An agent may catch it and tell the model. */
export class ApprovalDenied extends FinalFailure {
  /** `tool` is the name of the tool. */
  constructor(
    tool: string,
    readonly note: string,
  ) {
    super("APPROVAL_DENIED", `the call of ${tool} was not approved${note && `: ${note}`}`);
  }
}

/**
 * The effect may have happened: the request id is kept for an operator. Thrown by the body of a part, it ends the run as FAILED,
 * until an operator settles the part. Of a step: the same as RetryableFailure.
 */
export class UnknownEffect extends WorkFailure {
  override readonly kind = "UnknownEffect";
}

/** The request to an action was invalid: the entity goes back to where it was, and its history says INVALID. */
export class Invalid extends WorkFailure {
  override readonly kind = "Invalid";
}

/** The status of a call that failed, with its details. `advisedMs` is the pause that Hapax asks for. */
export class CallError extends Error {
  metadata: Readonly<Record<string, string>> = {};

  constructor(
    readonly code: string,
    readonly text: string,
    readonly reason = "",
    readonly advisedMs?: number,
  ) {
    super(text);
  }

  static of(error: unknown): CallError {
    const connect = ConnectError.from(error);
    const info = connect.findDetails(ErrorInfoSchema)[0];
    const delay = connect.findDetails(RetryInfoSchema)[0]?.retryDelay;
    const name = connect.code === Code.Canceled ? "CANCELLED" : Code[connect.code].replace(/(?<=[a-z])(?=[A-Z])/g, "_");
    const found = new CallError(name.toUpperCase(), connect.rawMessage, info?.reason, delay && durationMs(delay));
    found.metadata = info?.metadata ?? {};
    return found;
  }

  /** Adds the address to an error of the connection, which has no reason of Hapax. */
  at(target: string): CallError {
    if (this.code !== "UNAVAILABLE" || this.reason !== "") return this;
    return new CallError(
      this.code,
      `${this.text} (the server is ${target}, by HAPAX_SERVER or the option server)`,
      "",
      this.advisedMs,
    );
  }

  /** Whether the same call may succeed when it is sent again. Every call carries its key, so that is safe. */
  isRepeatable(): boolean {
    if (this.code === "RESOURCE_EXHAUSTED") return this.advisedMs !== undefined;
    // without a reason it is from a proxy or the transport, not from Hapax
    if (["INTERNAL", "UNKNOWN", "CANCELLED"].includes(this.code)) return this.reason === "";
    return this.code === "UNAVAILABLE" || this.code === "DEADLINE_EXCEEDED";
  }

  /**
   * Returns the milliseconds before the next try; undefined if the error would repeat. `retry` is 0 after the first try.
   *
   * The holder of a claim has done its work, so it also waits for a new key while its key is not accepted.
   */
  pauseMs(retry: number, ofHolder = false): number | undefined {
    if (ofHolder && this.code === "UNAUTHENTICATED") return between(1_000, 2_000);
    if (!this.isRepeatable()) return undefined;
    const ceiling = Math.min(100 * 2 ** Math.min(retry, 20), 2_000);
    return between(ceiling / 2, ceiling) + (this.advisedMs ?? 0);
  }

  /** Returns the error for the caller. */
  exception(): HapaxError {
    const kinds: Record<string, typeof HapaxError> = { UNAUTHENTICATED: Unauthenticated, PERMISSION_DENIED: PermissionDenied };
    const kind = kinds[this.code] ?? (this.isRepeatable() ? Unavailable : Refused);
    const error = new kind(`${this.code}: ${this.text}`, { cause: this });
    return Object.assign(error, { code: this.code, reason: this.reason, metadata: this.metadata });
  }
}

function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

/** The kind of a class of errors, in its prototype. Other copies of this package have the same symbol. */
const KIND = Symbol.for("hapax.dev/error-kind");

/** Makes `instanceof` hold for errors of other copies of this package: an application may have its ES modules and its CommonJS. */
function isOfClass(this: { readonly prototype: object }, value: unknown): boolean {
  const kind = kindOf(this.prototype);
  // a class of the application has no kind of its own
  if (kind === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
  for (let each = value; typeof each === "object" && each !== null; each = Object.getPrototypeOf(each)) {
    if (kindOf(each) === kind) return true;
  }
  return false;
}

function kindOf(prototype: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, KIND)?.value;
}

const classes = {
  HapaxError,
  Unavailable,
  Refused,
  NotSerializable,
  Unauthenticated,
  PermissionDenied,
  UnknownAnswer,
  InProgress,
  KeyReused,
  Indeterminate,
  Rejected,
  NotRetained,
  NotCommitted,
  ClaimFailed,
  WrongStatus,
  NotAllowed,
  NeedsRecovery,
  ClaimLost,
  Unrecorded,
  RunFailed,
  RunCancelled,
  RunNotEnded,
  PartFailed,
  WorkFailure,
  RetryableFailure,
  FinalFailure,
  ApprovalDenied,
  UnknownEffect,
  Invalid,
  CallError,
};
for (const [kind, { prototype }] of Object.entries(classes)) Object.defineProperty(prototype, KIND, { value: kind });
for (const root of [HapaxError, CallError]) Object.defineProperty(root, Symbol.hasInstance, { value: isOfClass });
