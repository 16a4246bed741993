/** The client: one for each process. */

import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Claim } from "./claims.js";
import {
  type CallOptions,
  type ConnectOptions,
  type Connection,
  type Logger,
  type Method,
  type Request,
  openConnection,
} from "./connection.js";
import { Definitions } from "./definitions.js";
import { Entities } from "./entities.js";
import { Hooks } from "./hooks.js";
import { Limits } from "./limits.js";
import { type JanitorOptions, type Recovery, type Verdict, janitor } from "./janitor.js";
import type { Work } from "./holder.js";
import { type OnceOptions, once } from "./operations.js";
import type { Loop } from "./polling.js";
import { Runs } from "./runs.js";
import { type Steps, type WorkerOptions, worker } from "./worker.js";
import { type AnyWorkflow, isWorkflows, queuesOf, stepsOf } from "./workflows.js";

/**
 * Returns a client. It connects at its first call; make it once and share it.
 *
 * Throws RangeError for settings that contradict each other, or that would send the key without TLS to another machine.
 */
export function connect(options: ConnectOptions = {}): Client {
  return new Client(openConnection(options));
}

/** A client of a Hapax server. */
export class Client {
  readonly definitions: Definitions;
  readonly runs: Runs;
  readonly hooks: Hooks;
  readonly limits: Limits;
  readonly entities: Entities;
  /** @internal Its workers and janitors. */
  readonly loops: Loop[] = [];

  /** @internal */
  constructor(private readonly connection: Connection) {
    this.definitions = new Definitions(connection);
    this.runs = new Runs(connection);
    this.hooks = new Hooks(connection);
    this.limits = new Limits(connection);
    this.entities = new Entities(connection);
  }

  /**
   * Runs the work unless an earlier call with the same request id has, and returns what it returned first.
   *
   * `operation` names the handler, such as `shop.v1.Shop/Charge`. `requestId` is the idempotency key of the caller; without one
   * the work runs untracked. The work gets its claim; its lease is renewed while it runs. An error frees the key, unless it is
   * a FinalFailure or an UnknownEffect, and passes. But that of another call of this package is the cause of a RetryableFailure,
   * so that it is not taken for one of this call. The result must have a JSON, or be bytes, or undefined.
   *
   * Throws InProgress, KeyReused, Indeterminate, Rejected, NotRetained, ClaimLost or Unrecorded; and Unavailable or another
   * HapaxError if the work did not begin.
   */
  async once<T>(operation: string, requestId: string | undefined, work: Work<T>, options: OnceOptions = {}): Promise<T> {
    return requestId ? once(this.connection, operation, requestId, work, options) : work(Claim.untracked());
  }

  /** @internal */
  get logger(): Logger {
    return this.connection.logger;
  }

  /**
   * Returns a worker for these workflows, which polls their queues. Call its `run`, or its `start`. It registers each workflow first.
   *
   * If a version is registered with other steps, the worker does not begin. Without the permission to register it compares the
   * registered version with this one.
   */
  worker(workflows: AnyWorkflow | readonly AnyWorkflow[], options?: WorkerOptions): Loop;
  /**
   * Returns a worker for these queues, with a handler for each step. Call its `run`.
   *
   * A step may run again after its effect, here or elsewhere, if the worker dies before its end is recorded. Hand
   * `task.stepId` to what the handler calls as its idempotency key: it is the same on every attempt. A handler must not block the
   * event loop, which also renews the leases.
   */
  worker(queues: string | readonly string[], steps: Steps, options?: WorkerOptions): Loop;
  worker(
    of: string | readonly string[] | AnyWorkflow | readonly AnyWorkflow[],
    steps?: Steps | WorkerOptions,
    options: WorkerOptions = {},
  ): Loop {
    const all = [of].flat() as readonly string[] | readonly AnyWorkflow[];
    return this.kept(
      isWorkflows(all)
        ? worker(this.connection, queuesOf(all), stepsOf(all), all, (steps ?? {}) as WorkerOptions)
        : worker(this.connection, all, steps as Steps, [], options),
    );
  }

  /**
   * Returns the remote janitor of a module. `check` looks in the module's own tables for what the lost action wrote.
   *
   * If it throws, the recovery is handed out again when its lease expires.
   */
  janitor(module: string, check: (recovery: Recovery) => Verdict | Promise<Verdict>, options: JanitorOptions = {}): Loop {
    return this.kept(janitor(this.connection, module, check, options));
  }

  /** Calls any other method, such as `RunService.method.listRuns`, with the retries of the kit; returns the message. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: Request<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    return (await this.connection.call(method, request, options)).response;
  }

  private kept(loop: Loop): Loop {
    this.loops.push(loop);
    return loop;
  }

  /** Closes the connection. Stop workers and janitors before. */
  close(): void {
    this.connection.close();
  }
}
