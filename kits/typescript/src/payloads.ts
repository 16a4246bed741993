/** Large payloads, which Hapax has by reference: their bytes are in a store of the user. */

import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { FinalFailure, HapaxError } from "./errors.js";
import { type Payload, PayloadSchema } from "./gen/hapax/v1/common_pb.js";
import { fromPayload, toPayload } from "./values.js";

const MOST_INLINE_BYTES = 131_072;
const TYPE = "hapax.dev/stored";
const PREFIX = `{"@type":"${TYPE}"`;

/** Where large payloads are, such as a bucket. Calls may run at the same time, and `get` is also for what other clients put. */
export interface PayloadStore {
  /** Stores the bytes for as long as runs and operations may need them, and returns a reference of at most 1 KiB. */
  put(bytes: Uint8Array): string | Promise<string>;
  /** Returns the bytes that were stored under the reference. */
  get(ref: string): Uint8Array | Promise<Uint8Array>;
}

interface Stored {
  readonly ref: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Writes and reads payloads. Those above 128 KiB go to the store, if there is one. */
export class Payloads {
  constructor(private readonly store?: PayloadStore | undefined) {}

  /** As toPayload; a stored payload has no limit but that of the store. */
  async write(place: string, value: unknown): Promise<Payload | undefined> {
    const payload = toPayload(place, value, this.store === undefined ? undefined : Infinity);
    const content = payload?.content;
    if (this.store === undefined || content?.case === undefined) return payload;
    if (Buffer.byteLength(content.value) <= MOST_INLINE_BYTES) return payload;
    const bytes = Buffer.from(content.value as Uint8Array);
    const ref = await this.store.put(bytes);
    const text = JSON.stringify({ "@type": TYPE, ref, sha256: sha256(bytes), bytes: bytes.length });
    return payloadOf(content.case, Buffer.from(text));
  }

  /** As fromPayload, of what the store has. */
  async read(payload: Payload | undefined): Promise<unknown> {
    return fromPayload(await this.fetched(payload));
  }

  /**
   * Returns the payload as it was before it was stored. Throws FinalFailure (STORED_PAYLOAD_CHANGED) if the store has other bytes
   * than those that were put.
   */
  async fetched<P extends Payload | undefined>(payload: P): Promise<P | Payload> {
    if (payload === undefined || !isStored(payload)) return payload;
    const { ref, ...put } = JSON.parse(String(Buffer.from(payload.content.value as Uint8Array))) as Stored;
    if (this.store === undefined) throw new HapaxError(`the payload is in a store, as ${ref}: connect with \`payloads\``);
    const bytes = Buffer.from(await this.store.get(ref));
    if (bytes.length !== put.bytes || sha256(bytes) !== put.sha256) {
      const text = `the store has ${bytes.length} bytes as ${ref}, which differ from the ${put.bytes} bytes that were put`;
      throw new FinalFailure("STORED_PAYLOAD_CHANGED", text);
    }
    return payloadOf(payload.content.case, bytes);
  }
}

/** Whether the payload is a reference to what is in a store. */
export function isStored({ content: { value } }: Payload): boolean {
  if (typeof value === "string") return value.startsWith(PREFIX);
  return String(Buffer.from(value?.subarray(0, PREFIX.length) ?? [])) === PREFIX;
}

function payloadOf(form: Payload["content"]["case"], bytes: Buffer): Payload {
  return create(PayloadSchema, {
    content: form === "json" ? { case: form, value: bytes.toString() } : { case: "binary", value: bytes },
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
