/** The fit check: whether changed code fits runs that an earlier version of it began. */

import { readFileSync } from "node:fs";
import { type Message, fromJson } from "@bufbuild/protobuf";
import type { SuspendExecution } from "../executions.js";
import { PartState, type Task as TaskMessage, TaskSchema } from "../gen/hapax/v1/run_pb.js";
import type { FailTaskRequest, RecordStepRequest, ReleaseTaskRequest } from "../gen/hapax/v1/worker_service_pb.js";
import type { PayloadStore } from "../payloads.js";
import { Memory, type Tested, execute } from "./memory.js";

const AFTER_ALL_WAITS = Date.UTC(2200);

/** How the fit check reads runs. */
export interface FitsOptions {
  /** As the option of `connect`. */
  readonly payloads?: PayloadStore | undefined;
}

/**
 * Runs a workflow, or the handler of a code step, over the records of runs. `runs` is a file that `hapax run export` has printed.
 *
 * No body runs, and nothing is sent: the check of a run ends at its first part or wait that is not recorded. So the code must have no
 * effects outside of its parts. Throws Error with each run whose records do not fit the code, or over whose records it throws an error.
 */
export async function fits<I, O>(workflow: Tested<I, O>, runs: string | URL, { payloads }: FitsOptions = {}): Promise<void> {
  const lines = readFileSync(runs, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new Error(`${String(runs)} has no runs: print them by \`hapax run export\``);
  const problems: string[] = [];
  for (const line of lines) {
    const task = fromJson(TaskSchema, JSON.parse(line), { ignoreUnknownFields: true });
    const problem = await problemOf(workflow, task, payloads);
    if (problem !== undefined) problems.push(`  ${task.run?.id}: ${problem}`);
  }
  if (problems.length > 0) {
    throw new Error([`${problems.length} of ${lines.length} runs do not fit the code:`, ...problems].join("\n"));
  }
}

async function problemOf<I, O>(
  workflow: Tested<I, O>,
  message: TaskMessage,
  store: PayloadStore | undefined,
): Promise<string | undefined> {
  const records = new Records(store);
  message.openParts = message.openParts.filter(({ state }) => state === PartState.FAILED); // others are yet to end
  await execute(workflow, message, records, (task) => {
    task.execution.now = () => AFTER_ALL_WAITS;
    records.stop = () => task.execution.release("the code has come to what is not recorded");
    task.execution.bodyOf = () => () => {
      throw records.stop();
    };
  });
  const { problem } = records;
  // a part that failed ends the run by itself, as the failure that it has does
  if (problem === undefined || problem.part || problem.code === message.run?.failure?.code) return undefined;
  return ["CODE_CHANGED", "STEP_CHANGED"].includes(problem.code) ? problem.message : `${problem.code}: ${problem.message}`;
}

/** Ends the execution at its first report. */
class Records extends Memory {
  problem: { readonly code: string; readonly message: string; readonly part: string } | undefined;
  stop!: () => SuspendExecution;

  protected answer(method: string, request: Message): object {
    if (method === "FailTask") this.problem = (request as FailTaskRequest).failure;
    if (method === "ReleaseTask") this.problem = (request as ReleaseTaskRequest).reason;
    if (method !== "RecordStep") return {};
    const { parts } = request as RecordStepRequest;
    if (!parts.every(({ name }) => name.includes("patched/"))) throw this.stop();
    const results = parts.map(({ result }) => ({ outcome: { case: "recorded", value: { output: result.value } } }));
    return { outcome: { case: "parts", value: { results } } };
  }
}
