/** What is sent: payloads, fingerprints, names and durations. */

import { createHash } from "node:crypto";
import { type Message, create } from "@bufbuild/protobuf";
import { type Duration, durationFromMs } from "@bufbuild/protobuf/wkt";
import { FinalFailure, NotSerializable, PartFailed, RetryableFailure, UnknownAnswer } from "./errors.js";
import { FailureKind, type Payload, PayloadSchema } from "./gen/hapax/v1/common_pb.js";

export const MAX_PAYLOAD_BYTES = 262_144;
export const NOT_RETAINED = '{"@type":"hapax.dev/result-not-retained"}';

/** Returns the payload of a value: nothing for undefined, bytes as they are, everything else as JSON. Throws NotSerializable. */
export function toPayload(place: string, value: unknown, most = MAX_PAYLOAD_BYTES): Payload | undefined {
  if (value === undefined) return undefined;
  const bytes = value instanceof Uint8Array;
  const content = bytes ? ({ case: "binary", value } as const) : ({ case: "json", value: toJson(place, value) } as const);
  const size = Buffer.byteLength(content.value);
  if (size > most) throw new NotSerializable(place, `it has ${size} bytes, of at most ${most}`);
  return create(PayloadSchema, { content });
}

/** Why a value with this name has no JSON; undefined if it has one. */
type Problem = (value: unknown, name: string) => string | undefined;

/** Returns the JSON of a value with all its content. Throws NotSerializable with the place that has none. */
export function toJson(place: string, value: unknown, problemOf: Problem = problem): string {
  const around: { readonly value: unknown; readonly place: string }[] = [];
  const checked = function (this: unknown, name: string, each: unknown): unknown {
    while (around.length > 0 && around.at(-1)?.value !== this) around.pop();
    const outer = around.at(-1)?.place;
    const at = outer === undefined ? place : Array.isArray(this) ? `${outer}[${name}]` : `${outer}.${name}`;
    const found = around.some((other) => other.value === each) ? "it is part of itself, in a cycle" : problemOf(each, name);
    if (found !== undefined) throw new NotSerializable(at, found);
    if (typeof each === "object") around.push({ value: each, place: at });
    return each;
  };
  try {
    const text: string | undefined = JSON.stringify(value, checked);
    if (text === undefined) throw new NotSerializable(place, "it is undefined");
    return text;
  } catch (error) {
    if (error instanceof NotSerializable) throw error;
    throw new NotSerializable(place, String(error), { cause: error });
  }
}

function problem(value: unknown): string | undefined {
  if (["bigint", "function", "symbol"].includes(typeof value)) return `a ${typeof value} has no JSON`;
  if (typeof value === "number" && !Number.isFinite(value)) return `${value} has no JSON`;
  return value instanceof Map || value instanceof Set ? "a Map or Set has no JSON" : undefined;
}

/** Returns the value of a payload; undefined if it is unset. */
export function fromPayload(of: Payload | undefined): unknown {
  if (of !== undefined && of.content.case === undefined) {
    const fields = fieldsOf(of.$unknown);
    throw new UnknownAnswer(`Hapax sent a payload whose content this package does not know (${fields}); upgrade it`);
  }
  return of?.content.case === "json" ? JSON.parse(of.content.value) : of?.content.value;
}

/** Names the fields of a message that are newer than this package. */
export function fieldsOf(unknown: Message["$unknown"]): string {
  return unknown?.map(({ no }) => `field ${no}`).join(", ") || "no field";
}

/** Returns the name of an enum's value; its number if it is newer than this package. */
export function enumName<E extends Record<number, string>>(of: E, value: number): string {
  return of[value] ?? String(value);
}

/**
 * Returns what a duplicate must have in common: SHA-256 of bytes, or of JSON as RFC 8785 writes it; nothing for undefined.
 *
 * Throws NotSerializable for what has no such JSON. An integer beyond 2^53 - 1 has none: send it as a text.
 */
export function fingerprint(value: unknown): Uint8Array {
  if (value === undefined) return new Uint8Array();
  const bytes = value instanceof Uint8Array ? value : canonical(JSON.parse(toJson("input", value, problemOfInput)));
  return createHash("sha256").update(bytes).digest();
}

function problemOfInput(value: unknown, name: string): string | undefined {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `integers beyond 2^53 - 1 differ between languages; send ${value} as a text`;
  }
  return [name, value].some((text) => typeof text === "string" && /\p{Cs}/u.test(text))
    ? "it has an unpaired surrogate"
    : problem(value);
}

/** The JSON of a parsed JSON with sorted members. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)); // by UTF-16 code units
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(",")}}`;
}

/** Returns why a text may not be a name; undefined if it may. */
export function nameProblem(field: string, text: string): string | undefined {
  const length = [...text].length;
  if (length > 255) return `${field} must have at most 255 characters (was ${length})`;
  return /[\p{Cc}\p{Cs}]/u.test(text) ? `${field} must not have control characters or unpaired surrogates` : undefined;
}

/** Returns the text if it may be an id, a key, a token or another name; else throws RangeError. */
export function checkedName(field: string, text: string): string {
  const problem = nameProblem(field, text);
  if (problem !== undefined) throw new RangeError(problem);
  return text;
}

/** Returns the text if the code may give it to a part, a map or a patch; else throws FinalFailure. */
export function checkedPartName(text: string): string {
  const isPlain = text !== "" && !text.includes("/") && !/#[0-9]+$/.test(text);
  const rule = "the name of a part must not be empty, contain `/`, or end in `#` and digits";
  const problem = isPlain ? nameProblem("the name of a part", text) : `${rule} (was ${JSON.stringify(text)})`;
  if (problem !== undefined) throw new FinalFailure("STEP_NAME_INVALID", problem);
  return text;
}

/** Returns the text if it may be the value of a header `Idempotency-Key`, of bytes read as Latin-1; else throws RangeError. */
export function checkedKey(text: string): string {
  if (!/^[ -~]+$/.test(text)) {
    throw new RangeError("the header Idempotency-Key must have printable ASCII only, the bytes 0x20 to 0x7E, and not be empty");
  }
  return checkedName("Idempotency-Key", text);
}

/** Returns what Hapax keeps of an error, cut to its limits. */
export function failure(error: unknown): { code: string; message: string } {
  const found = error instanceof Error ? error : new Error(String(error));
  const code = "failureCode" in found ? String(found.failureCode) : "";
  return { code: clean(code || found.name).slice(0, 255), message: cut(found.message, 4_096) };
}

/** Returns what Hapax keeps of the stack of an error. */
export function stack(error: unknown): string {
  return error instanceof Error ? cut(error.stack ?? "", 16_384) : "";
}

/** Returns how the failure of a part or a step is reported. */
export function report(error: unknown) {
  // what cannot be sent could not be sent by the next attempt either
  const cause = error instanceof NotSerializable ? new FinalFailure("RESULT_REFUSED", error.message, { cause: error }) : error;
  const isFinal = cause instanceof FinalFailure || cause instanceof PartFailed;
  const after = cause instanceof RetryableFailure ? cause.retryAfterMs : undefined;
  return {
    failure: { ...failure(cause), part: cause instanceof PartFailed ? cause.part : "" },
    kind: isFinal ? FailureKind.FINAL : FailureKind.RETRYABLE,
    retryAfter: after === undefined ? undefined : duration(Math.max(1, after)),
  };
}

function cut(text: string, bytes: number): string {
  return Buffer.from(clean(text))
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

function clean(text: string): string {
  return text.replace(/\p{Cs}/gu, "?").replace(/[^\P{Cc}\n\t]/gu, " ");
}

/** Returns the message of a duration in milliseconds; undefined stays unset. */
export function duration(ms: number | undefined): Duration | undefined {
  return ms === undefined ? undefined : durationFromMs(Math.round(ms));
}
