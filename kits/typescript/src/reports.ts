/** Reports about parts, and the change of the state that travels with them. */

import { setImmediate } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Claim } from "./claims.js";
import type { Connection } from "./connection.js";
import { FinalFailure, NotSerializable, Refused, UnknownAnswer } from "./errors.js";
import type { Payload } from "./gen/hapax/v1/common_pb.js";
import { type PartRecordSchema, type PartResult, WorkerService } from "./gen/hapax/v1/worker_service_pb.js";
import type { Use } from "./scopes.js";
import { MAX_PAYLOAD_BYTES, toPayload } from "./values.js";

const MOST_PARTS = 100;
const MOST_BYTES = 768 * 1_024;
const BYTES_OF_NAME = 1_024;
const BYTES_OF_FAILURE = 24 * 1_024; // with its stack

/** What happened to a part. */
export type PartReport = Omit<MessageInitShape<typeof PartRecordSchema>, "name" | "overlapped" | "$typeName" | "$unknown">;

interface Report {
  readonly use: Use;
  readonly parts: readonly PartReport[];
  readonly resolve: (results: PartResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The reports of one execution. Those that come while a call is under way go together in the next one. */
export class Reports {
  private readonly waiting: Report[] = [];
  private patch: Readonly<Record<string, unknown>> | undefined;
  private isSending = false;

  constructor(
    private readonly claim: Claim,
    private readonly connection: Connection,
  ) {}

  /** Reports what happened to a part, in one call; returns the results when they are durable. */
  send(use: Use, ...parts: readonly PartReport[]): Promise<PartResult[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ use, parts, resolve, reject });
      if (!this.isSending) void this.sendAll();
    });
  }

  /** Adds members to the change of the state that goes with the next output. */
  patchState(members: Readonly<Record<string, unknown>>): void {
    this.patch = { ...this.patch, ...members };
  }

  /** Drops members whose change a later record contains. */
  forget(members: Readonly<Record<string, unknown>>): void {
    const rest = Object.entries(this.patch ?? {}).filter(([name]) => !(name in members));
    this.patch = rest.length > 0 ? Object.fromEntries(rest) : undefined;
  }

  /** The change of the state that no record has taken along. */
  get statePatch(): Payload | undefined {
    return toPayload("state_patch", this.patch);
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      await setImmediate(); // what ends at the same time goes together
      await this.sendTogether(this.next());
    }
    this.isSending = false;
  }

  /** Takes as many reports as fit into one call. */
  private next(): Report[] {
    let count = 0;
    let bytes = this.patch === undefined ? 0 : MAX_PAYLOAD_BYTES;
    const end = this.waiting.findIndex(({ parts }, index) => {
      count += parts.length;
      bytes += parts.reduce((sum, part) => sum + size(part), 0);
      return index > 0 && (count > MOST_PARTS || bytes > MOST_BYTES);
    });
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end);
  }

  private async sendTogether(reports: readonly Report[]): Promise<void> {
    try {
      const results = await this.call(reports);
      for (const { parts, resolve } of reports) resolve(results.splice(0, parts.length));
    } catch (error) {
      const isRefused = error instanceof Refused || error instanceof NotSerializable;
      if (isRefused && reports.length > 1) {
        // nothing was stored, and only one of them may be at fault
        for (const each of reports) await this.sendTogether([each]);
      } else {
        for (const { use, reject } of reports) reject(error instanceof Refused ? notRecorded(use, error) : error);
      }
    }
  }

  private async call(reports: readonly Report[]): Promise<PartResult[]> {
    if (this.claim.isRevoked) this.claim.throwIfLost();
    const parts = reports.flatMap(({ use: { name, isOverlapped }, parts }) =>
      parts.map((part) => ({ ...part, name, overlapped: isOverlapped && part.result?.case === "output" })),
    );
    const patch = parts.some(({ result }) => result?.case === "output") ? this.patch : undefined;
    let isPatched = false;
    if (patch !== undefined) this.patch = undefined;
    try {
      const request = { claim: this.claim.message, parts, statePatch: toPayload("state_patch", patch) };
      const { outcome } = (await this.connection.record(WorkerService.method.recordStep, request)).response;
      if (outcome.case === "claimLost") throw this.claim.revoke(outcome.value);
      const results = outcome.case === "parts" ? outcome.value.results : [];
      if (results.length !== parts.length) {
        throw new UnknownAnswer(`Hapax answered ${parts.length} reports about parts with ${results.length} results; upgrade it`);
      }
      // it is applied with the first output that is new
      isPatched = results.some(({ outcome }) => outcome.case === "recorded" && !outcome.value.already);
      return [...results];
    } finally {
      if (patch !== undefined && !isPatched) this.patch = { ...patch, ...this.patch };
    }
  }
}

function size({ result }: PartReport): number {
  if (result?.case === "failure") return BYTES_OF_FAILURE;
  const content = result?.case === "output" ? result.value.content?.value : undefined;
  return BYTES_OF_NAME + (content === undefined ? 0 : Buffer.byteLength(content));
}

function notRecorded({ name }: Use, error: Refused): FinalFailure {
  return new FinalFailure(error.reason, `step ${name} was not recorded: ${error.message}`, { cause: error });
}
