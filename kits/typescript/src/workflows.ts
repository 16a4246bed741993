/** Workflows: a definition of one code step, and its handler. */

import { create, toJson } from "@bufbuild/protobuf";
import type { CallOptions, Connection } from "./connection.js";
import { PermissionDenied, Refused } from "./errors.js";
import {
  type CodeStep,
  CodeStepSchema,
  type Definition,
  type Limit as LimitMessage,
  LimitSchema,
} from "./gen/hapax/v1/definition_pb.js";
import { DefinitionService } from "./gen/hapax/v1/definition_service_pb.js";
import { type Limit, limitFields } from "./limits.js";
import { type RetryOptions, policy } from "./parts.js";
import { CannotStart } from "./polling.js";
import type { Task } from "./tasks.js";
import { duration } from "./values.js";
import type { Steps } from "./worker.js";

const { registerDefinition, getDefinition } = DefinitionService.method;
const STEP = "main";

interface Fields {
  readonly [name: string]: unknown;
}

/** What a code step has where it says nothing, as JSON of its message. */
const DEFAULTS: Fields = {
  lease: "30s",
  retry: { maxAttempts: 3, initial: "1s", factor: 2, max: "300s" },
  partRetry: { maxAttempts: 8, initial: "1s", factor: 2, max: "60s" },
};

/** Where and how a workflow runs. What is not given is as the server says. */
export interface WorkflowOptions {
  /** The queue that its workers poll. */
  readonly queue: string;
  /** The version of its definition, which never changes: another queue or option needs another one. "1" unless given. */
  readonly version?: string | undefined;
  /** After how many milliseconds a worker that died is replaced; 30,000 unless given. */
  readonly leaseMs?: number | undefined;
  /**
   * How many milliseconds an execution may take, up to its end or its next wait; any time unless given. Then its worker loses the
   * task, and it fails with ATTEMPT_TIMEOUT.
   */
  readonly attemptTimeoutMs?: number | undefined;
  /** The limits that an execution must pass to reach the queue, at most 4: the run waits until all have room. */
  readonly limits?: readonly Limit[] | undefined;
  /**
   * The limits that a run must pass to start, at most 4: it counts until its end, also while it sleeps. Its start must have no hooks.
   */
  readonly runLimits?: readonly Limit[] | undefined;
  /** Which failed executions are repeated; `maxAttempts` counts those in a row without progress, 3 unless given. */
  readonly retry?: Omit<RetryOptions, "giveUpAfterMs"> | undefined;
  /** Which failed attempts of parts are repeated, unless a part says otherwise. */
  readonly partRetry?: RetryOptions | undefined;
}

/** A workflow with an input of the type `I` and an output of the type `O`: for `client.worker` and `client.runs.start`. */
export interface Workflow<I = unknown, O = unknown> {
  readonly name: string;
  readonly version: string;
  readonly options: WorkflowOptions;
  readonly handler: (task: Task, input: I) => O | Promise<O>;
}

/** A workflow of any input. */
export type AnyWorkflow = Workflow<never>;

/**
 * Returns a workflow: a definition with this name, of one code step `main`, and its handler.
 *
 * The handler gets its task and the input of the run, which is not checked to be an `I`. A worker registers the definition.
 */
export function workflow<I = unknown, O = unknown>(
  name: string,
  options: WorkflowOptions,
  handler: (task: Task, input: I) => O | Promise<O>,
): Workflow<I, O> {
  return { name, version: options.version ?? "1", options, handler };
}

export function isWorkflows(of: readonly string[] | readonly AnyWorkflow[]): of is readonly AnyWorkflow[] {
  return of.some((each) => typeof each !== "string");
}

/** Returns the queues of workflows, each once. */
export function queuesOf(workflows: readonly AnyWorkflow[]): string[] {
  return [...new Set(workflows.map(({ options }) => options.queue))];
}

/** Returns the handlers of workflows. Throws RangeError if two have one name. */
export function stepsOf(workflows: readonly AnyWorkflow[]): Steps {
  const steps: Record<string, (task: Task) => unknown> = {};
  for (const { name, handler } of workflows) {
    const step = `${name}/${STEP}`;
    if (step in steps)
      throw new RangeError(`two workflows of the worker are named ${name}; a worker runs all versions by one handler`);
    steps[step] = (task) => handler(task, task.input());
  }
  return steps;
}

/** Registers the definition, or finds out that it is registered. Throws CannotStart if it is not, or has other steps. */
export async function registerWorkflow(connection: Connection, workflow: AnyWorkflow, how: CallOptions): Promise<void> {
  const { name, version } = workflow;
  const code = codeOf(workflow);
  const limits = (workflow.options.runLimits ?? []).map((limit) => create(LimitSchema, limitFields(limit)));
  try {
    await connection.call(
      registerDefinition,
      { name, version, limits, steps: [{ name: STEP, kind: { case: "code", value: code } }] },
      how,
    );
  } catch (error) {
    if (error instanceof PermissionDenied) await compare(connection, workflow, code, limits, how);
    else throw error instanceof Refused ? new CannotStart(error.message, { cause: error }) : error;
  }
}

function codeOf({ options: { queue, leaseMs, retry, partRetry, attemptTimeoutMs, limits = [] } }: AnyWorkflow): CodeStep {
  return create(CodeStepSchema, {
    queue,
    lease: duration(leaseMs),
    retry: policy(retry),
    partRetry: policy(partRetry),
    attemptTimeout: duration(attemptTimeoutMs),
    limits: limits.map(limitFields),
  });
}

/** Compares with what is registered. */
async function compare(
  connection: Connection,
  { name, version }: AnyWorkflow,
  code: CodeStep,
  limits: readonly LimitMessage[],
  how: CallOptions,
): Promise<void> {
  const called = `version ${JSON.stringify(version)} of ${JSON.stringify(name)}`;
  let registered: Definition | undefined;
  try {
    registered = (await connection.call(getDefinition, { name, version }, how)).response.definition;
  } catch (error) {
    if (error instanceof PermissionDenied) {
      connection.logger.warn(
        `hapax: this worker may neither register nor read ${called}: it begins without a check of its steps`,
      );
      return;
    }
    if (!(error instanceof Refused)) throw error;
    const advice =
      "this worker may not register it: let a client with the permission define do it, or give this one that permission";
    throw new CannotStart(`${called} is not registered, and ${advice}`, { cause: error });
  }
  const steps = registered?.steps ?? [];
  const [found] = steps;
  const isOne = steps.length === 1 && found?.name === STEP && found.kind.case === "code";
  const differences = isOne ? differencesOf(found.kind.value as CodeStep, code) : [`steps are not one code step "${STEP}"`];
  const [before, now] = [textOf(registered?.limits ?? []), textOf(limits)];
  if (before !== now) differences.push(`limits is ${before} (this: ${now})`);
  if (differences.length === 0) return;
  throw new CannotStart(
    `${called} is registered with other steps: ${differences.join("; ")}; give this workflow another version`,
  );
}

function textOf(limits: readonly LimitMessage[]): string {
  return JSON.stringify(limits.map((limit) => toJson(LimitSchema, limit)));
}

/** Says how two steps differ in the queue and in what the workflow gives. */
function differencesOf(found: CodeStep, own: CodeStep): string[] {
  const [before, now] = [found, own].map((step) => toJson(CodeStepSchema, step) as Fields) as [Fields, Fields];
  const text = (of: Fields, field: string): string => {
    const [value, unset] = [of[field], DEFAULTS[field]];
    return JSON.stringify(typeof unset === "object" ? { ...unset, ...(value as object | undefined) } : (value ?? unset));
  };
  return Object.keys(now)
    .filter((field) => text(before, field) !== text(now, field))
    .map((field) => `steps[0].code.${field} is ${text(before, field)} (this: ${text(now, field)})`);
}
