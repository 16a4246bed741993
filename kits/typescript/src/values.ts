/** What is sent: payloads, fingerprints, names and durations. */

import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type Duration, durationFromMs } from "@bufbuild/protobuf/wkt";
import { type Payload, PayloadSchema } from "./gen/hapax/v1/common_pb.js";

const MAX_PAYLOAD_BYTES = 262_144;
export const NOT_RETAINED = '{"@type":"hapax.dev/result-not-retained"}';

/**
 * Returns the payload of a value: nothing for undefined, bytes as they are, everything else as JSON.
 *
 * Throws TypeError or RangeError if the value has no JSON, or has more than 256 KiB.
 */
export function toPayload(value: unknown): Payload | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Uint8Array) return payload("binary", value, value.length);
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`a ${typeof value} has no JSON`);
  return payload("json", json, Buffer.byteLength(json));
}

function payload(...[kind, value, size]: ["binary", Uint8Array, number] | ["json", string, number]): Payload {
  if (size > MAX_PAYLOAD_BYTES) throw new RangeError(`a payload must have at most ${MAX_PAYLOAD_BYTES} bytes (was ${size})`);
  return create(PayloadSchema, { content: { case: kind, value } as Payload["content"] });
}

/** Returns the value of a payload; undefined if it is unset. */
export function fromPayload(of: Payload | undefined): unknown {
  return of?.content.case === "json" ? JSON.parse(of.content.value) : of?.content.value;
}

/**
 * Returns what a duplicate must have in common: SHA-256 of bytes, or of JSON as RFC 8785 writes it; nothing for undefined.
 *
 * Throws TypeError or RangeError for what has no such JSON. An integer beyond 2^53 - 1 has none: send it as a text.
 */
export function fingerprint(value: unknown): Uint8Array {
  if (value === undefined) return new Uint8Array();
  return createHash("sha256")
    .update(value instanceof Uint8Array ? value : canonical(value))
    .digest();
}

function canonical(value: unknown): string {
  if (typeof value === "number") return canonicalNumber(value);
  if (typeof value === "string") {
    if (/\p{Cs}/u.test(value)) throw new TypeError("an input must not have unpaired surrogates");
    return JSON.stringify(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value instanceof Map || value instanceof Set) {
    throw new TypeError(`an input must have a JSON, which a ${typeof value === "object" ? "Map or Set" : typeof value} has not`);
  }
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each === undefined ? null : each)).join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonical(value.toJSON());
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1)); // strings are compared by UTF-16 code units
  return `{${members.map(([name, each]) => `${canonical(name)}:${canonical(each)}`).join(",")}}`;
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`an input must have finite numbers (was ${value})`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`integers beyond 2^53 - 1 differ between languages; send ${value} as a text`);
  }
  return JSON.stringify(value);
}

/** Returns the text if it may be an id, a key, a token or another name; else throws RangeError. */
export function checkedName(field: string, text: string): string {
  const length = [...text].length;
  if (length > 255) throw new RangeError(`${field} must have at most 255 characters (was ${length})`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw new RangeError(`${field} must not have control characters or unpaired surrogates`);
  return text;
}

/** Returns what Hapax keeps of an error, cut to its limits. */
export function failure(error: unknown): { code: string; message: string } {
  const found = error instanceof Error ? error : new Error(String(error));
  const code = "failureCode" in found ? String(found.failureCode) : "";
  const message = Buffer.from(clean(found.message)).subarray(0, 4_096).toString();
  return { code: clean(code || found.name).slice(0, 255), message: message.replace(/\ufffd+$/, "") };
}

function clean(text: string): string {
  return text.replace(/\p{Cs}/gu, "?").replace(/[^\P{Cc}\n\t]/gu, " ");
}

/** Returns the message of a duration in milliseconds; undefined stays unset. */
export function duration(ms: number | undefined): Duration | undefined {
  return ms === undefined ? undefined : durationFromMs(Math.round(ms));
}
