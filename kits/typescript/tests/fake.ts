/** A Hapax in this process that answers as a test says. */

import { type ServerHttp2Session, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import {
  type Client,
  type ConnectOptions,
  type Handler,
  type Logger,
  type PayloadStore,
  type WorkerOptions,
  connect,
} from "hapax";
import { MonitoringService } from "hapax/v1/monitoring_service";
import { TaskSchema } from "hapax/v1/run";
import { ServerFeature } from "hapax/v1/server";
import {
  type CompleteTaskRequest,
  type FailTaskRequest,
  type ListRecordsResponseSchema,
  type PartRecord,
  type PartResultSchema,
  type RecordStepRequest,
  type ReleaseTaskRequest,
  type SuspendTaskRequest,
  WorkerService,
} from "hapax/v1/worker_service";

/** The settings of a client of this machine, whatever the variables say. */
export const PLAIN = { tls: false, ca: "", apiKey: "" };

/** A client of a server with these methods and features; both end with the test. */
export async function fakeHapax(
  test: TestContext,
  routes: (router: ConnectRouter) => void,
  features = [ServerFeature.PARTS],
  options: ConnectOptions = {},
): Promise<Client> {
  const { port } = await fakeServer(test, routes, features);
  const client = connect({ ...PLAIN, ...options, server: `127.0.0.1:${port}` });
  test.after(() => client.close());
  return client;
}

/** The port of such a server, which ends with the test, and what ends it before. */
export async function fakeServer(
  test: TestContext,
  routes: (router: ConnectRouter) => void,
  features = [ServerFeature.PARTS],
  at = { port: 0, host: "127.0.0.1" },
): Promise<{ port: number; stop: () => void }> {
  const sessions = new Set<ServerHttp2Session>();
  const withInfo = (router: ConnectRouter): void => {
    router.service(MonitoringService, { getServerInfo: () => ({ server: { version: "1.2.3", features } }) });
    routes(router);
  };
  const server = createServer(connectNodeAdapter({ routes: withInfo }));
  server.on("session", (session: ServerHttp2Session) => sessions.add(session));
  await new Promise<void>((listening) => server.listen(at.port, at.host, listening));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    sessions.forEach((session) => session.destroy());
    server.close();
  };
  test.after(stop);
  return { port, stop };
}

/** Seconds as a message. */
export function seconds(count: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(count)), nanos: Math.round((count % 1) * 1e9) };
}

/** The grant of an operation with a lease of so many seconds. */
export function acquired(lease = 60) {
  return { outcome: { case: "acquired", value: { claim: { id: "c", fence: 1n }, leaseRemaining: seconds(lease) } } } as const;
}

/** Something that a test waits for. */
export class Latch<T = void> {
  open!: (value: T) => void;
  readonly opened = new Promise<T>((resolve) => (this.open = resolve));
}

/** The calls of a worker about its tasks. */
export interface Calls {
  readonly records: RecordStepRequest[];
  readonly completed: CompleteTaskRequest[];
  readonly failed: FailTaskRequest[];
  readonly suspended: SuspendTaskRequest[];
  readonly released: ReleaseTaskRequest[];
  /** The page tokens of ListRecords, and those that lost the claim. */
  readonly pages: string[];
  readonly lost: string[];
}

type Granted = MessageInitShape<typeof TaskSchema>;
type Answered = NonNullable<MessageInitShape<typeof PartResultSchema>["outcome"]>;

/** How a fake Hapax answers a worker. */
export interface Scene {
  /** Granted one after the other, when the one before has ended. */
  readonly tasks?: readonly Granted[];
  /** The result of a report; outputs are recorded, and the others are their first unless this answers. */
  readonly result?: (part: PartRecord, request: RecordStepRequest) => Answered | undefined | Promise<Answered | undefined>;
  /** The records of ListRecords, by page token. */
  readonly list?: Readonly<Record<string, MessageInitShape<typeof ListRecordsResponseSchema>>>;
  readonly options?: WorkerOptions;
  readonly logger?: Logger;
  readonly payloads?: PayloadStore | undefined;
}

function known({ result }: PartRecord): Answered {
  if (result.case === "begin") return { case: "begun", value: {} };
  if (result.case === "output") return { case: "recorded", value: { output: result.value } };
  const failure = result.value?.failure ?? {};
  return { case: "failed", value: { failure, attempts: result.value?.attempt ?? 0 } };
}

let lastStep = 0;

/** Lets a worker do the tasks of the scene, and returns what it called. */
export async function workOn(test: TestContext, handler: Handler, scene: Scene = {}): Promise<Calls> {
  const quiet = { info: () => {}, warn: () => {}, error: console.error };
  const calls: Calls = { records: [], completed: [], failed: [], suspended: [], released: [], pages: [], lost: [] };
  const id = `step_${++lastStep}`;
  const tasks = (scene.tasks ?? [{}]).map((task, index) => {
    const claim = { id: `claim_${index}`, fence: BigInt(index + 1) };
    const step = { id, name: "only", attempt: 1 };
    const granted: Granted = { claim, run: { id: `run_${id}` }, step, leaseRemaining: seconds(60) };
    return create(TaskSchema, Object.assign(granted, task));
  });
  let left = tasks.length;
  let next = new Latch();
  next.open();
  const over = new Latch();
  const ended = <R>(list: R[], request: R): void => {
    list.push(request);
    if (--left === 0) over.open();
    next.open();
  };
  const client = await fakeHapax(
    test,
    ({ service }) =>
      service(WorkerService, {
        pollTasks: async () => {
          if (left > 0) {
            await next.opened;
            next = new Latch();
          }
          return { tasks: tasks.splice(0, 1) };
        },
        recordStep: async (request) => {
          calls.records.push(request);
          const results = await Promise.all(
            request.parts.map(async (part) => ({ outcome: (await scene.result?.(part, request)) ?? known(part) })),
          );
          return { outcome: { case: "parts", value: { results } } };
        },
        listRecords: ({ pageToken }) => {
          calls.pages.push(pageToken);
          const page = scene.list?.[pageToken] ?? {};
          if (page.claimLost !== undefined) ended(calls.lost, pageToken);
          return page;
        },
        heartbeatTasks: ({ claims }) => ({
          results: claims.map(() => ({ outcome: { case: "renewed", value: { leaseRemaining: seconds(60) } } })),
        }),
        completeTask: (request) => (ended(calls.completed, request), { outcome: { case: "completed", value: {} } }),
        failTask: (request) => (ended(calls.failed, request), { outcome: { case: "failed", value: {} } }),
        suspendTask: (request) => (ended(calls.suspended, request), { outcome: { case: "suspended", value: {} } }),
        releaseTask: (request) => (ended(calls.released, request), { outcome: { case: "released", value: {} } }),
      }),
    undefined,
    { logger: scene.logger ?? quiet, payloads: scene.payloads },
  );
  const worker = client.worker("work", { only: handler }, scene.options);
  worker.start();
  await over.opened;
  await worker.stop();
  return calls;
}

/** The JSON that a request carries. */
export function json(payload: { readonly content: { readonly value?: unknown } } | undefined): unknown {
  return payload?.content.value === undefined ? undefined : JSON.parse(String(payload.content.value));
}
