/** Hapax makes sure a thing happens once: idempotency keys, durable runs, hooks and claims. */

import "./platform.js"; // first: what follows may not load elsewhere
export { Claim } from "./claims.js";
export { Client, connect } from "./client.js";
export type { CallOptions, ConnectOptions, Logger, Method, Request } from "./connection.js";
export type { Definition, Definitions } from "./definitions.js";
export type { ActOptions, Entities } from "./entities.js";
export * from "./errors.js";
export type { Hook, HookAnswer, Hooks } from "./hooks.js";
export type { JanitorOptions, Recovery, Verdict } from "./janitor.js";
export type { Limit, LimitChange, Limits } from "./limits.js";
export type { Work } from "./holder.js";
export type { OnceOptions } from "./operations.js";
export type { Loop } from "./polling.js";
export type { Accepted, ResultOptions, Run, Runs, StartOptions, Started, WorkflowInput } from "./runs.js";
export type { Signal } from "./signals.js";
export type { OnCodeChange } from "./executions.js";
export type { MapOptions } from "./maps.js";
export type { PayloadStore } from "./payloads.js";
export { type Body, NOT_DONE, type RecordOptions, type RetryOptions } from "./parts.js";
export type { AwaitSignalOptions, Task } from "./tasks.js";
export { fingerprint } from "./values.js";
export type { Handler, Steps, WorkerOptions } from "./worker.js";
export { type AnyWorkflow, type Workflow, type WorkflowOptions, workflow } from "./workflows.js";
