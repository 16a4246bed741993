/** What earlier executions of a task recorded. */

import { setImmediate } from "node:timers/promises";
import { FinalFailure } from "./errors.js";
import type { OpenPart, RecordedStep, Task as TaskMessage } from "./gen/hapax/v1/run_pb.js";
import { PartState } from "./gen/hapax/v1/run_pb.js";

/** A page of records, and the token of the next one. */
export interface RecordPage {
  readonly recorded: readonly RecordedStep[];
  readonly nextPageToken: string;
}

/** The parts of a task when it was granted. Those that did not fit into the grant are read when a name is missing. */
export class Records {
  private readonly recorded = new Map<string, RecordedStep>();
  private readonly openParts: ReadonlyMap<string, OpenPart>;
  private readonly asked = new Set<string>();
  private token: string;
  private page: Promise<void> | undefined;

  constructor(
    task: TaskMessage,
    private readonly list: (pageToken: string) => Promise<RecordPage>,
  ) {
    this.token = task.moreRecordedToken;
    this.openParts = new Map(task.openParts.map((part) => [part.name, part]));
    this.add(task.recorded);
  }

  /** Returns the record of a part or a wait; undefined if there is none. Throws if it is one of the other kind. */
  async find(name: string, isWait: boolean): Promise<RecordedStep | undefined> {
    this.ask(name);
    while (!this.recorded.has(name) && !this.openParts.has(name) && this.token !== "") await this.more();
    const record = this.recorded.get(name);
    const wasWait = record?.isWait ?? (this.openParts.has(name) ? false : isWait);
    if (wasWait !== isWait) {
      const [before, now] = isWait ? ["a part", "a wait"] : ["a wait", "a part"];
      throw new FinalFailure("STEP_CHANGED", `${name} is recorded as ${before}, and is ${now} in this code; keep names stable`);
    }
    return record;
  }

  /** The code has asked for this name, whether or not it is recorded. */
  ask(name: string): void {
    this.asked.add(name);
  }

  /** Returns a part that has no output. */
  open(name: string): OpenPart | undefined {
    return this.openParts.get(name);
  }

  /** Whether a part is to be attempted again: then its pause may have resumed the task, and not the end of a wait. */
  get hasRetries(): boolean {
    return [...this.openParts.values()].some((part) => part.state === PartState.RETRY);
  }

  /** Returns the names of a scope that were recorded one after the other, and that the code has not asked for. */
  async leftOver(prefix: string): Promise<string[]> {
    while (this.token !== "") await this.more();
    const find = (): string[] =>
      this.unasked()
        .filter(({ name, overlapped }) => !overlapped && isChild(prefix, name))
        .map(({ name }) => name);
    // parts beside this one may ask for theirs before
    if (find().length > 0) await setImmediate();
    return find();
  }

  /** The records that the code has not asked for, of those that were read. */
  unasked(): RecordedStep[] {
    return [...this.recorded.values()].filter(({ name }) => !this.asked.has(name));
  }

  private more(): Promise<void> {
    const read = async (): Promise<void> => {
      const { recorded, nextPageToken } = await this.list(this.token);
      this.add(recorded);
      this.token = nextPageToken;
    };
    this.page ??= read().finally(() => (this.page = undefined));
    return this.page;
  }

  private add(records: readonly RecordedStep[]): void {
    for (const record of records) this.recorded.set(record.name, record);
  }
}

function isChild(prefix: string, name: string): boolean {
  return name.startsWith(prefix) && !name.slice(prefix.length).includes("/");
}
