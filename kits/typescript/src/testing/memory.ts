/** A run in this process, without a server: a worker works on it, whose connection answers from memory. */

import { randomUUID } from "node:crypto";
import { type DescMessage, type Message, type MessageInitShape, create } from "@bufbuild/protobuf";
import { durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Connection, Method } from "../connection.js";
import { FinalFailure } from "../errors.js";
import { FailureKind, type Payload } from "../gen/hapax/v1/common_pb.js";
import { RetryPolicySchema } from "../gen/hapax/v1/definition_pb.js";
import { CreateHookResponseSchema } from "../gen/hapax/v1/hook_service_pb.js";
import { PartState, type Task as TaskMessage, TaskSchema } from "../gen/hapax/v1/run_pb.js";
import type { FailTaskRequest, PartFailure, PartRecord, PartResultSchema } from "../gen/hapax/v1/worker_service_pb.js";
import type { RecordStepRequest, ReleaseTaskRequest, SuspendTaskRequest } from "../gen/hapax/v1/worker_service_pb.js";
import { policy } from "../parts.js";
import { type PayloadStore, Payloads } from "../payloads.js";
import { type Signal, newSignal } from "../signals.js";
import type { Task } from "../tasks.js";
import { duration, fromPayload, toPayload } from "../values.js";
import { StepWork } from "../worker.js";
import type { Workflow } from "../workflows.js";

const BEGINNING = Date.UTC(2026); // as the clock of a test server
const LEASE = 86_400_000;
const END_OF_WAIT = /^"\S+Z \d+ \d+"$/;
const STEP_RETRIES = { initialMs: 1_000, factor: 2, maxMs: 60_000, maxAttempts: 8 };

/** A workflow, or the handler of a code step, which gets the input as its second argument, too. */
export type Tested<I, O> = Workflow<I, O> | ((task: Task, input: I) => O | Promise<O>);

/** A signal in the inbox of a run. */
export interface InboxSignal extends Signal {
  /** The name of the hook through which it came. */
  readonly hookName?: string | undefined;
}

/** What a run in this process gets. */
export interface RunWorkflowOptions<I = unknown> {
  readonly input?: I | undefined;
  /** The signals in the inbox of the run, from its beginning. */
  readonly signals?: readonly InboxSignal[] | undefined;
  /** Errors by the full names of parts: the first attempts of a part throw them, and its body runs after the last one. */
  readonly failures?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** As the option of `connect`. */
  readonly payloads?: PayloadStore | undefined;
}

/** What became of a run in this process. */
export interface Ran<O = unknown> {
  readonly result: O;
  /** The recorded values by the full names of parts and waits, in their order. The end of a wait is null. */
  readonly parts: Readonly<Record<string, unknown>>;
  /** The milliseconds that its waits and the pauses of its parts would have taken. */
  readonly sleptMs: number;
  /** The state of the run at its end. */
  readonly state: Readonly<Record<string, unknown>>;
}

/**
 * Runs a workflow until it ends, in this process and without a server. Waits and pauses take no time.
 *
 * An error that leaves the handler is thrown at once, as it would fail the attempt of the step. A part that names no `retry` has the
 * `partRetry` of the workflow. Each hook that the run asks for is its own. Throws FinalFailure (NO_SIGNAL) if the run waits for a
 * signal that is not there, and RangeError if it ends without a part of `failures`.
 */
export async function runWorkflow<I, O>(workflow: Tested<I, O>, options: RunWorkflowOptions<I> = {}): Promise<Ran<O>> {
  const { input, signals = [] } = options;
  const failures = new Map(Object.entries(options.failures ?? {}).map(([name, errors]) => [name, [...errors]]));
  const partRetry = typeof workflow === "function" ? undefined : policy(workflow.options.partRetry);
  const inbox = signals.map(({ hookName = "", ...signal }) => ({ ...newSignal(signal), hookName }));
  const run = new MemoryRun(toPayload("input", input) ?? toPayload("input", {}), inbox, partRetry, options.payloads);
  const begun = new Set<string>();
  while (run.ended === undefined) {
    await execute(workflow, run.task(), run, (task, thrown) => {
      task.execution.now = () => BEGINNING + run.sleptMs; // it stands still, so waits take what they say
      run.thrown = () => (task.execution.ending?.case === "fail" ? task.execution.ending.error : thrown());
      task.execution.bodyOf = (name, body) => (id, signal) => {
        begun.add(name);
        if (failures.get(name)?.length) throw failures.get(name)?.shift();
        return body(id, signal);
      };
    });
  }
  if ("error" in run.ended) throw run.ended.error;
  const missing = [...failures.keys()].filter((name) => !begun.has(name));
  if (missing.length > 0) throw new RangeError(`the run has no part ${missing.join(", ")}, which failures names`);
  const { state, sleptMs } = run;
  const values = [...run.recorded.values()].map(async ({ name, output, isWait }) => {
    const isEnd = isWait && END_OF_WAIT.test(String(output?.content?.value));
    return [name, isEnd ? null : await run.payloads.read(output as Payload)] as const;
  });
  const result = (await run.payloads.read(run.ended.output)) as O;
  return { result, parts: Object.fromEntries(await Promise.all(values)), sleptMs, state };
}

/** What answers the calls of a worker. */
export abstract class Memory {
  readonly payloads: Payloads;
  readonly logger = { info: (): void => {}, warn: (): void => {}, error: (): void => {} };

  constructor(store: PayloadStore | undefined) {
    this.payloads = new Payloads(store);
  }

  async record<I extends DescMessage, O extends DescMessage>(method: Method<I, O>, request: MessageInitShape<I>) {
    const answer = this.answer(method.name, create(method.input, request));
    return { response: create(method.output, answer as MessageInitShape<O>), sentAt: 0, roundTrip: 0 };
  }

  /** Gives the run a hook: a task makes no other call. */
  call() {
    return Promise.resolve({ response: create(CreateHookResponseSchema, { outcome: { case: "hook", value: {} } }) });
  }

  protected abstract answer(method: string, request: Message): object;
}

/** Lets a worker do one execution. `prepare` gets its task, and what its handler throws. */
export async function execute<I, O>(
  of: Tested<I, O>,
  message: TaskMessage,
  connection: Memory,
  prepare: (task: Task, thrown: () => unknown) => void,
): Promise<void> {
  const handler = typeof of === "function" ? of : of.handler;
  const step = async (task: Task): Promise<unknown> => {
    let thrown: unknown;
    prepare(task, () => thrown);
    try {
      return await handler(task, task.input());
    } catch (error) {
      throw (thrown = error);
    }
  };
  const change = { mode: "release", warned: new Set<string>() } as const;
  const work = new StepWork(connection as unknown as Connection, { "*": step }, change, () => true);
  message.leaseRemaining = duration(LEASE);
  await work.do(message, { response: undefined, sentAt: performance.now(), roundTrip: 0 });
}

type Recorded = NonNullable<MessageInitShape<typeof TaskSchema>["recorded"]>[number];
type Open = NonNullable<MessageInitShape<typeof TaskSchema>["openParts"]>[number];
type Result = MessageInitShape<typeof PartResultSchema>;

class MemoryRun extends Memory {
  readonly recorded = new Map<string, Recorded>();
  state: Readonly<Record<string, unknown>> = {};
  sleptMs = 0;
  ended: { readonly output: Payload | undefined } | { readonly error: unknown } | undefined;
  thrown = (): unknown => undefined;
  private readonly open = new Map<string, Open>();
  private readonly failingSince = new Map<string, number>();
  private readonly id = randomUUID();
  private fence = 0n;

  constructor(
    private readonly input: Payload | undefined,
    private signals: readonly (ReturnType<typeof newSignal> & { readonly hookName: string })[],
    private readonly partRetry: ReturnType<typeof policy>,
    store: PayloadStore | undefined,
  ) {
    super(store);
  }

  /** The task of the next execution. */
  task(): TaskMessage {
    return create(TaskSchema, {
      claim: { id: `claim_${++this.fence}`, fence: this.fence },
      run: { id: `run_${this.id}` },
      step: { id: `step_${this.id}`, name: "main", attempt: 1 },
      input: this.input,
      state: toPayload("state", this.state),
      signals: [...this.signals],
      recorded: [...this.recorded.values()],
      openParts: [...this.open.values()],
    });
  }

  protected answer(method: string, request: Message & { readonly statePatch?: Payload }): object {
    this.state = merged(this.state, fromPayload(request.statePatch)) as typeof this.state;
    switch (method) {
      case "RecordStep": {
        const results = (request as RecordStepRequest).parts.map((part) => this.report(part));
        return { outcome: { case: "parts", value: { results } } };
      }
      case "SuspendTask":
        this.suspend(request as SuspendTaskRequest);
        break;
      case "CompleteTask":
        this.ended = { output: (request as Message & { readonly output?: Payload }).output };
        break;
      case "FailTask":
        this.ended = { error: this.thrown() ?? failureOf((request as FailTaskRequest).failure) };
        break;
      case "ReleaseTask":
        this.ended = { error: failureOf((request as ReleaseTaskRequest).reason) };
    }
    return {};
  }

  private report(part: PartRecord): Result {
    const { name, result, overlapped, isWait } = part;
    if (result.case === "failure") return this.failure(name, result.value);
    if (result.case !== "output") return { outcome: { case: "begun", value: { stepId: `step_${this.id}/${name}` } } };
    this.recorded.set(name, { name, output: result.value, overlapped, isWait });
    this.open.delete(name);
    this.signals = this.signals.filter(({ signalId }) => !part.consumedSignalIds.includes(signalId));
    return { outcome: { case: "recorded", value: { output: result.value } } };
  }

  private failure(name: string, { attempt, failure, kind, retry, retryAfter }: PartFailure): Result {
    const { initial, max, factor, maxAttempts, nonRetryable, retryOnly, giveUpAfter } = create(RetryPolicySchema, {
      ...policy(STEP_RETRIES),
      ...Object.fromEntries(Object.entries(retry ?? this.partRetry ?? {}).filter(([, value]) => Boolean(value))),
    });
    const longest = Math.min(durationMs(max!), durationMs(initial!) * factor ** (attempt - 1));
    const pause = retryAfter === undefined ? longest : durationMs(retryAfter);
    const since = this.failingSince.get(name) ?? this.sleptMs;
    this.failingSince.set(name, since);
    const code = failure?.code ?? "";
    const isLast = kind === FailureKind.FINAL || (maxAttempts > 0 && attempt >= maxAttempts);
    const isRefused = nonRetryable.includes(code) || (retryOnly.length > 0 && !retryOnly.includes(code));
    const isLate = giveUpAfter !== undefined && this.sleptMs + pause > since + durationMs(giveUpAfter);
    const failed = { failure, attempts: attempt };
    if (isLast || isRefused || isLate) {
      this.open.set(name, { name, state: PartState.FAILED, ...failed });
      return { outcome: { case: "failed", value: failed } };
    }
    this.sleptMs += pause;
    return { outcome: { case: "failed", value: { ...failed, retryAt: timestampFromMs(0), hold: true } } };
  }

  private suspend({ time, signalFilter }: SuspendTaskRequest): void {
    if (time.case === "duration") {
      this.sleptMs += durationMs(time.value);
      return;
    }
    const { type, hookName } = signalFilter ?? { type: "", hookName: "" };
    const filter = [type && `type ${type}`, hookName && `hook name ${hookName}`].filter(Boolean).join(" and ");
    const text = `the run waits for a signal of ${filter}, which is not there: give it in signals`;
    this.ended = { error: new FinalFailure("NO_SIGNAL", text) };
  }
}

function failureOf(failure: { readonly code: string; readonly message: string } | undefined): FinalFailure {
  return new FinalFailure(failure?.code ?? "", failure?.message ?? "");
}

/** A merge by RFC 7396. */
function merged(value: unknown, patch: unknown): unknown {
  if (patch === undefined) return value;
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const members = new Map(Object.entries(typeof value === "object" && !Array.isArray(value) ? (value ?? {}) : {}));
  for (const [name, each] of Object.entries(patch)) {
    if (each === null) members.delete(name);
    else members.set(name, merged(members.get(name), each));
  }
  return Object.fromEntries(members);
}
