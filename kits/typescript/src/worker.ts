/** A worker: polls queues, does the steps of runs, and renews their leases meanwhile. */

import { hostname } from "node:os";
import { Claim, Renewals, TakenClaims } from "./claims.js";
import type { Answer, Connection } from "./connection.js";
import { ClaimLost, FinalFailure, NotSerializable, Refused, WorkFailure } from "./errors.js";
import { ClaimLostReason, type Claim as ClaimMessage } from "./gen/hapax/v1/claim_pb.js";
import { FailureKind } from "./gen/hapax/v1/common_pb.js";
import type { Task as TaskMessage } from "./gen/hapax/v1/run_pb.js";
import { type CompleteTaskResponse, WorkerService } from "./gen/hapax/v1/worker_service_pb.js";
import type { EndedWork } from "./holder.js";
import { type Loop, type Poll, Poller } from "./polling.js";
import { SuspendExecution, Task } from "./tasks.js";
import { inSpan } from "./traces.js";
import { duration, enumName, failure, toPayload } from "./values.js";

const { pollTasks, heartbeatTasks, completeTask, failTask, suspendTask, releaseTask } = WorkerService.method;
const FIRST_RELEASE = 5_000;
const LONGEST_RELEASE = 300_000;
const RELEASES_KEPT = 10_000;

type Completed = Answer<CompleteTaskResponse>;

/**
 * Does a step, and returns its output: bytes, anything with a JSON, or nothing.
 *
 * An error fails the attempt, which is retried as the definition says; FinalFailure and NotSerializable end the run as FAILED, the latter with
 * the code `RESULT_REFUSED`.
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
}

/** See Client.worker. */
export function worker(connection: Connection, queues: readonly string[], steps: Steps, options: WorkerOptions): Loop {
  const { concurrency = 10, workerId = `${hostname()}-${process.pid}` } = options;
  const poll: Poll<TaskMessage> = async (attemptId, maxTasks, how) => {
    const answer = await connection.call(pollTasks, { queues: [...queues], workerId, attemptId, maxTasks }, how);
    return { ...answer, response: answer.response.tasks };
  };
  const poller: Poller<TaskMessage> = new Poller("PollTasks", concurrency, poll, (task, answer) => work.do(task, answer));
  const work = new StepWork(connection, steps, () => poller.isStopping);
  return poller;
}

class StepWork {
  private readonly renewals: Renewals;
  private readonly handlers = new Map<string, Promise<void>>();
  private readonly releases = new Map<string, number>();
  private readonly taken = new TakenClaims();

  constructor(
    private readonly connection: Connection,
    private readonly steps: Steps,
    private readonly isStopping: () => boolean,
  ) {
    this.renewals = new Renewals("task", async (claims, timeout) => {
      const answer = await connection.tryOnce(heartbeatTasks, { claims }, timeout);
      return { ...answer, response: answer.response.results };
    });
  }

  /** Does a task, and then the next ones of its run that this worker is given. */
  async do(message: TaskMessage, answer: Answer<unknown>): Promise<void> {
    if (!this.taken.add(message.claim?.id ?? "")) return;
    const task = new Task(message, new Claim(message.claim, answer, message.leaseRemaining), this.connection);
    const ended = await this.doTask(task);
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
    if (handler === undefined) return void (await this.release(task));
    const { claim } = task;
    let output: unknown;
    try {
      try {
        output = await inSpan(task, () => handler(task));
      } finally {
        await task.end();
      }
    } catch (error) {
      if (task.suspension === undefined) return void (await this.fail(task, error));
      if (!(error instanceof SuspendExecution)) {
        console.warn(`hapax: step ${task.stepId} replaced the error of its wait; it is suspended anyway:`, error);
      }
    }
    const { suspension } = task;
    if (suspension !== undefined) {
      await this.end(task, (claim) => this.connection.record(suspendTask, { ...suspension, claim }));
    } else if (claim.inSql !== undefined) {
      // has no effect if the transaction was committed
      const notCommitted = { code: "NOT_COMMITTED", message: "the transaction was not committed" };
      await this.end(task, (claim) => this.connection.record(failTask, { claim, failure: notCommitted }));
    } else {
      return this.complete(task, output);
    }
    return undefined;
  }

  private async complete(task: Task, output: unknown): Promise<Completed | undefined> {
    try {
      const fields = { output: toPayload("output", output), statePatch: task.statePatch, wantNext: !this.isStopping() };
      return await this.end(task, (claim) => this.connection.record(completeTask, { ...fields, claim }));
    } catch (error) {
      if (!(error instanceof NotSerializable || error instanceof Refused)) throw error;
      // the effect has happened, and the next attempt would be refused again
      const text = `the step was done, but its result cannot be stored: ${error.message}`;
      return void (await this.fail(task, new FinalFailure("RESULT_REFUSED", text)));
    }
  }

  private async fail(task: Task, error: unknown): Promise<void> {
    if (error instanceof ClaimLost && task.isLost) return;
    const log = error instanceof WorkFailure ? console.info : console.warn;
    log(`hapax: step ${task.stepName} of ${task.runId} failed:`, error);
    // what cannot be sent could not be sent by the next attempt either
    const cause = error instanceof NotSerializable ? new FinalFailure("RESULT_REFUSED", error.message) : error;
    const kind = cause instanceof FinalFailure ? FailureKind.FINAL : FailureKind.RETRYABLE;
    await this.end(task, (claim) => this.connection.record(failTask, { claim, kind, failure: failure(cause) }));
  }

  /** Gives back a step without a handler: another worker of the queue, older or newer, may have one. */
  private async release(task: Task): Promise<void> {
    const delay = Math.min((this.releases.get(task.stepId) ?? FIRST_RELEASE / 2) * 2, LONGEST_RELEASE);
    if (this.releases.size >= RELEASES_KEPT) this.releases.clear();
    this.releases.set(task.stepId, delay);
    console.warn(`hapax: this worker has no handler for step ${task.stepName}; it is released for ${delay / 1_000} s`);
    await this.end(task, (claim) => this.connection.record(releaseTask, { claim, delay: duration(delay) }));
  }

  /** Records the end of a task, unless Hapax has reported its loss. Throws only that it was refused. */
  private async end<R extends EndedWork>(
    task: Task,
    record: (claim: ClaimMessage | undefined) => Promise<Answer<R>>,
  ): Promise<Answer<R> | undefined> {
    if (task.claim.isRevoked) {
      console.info(`hapax: task ${task.stepId} was lost, its result is dropped`);
      return undefined;
    }
    try {
      const ended = await record(task.claim.message);
      const { outcome } = ended.response;
      if (outcome.case === "claimLost") {
        console.warn(`hapax: task ${task.stepId} was lost: ${enumName(ClaimLostReason, outcome.value.reason)}`);
      }
      return ended;
    } catch (error) {
      if (error instanceof Refused) throw error;
      console.error(`hapax: the end of step ${task.stepName} of ${task.runId} may not be recorded:`, error);
      return undefined;
    }
  }
}
