/** A test server: a process with instances of Hapax in memory, each with a clock that a test advances. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Socket } from "node:net";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Client } from "../client.js";
import { type ConnectOptions, type Connection, type Method, type Request, openConnection } from "../connection.js";
import { TestServerService } from "../gen/hapax/test/v1/test_server_pb.js";
import { duration } from "../values.js";

const { createInstance, advance, settle, deleteInstance } = TestServerService.method;
const PATIENCE = 3_600_000; // milliseconds for a call, which the test runner ends earlier
const DRAIN = 5_000;
const PLAIN = { tls: false, ca: "", apiKey: "" }; // whatever the variables say
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const ADVICE =
  "no test server found: set HAPAX_HOME to a Hapax distribution or checkout, put its `hapax` on the PATH, or set " +
  "HAPAX_TEST_SERVER to the address of a running `hapax test-server`";

/**
 * Starts a test server, once for a suite: the process `hapax test-server`, which ends with this one. It is found by `HAPAX_TEST_SERVER`,
 * the address of one that runs already; by `HAPAX_HOME`, the folder of a distribution or a checkout; or as `hapax` on the PATH.
 *
 * Throws Error if there is none, or if it ends before it serves. Its messages go to standard error.
 */
export async function startTestServer(): Promise<TestServer> {
  const running = process.env["HAPAX_TEST_SERVER"]?.trim();
  if (running) return new TestServer(running, () => Promise.resolve());
  const home = process.env["HAPAX_HOME"]?.trim();
  const command = home ? join(home, "hapax") : "hapax";
  const child = spawn(command, ["test-server"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const isMissing = !home && cause.code === "ENOENT";
      reject(new Error(isMissing ? ADVICE : `${command} cannot be run: ${cause.message}`, { cause }));
    });
    child.once("close", (code) =>
      reject(new Error(`${command} test-server ended with code ${code} before it served; it says why above`)),
    );
    createInterface(child.stdout).once("line", resolve);
  });
  // a suite that forgets to close it ends, too
  for (const each of [child, child.stdin as Socket, child.stdout as Socket]) each.unref();
  return new TestServer(address, () => {
    child.ref();
    child.stdin.end();
    return ended;
  });
}

/** A process with instances of Hapax. */
export class TestServer {
  private readonly connection: Connection;
  private readonly instances = new Set<Instance>();

  /** @internal */
  constructor(
    /** The address of the process: as `HAPAX_TEST_SERVER`, other processes use it, too. */
    readonly address: string,
    private readonly end: () => Promise<void>,
  ) {
    this.connection = openConnection({ ...PLAIN, server: address });
  }

  /** Returns a new instance, for one test. The options are those of its client, such as `logger`. */
  async instance(options: ConnectOptions = {}): Promise<Instance> {
    const { instance: id, address } = await this.call(createInstance, {});
    const client = new Client(openConnection({ ...PLAIN, ...options, server: address }));
    const instance: Instance = new Instance(this, id, address, client, () => this.instances.delete(instance));
    this.instances.add(instance);
    return instance;
  }

  /** Closes its instances, and ends the process if `startTestServer` started it. */
  async close(): Promise<void> {
    try {
      await Promise.all([...this.instances].map((instance) => instance.close()));
    } finally {
      this.connection.close();
      await this.end();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Sends a call once: to repeat it would advance the clock twice. */
  async call<I extends DescMessage, O extends DescMessage>(method: Method<I, O>, request: Request<I>): Promise<MessageShape<O>> {
    return (await this.connection.tryOnce(method, request, PATIENCE)).response;
  }
}

/** How a clock is advanced. */
export interface AdvanceOptions {
  /** Whether tasks that are held now are not awaited: their leases expire, as if their workers had crashed. */
  readonly pastHolders?: boolean | undefined;
}

/** A Hapax of its own, empty at first, whose clock starts at 2026-01-01T00:00:00Z and stands still until `advance`. */
export class Instance {
  /** @internal */
  constructor(
    private readonly server: TestServer,
    private readonly id: string,
    /** For `connect` in another program: without TLS, and without a key. */
    readonly address: string,
    /** A client of this instance; it is closed with it. */
    readonly client: Client,
    private readonly forget: () => boolean,
  ) {}

  /**
   * Advances the clock by milliseconds, or by a text such as `14d`, `1h30m` or `250ms`; at most 10 years. Returns its time.
   *
   * It stops at each time at which work is due, until the workers have done that work. Throws Refused if they still hold a task after
   * 30 s of real time; the message names it.
   */
  async advance(time: number | string, { pastHolders = false }: AdvanceOptions = {}): Promise<Date> {
    const by = duration(typeof time === "number" ? time : milliseconds(time));
    const { now } = await this.server.call(advance, { instance: this.id, by, pastHolders });
    return new Date(Number(now?.seconds ?? 0n) * 1_000 + (now?.nanos ?? 0) / 1e6);
  }

  /** Waits until the workers are idle. Throws as `advance`. */
  async settle(): Promise<void> {
    await this.server.call(settle, { instance: this.id });
  }

  /** Stops the workers of its client, closes it, and deletes the instance. A second call does nothing. */
  async close(): Promise<void> {
    if (!this.forget()) return;
    await Promise.all(this.client.loops.map((loop) => loop.stop(DRAIN)));
    this.client.close();
    await this.server.call(deleteInstance, { instance: this.id });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function milliseconds(text: string): number {
  if (!/^(\d+(d|h|ms|m|s))+$/.test(text)) throw new RangeError(`a time is such as 14d, 1h30m or 250ms (was ${text})`);
  return [...text.matchAll(/(\d+)(d|h|ms|m|s)/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
