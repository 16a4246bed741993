/** A worker: polls queues, does the steps of runs, and renews their leases meanwhile. */

import { hostname } from "node:os";
import { Claim, Renewals, TakenClaims } from "./claims.js";
import type { Answer, CallOptions, Connection } from "./connection.js";
import { ClaimLost, FinalFailure, NotSerializable, Refused, WorkFailure } from "./errors.js";
import { type CodeChange, Execution, type OnCodeChange, type Reason, SuspendExecution } from "./executions.js";
import { ClaimLostReason, type Claim as ClaimMessage } from "./gen/hapax/v1/claim_pb.js";
import { FailureKind, type Payload } from "./gen/hapax/v1/common_pb.js";
import { MonitoringService } from "./gen/hapax/v1/monitoring_service_pb.js";
import type { Task as TaskMessage } from "./gen/hapax/v1/run_pb.js";
import { ServerFeature } from "./gen/hapax/v1/server_pb.js";
import { type CompleteTaskResponse, WorkerService } from "./gen/hapax/v1/worker_service_pb.js";
import type { EndedWork } from "./holder.js";
import { CannotStart, type Loop, type Poll, Poller } from "./polling.js";
import { Task, suspendFields } from "./tasks.js";
import { inSpan } from "./traces.js";
import { duration, enumName, report } from "./values.js";
import { type AnyWorkflow, registerWorkflow } from "./workflows.js";

const { pollTasks, heartbeatTasks, completeTask, failTask, suspendTask, releaseTask } = WorkerService.method;
const FIRST_RELEASE = 5_000;
const LONGEST_RELEASE = 300_000;
const RELEASES_KEPT = 10_000;

type Completed = Answer<CompleteTaskResponse>;

/**
 * Does a step, and returns its output: bytes, anything with a JSON, or nothing.
 *
 * An error fails the attempt, which is retried as the definition says; FinalFailure, PartFailed and NotSerializable end the run as
 * FAILED, the last with the code `RESULT_REFUSED`.
 */
export type Handler = (task: Task) => unknown;

/** A handler for each step: by its name, by `definition/name`, or by `*` for every other step. */
export type Steps = Readonly<Record<string, Handler>>;

/** How a worker works. */
export interface WorkerOptions {
  /** How many tasks it does at once; 10 unless given. */
  readonly concurrency?: number | undefined;
  /** Its name in the console; the host and the process unless given. */
  readonly workerId?: string | undefined;
  /**
   * What happens to a run whose records are not those that the code asks for, before anything new runs. `release`, unless given:
   * another worker of the queue may have its code. `fail`: it ends as FAILED with the code `STEP_CHANGED`. `warn`: it goes on.
   */
  readonly onCodeChange?: OnCodeChange | undefined;
}

/** See Client.worker. */
export function worker(
  connection: Connection,
  queues: readonly string[],
  steps: Steps,
  workflows: readonly AnyWorkflow[],
  options: WorkerOptions,
): Loop {
  const { concurrency = 10, workerId = `${hostname()}-${process.pid}`, onCodeChange = "release" } = options;
  if (!["release", "fail", "warn"].includes(onCodeChange)) {
    throw new RangeError(`onCodeChange must be release, fail or warn (was ${onCodeChange})`);
  }
  const poll: Poll<TaskMessage> = async (attemptId, maxTasks, how) => {
    const answer = await connection.call(pollTasks, { queues: [...queues], workerId, attemptId, maxTasks }, how);
    return { ...answer, response: answer.response.tasks };
  };
  const poller: Poller<TaskMessage> = new Poller(
    "PollTasks",
    concurrency,
    poll,
    (task, answer) => work.do(task, answer),
    connection.logger,
    async (how) => {
      await checkServer(connection, how);
      for (const workflow of workflows) await registerWorkflow(connection, workflow, how);
    },
  );
  const work = new StepWork(connection, steps, { mode: onCodeChange, warned: new Set() }, () => poller.isStopping);
  return poller;
}

/** Throws CannotStart if the server cannot read what this worker reports about parts. */
async function checkServer(connection: Connection, how: CallOptions): Promise<void> {
  const { server } = (await connection.call(MonitoringService.method.getServerInfo, {}, how)).response;
  if (server?.features.includes(ServerFeature.PARTS)) return;
  throw new CannotStart(`the server lacks parts (version ${server?.version}): upgrade the server`);
}

/** Does the tasks that a worker was given. */
export class StepWork {
  private readonly renewals: Renewals;
  private readonly handlers = new Map<string, Promise<void>>();
  private readonly releases = new Map<string, number>();
  private readonly taken: TakenClaims;

  constructor(
    private readonly connection: Connection,
    private readonly steps: Steps,
    private readonly codeChange: CodeChange,
    private readonly isStopping: () => boolean,
  ) {
    this.taken = new TakenClaims(connection.logger);
    this.renewals = new Renewals("task", async (claims, timeout, details) => {
      const request = { claims, details: details.map((each) => each ?? {}) };
      const answer = await connection.tryOnce(heartbeatTasks, request, timeout);
      return { ...answer, response: answer.response.results };
    });
  }

  /** Does a task, and then the next ones of its run that this worker is given. */
  async do(message: TaskMessage, answer: Answer<unknown>): Promise<void> {
    if (!this.taken.add(message.claim?.id ?? "")) return;
    const { leaseRemaining, attemptRemaining } = message;
    const claim = new Claim(message.claim, answer, leaseRemaining, this.connection.logger, Infinity, attemptRemaining);
    const ended = await this.doTask(new Task(new Execution(message, claim, this.connection, answer.sentAt, this.codeChange)));
    if (ended?.response.outcome.case !== "completed" || ended.response.outcome.value.next === undefined) return;
    await this.do(ended.response.outcome.value.next, ended);
  }

  private async doTask(task: Task): Promise<Completed | undefined> {
    this.renewals.keep(task.claim);
    // a task that was lost and received again waits until its former handler has ended
    const former = this.handlers.get(task.stepId);
    let end = (): void => {};
    const handler = new Promise<void>((resolve) => (end = resolve));
    this.handlers.set(task.stepId, handler);
    try {
      await former;
      return task.claim.isRevoked ? undefined : await this.attempt(task);
    } finally {
      this.renewals.release(task.claim);
      if (this.handlers.get(task.stepId) === handler) this.handlers.delete(task.stepId);
      end();
    }
  }

  /** Runs the handler and records its end; returns the answer to its completion. */
  private async attempt(task: Task): Promise<Completed | undefined> {
    const handler = [`${task.definition}/${task.stepName}`, task.stepName, "*"].map((name) => this.steps[name]).find(Boolean);
    if (handler === undefined) return void (await this.release(task, `this worker has no handler for step ${task.stepName}`));
    const { claim, execution } = task;
    let output: unknown;
    try {
      try {
        await this.fetch(execution.message);
        output = await inSpan(task, () => handler(task));
      } finally {
        await execution.end();
      }
    } catch (error) {
      if (!task.isEnding) return void (await this.fail(task, error));
      if (!(error instanceof SuspendExecution) && execution.ending?.case !== "fail") {
        this.connection.logger.warn(
          `hapax: step ${task.stepId} replaced the error that ends its execution, which ends anyway:`,
          error,
        );
      }
    }
    const { suspension } = task;
    if (execution.ending?.case === "fail") {
      const { error, part, isUnknown } = execution.ending;
      await this.fail(task, error, part, isUnknown);
    } else if (execution.ending !== undefined) {
      await this.release(task, execution.ending.problem, execution.ending.reason);
    } else if (suspension !== undefined) {
      await this.store(task, "the step waits, but its change of the state cannot be stored", (claim, statePatch) =>
        this.connection.record(suspendTask, { ...suspendFields(suspension, execution.now()), statePatch, claim }),
      );
    } else if (claim.inSql !== undefined) {
      // has no effect if the transaction was committed
      const notCommitted = { code: "NOT_COMMITTED", message: "the transaction was not committed" };
      await this.end(task, (claim) => this.connection.record(failTask, { claim, failure: notCommitted }));
    } else {
      this.logUnasked(task);
      return this.complete(task, output);
    }
    return undefined;
  }

  /** Replaces what the handler reads without a wait, if it is in the store of payloads. */
  private async fetch(message: TaskMessage): Promise<void> {
    const { payloads } = this.connection;
    const [input, output] = await Promise.all([payloads.fetched(message.input), payloads.fetched(message.run?.output)]);
    Object.assign(message, { input });
    if (message.run !== undefined) Object.assign(message.run, { output });
  }

  private logUnasked({ execution, stepName, runId }: Task): void {
    const names = execution.records.unasked().map(({ name }) => `\`${name}\``);
    if (names.length > 0)
      this.connection.logger.info(`hapax: step ${stepName} of ${runId} did not ask for records ${names.join(", ")}`);
  }

  private async complete(task: Task, output: unknown): Promise<Completed | undefined> {
    const problem = "the step was done, but its result cannot be stored";
    let payload: Payload | undefined;
    try {
      payload = await this.connection.payloads.write("output", output);
    } catch (error) {
      // a store of payloads may take it from the next attempt
      return void (await this.fail(task, error instanceof NotSerializable ? refused(problem, error) : error));
    }
    return this.store(task, problem, (claim, statePatch) =>
      this.connection.record(completeTask, { output: payload, statePatch, wantNext: !this.isStopping(), claim }),
    );
  }

  /** Records an end that takes the change of the state along; fails the step for good if it cannot be stored. */
  private async store<R extends EndedWork>(
    task: Task,
    problem: string,
    record: (claim: ClaimMessage | undefined, statePatch: Payload | undefined) => Promise<Answer<R>>,
  ): Promise<Answer<R> | undefined> {
    try {
      const { statePatch } = task.execution.reports;
      return await this.end(task, async (claim) => record(claim, statePatch));
    } catch (error) {
      if (!(error instanceof NotSerializable || error instanceof Refused)) throw error;
      return void (await this.fail(task, refused(problem, error)));
    }
  }

  private async fail(task: Task, error: unknown, part?: string, isUnknown = false): Promise<void> {
    if (error instanceof ClaimLost && task.isLost) return;
    const level = error instanceof WorkFailure ? "info" : "warn";
    this.connection.logger[level](`hapax: step ${task.stepName} of ${task.runId} failed:`, error);
    const { failure, kind, retryAfter } = report(error);
    const fields = {
      failure: { ...failure, part: part ?? failure.part },
      kind: isUnknown ? FailureKind.UNKNOWN_EFFECT : kind,
      retryAfter,
      parts: task.execution.begun,
    };
    await this.renewals.report(task.claim);
    await this.end(task, (claim) => this.connection.record(failTask, { ...fields, claim }));
  }

  /** Gives back a step that this worker cannot continue: another worker of the queue, older or newer, may be able to. */
  private async release(task: Task, problem: string, reason?: Reason): Promise<void> {
    const delay = Math.min((this.releases.get(task.stepId) ?? FIRST_RELEASE / 2) * 2, LONGEST_RELEASE);
    if (this.releases.size >= RELEASES_KEPT) this.releases.clear();
    this.releases.set(task.stepId, delay);
    this.connection.logger.warn(`hapax: ${problem}; step ${task.stepName} of ${task.runId} is released for ${delay / 1_000} s`);
    await this.end(task, (claim) => this.connection.record(releaseTask, { claim, delay: duration(delay), reason }));
  }

  /** Records the end of a task, unless Hapax has reported its loss. Throws only that it was refused. */
  private async end<R extends EndedWork>(
    task: Task,
    record: (claim: ClaimMessage | undefined) => Promise<Answer<R>>,
  ): Promise<Answer<R> | undefined> {
    if (task.claim.isRevoked) {
      this.connection.logger.info(`hapax: task ${task.stepId} was lost, its result is dropped`);
      return undefined;
    }
    try {
      const ended = await record(task.claim.message);
      const { outcome } = ended.response;
      if (outcome.case === "claimLost") {
        this.connection.logger.warn(`hapax: task ${task.stepId} was lost: ${enumName(ClaimLostReason, outcome.value.reason)}`);
      }
      return ended;
    } catch (error) {
      if (error instanceof Refused || error instanceof NotSerializable) throw error;
      this.connection.logger.error(`hapax: the end of step ${task.stepName} of ${task.runId} may not be recorded:`, error);
      return undefined;
    }
  }
}

/** The effect has happened, and the next attempt would be refused again. */
function refused(problem: string, { message }: Error): FinalFailure {
  return new FinalFailure("RESULT_REFUSED", `${problem}: ${message}`);
}
