/** Signals: messages to runs. */

import { randomUUID } from "node:crypto";
import { toPayload } from "./values.js";

/** A message to a run. */
export interface Signal {
  /** Selects the steps that receive it. */
  readonly type?: string | undefined;
  readonly payload?: unknown;
  /** A signal with the same id is delivered once; drawn by the kit unless given. */
  readonly signalId?: string | undefined;
}

export function newSignal({ type = "", payload, signalId = randomUUID() }: Signal) {
  return { signalId, type, payload: toPayload("payload", payload) };
}
