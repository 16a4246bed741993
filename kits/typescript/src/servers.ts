/** The servers of a client: one connection for each address, used in turn. */

import { type LookupAddress, promises as dns } from "node:dns";
import type { SecureClientSessionOptions } from "node:http2";
import type { LookupFunction } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { Http2SessionManager, createGrpcTransport } from "@connectrpc/connect-node";

const KEEPALIVE = { pingIntervalMs: 30_000, pingTimeoutMs: 10_000 };
/** Milliseconds between two attempts to connect to a server that is away, and between two resolutions of its name. */
const PAUSE = 2_000;
const ADDRESS = /^([^:/\s[\]]+|\[[^[\]]+\]):[1-9]\d{0,4}$/;

/** Where the servers are. */
export interface Addresses {
  /** HOST:PORT of each. */
  readonly targets: readonly string[];
  /** Whether one of them has https://; then all use TLS. */
  readonly tls: boolean;
}

/** Reads HOST:PORT, or a list of them. Throws RangeError for what is neither. */
export function addressesOf(server: string): Addresses {
  if (server.includes("http://")) throw new RangeError(`server must be HOST:PORT, without http:// (was ${server})`);
  const targets = server
    .replaceAll("https://", "")
    .split(",")
    .map((target) => target.trim());
  if (targets.length > 1 && !targets.every((target) => ADDRESS.test(target))) {
    throw new RangeError(`server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was ${server})`);
  }
  return { targets, tls: server.includes("https://") };
}

/** One address of a name, with its own connection. */
class Server {
  readonly transport: Transport;
  private readonly sessions: Http2SessionManager;
  private triedAt = -PAUSE;

  constructor(baseUrl: string, { address, family }: LookupAddress, options: SecureClientSessionOptions) {
    // the certificate is checked by the name of the URL
    const lookup: LookupFunction = (_host, { all }, answer) =>
      all === true ? answer(null, [{ address, family }]) : answer(null, address, family);
    this.sessions = new Http2SessionManager(baseUrl, KEEPALIVE, { ...options, lookup } as SecureClientSessionOptions);
    this.transport = createGrpcTransport({ baseUrl, sessionManager: this.sessions });
  }

  get isConnected(): boolean {
    return ["open", "idle", "verifying"].includes(this.sessions.state());
  }

  /** Resolves when there is a connection, and rejects if there cannot be one. */
  async connect(): Promise<void> {
    this.triedAt = performance.now();
    if ((await this.sessions.connect()) === "error") throw this.sessions.error();
  }

  /** Connects in the background, unless that was tried a moment ago. */
  reconnect(): void {
    if (!this.isConnected && performance.now() - this.triedAt >= PAUSE) this.connect().catch(() => {});
  }

  close(): void {
    this.sessions.abort();
  }
}

/** Calls go to the servers in turn; one without a connection is skipped while another one has one. */
export class Servers {
  private servers = new Map<string, Server>();
  private turn = Math.floor(Math.random() * 1_000); // so that the first calls of many clients go to all servers
  private resolving: Promise<void> | undefined;
  private resolvedAt = -PAUSE;

  constructor(
    private readonly baseUrls: readonly URL[],
    private readonly options: SecureClientSessionOptions,
  ) {}

  /** Returns the transport of the next call. Throws ConnectError if no name has an address. */
  async next(): Promise<Transport> {
    if (this.servers.size === 0) await this.resolve();
    const all = [...this.servers.values()];
    let usable = all.filter((server) => server.isConnected);
    if (usable.length < all.length) this.resolve().catch(() => {}); // the earlier addresses remain
    if (usable.length === 0 && all.length > 1) {
      const first = Promise.any(all.map((server) => server.connect())).catch(() => {});
      await Promise.race([first, setTimeout(PAUSE, undefined, { ref: false })]);
      usable = all.filter((server) => server.isConnected);
    }
    for (const server of all) server.reconnect();
    if (usable.length === 0) usable = all; // the call shows why there is no connection
    return usable[this.turn++ % usable.length]!.transport;
  }

  close(): void {
    for (const server of this.servers.values()) server.close();
  }

  private resolve(): Promise<void> {
    if (this.servers.size > 0 && performance.now() - this.resolvedAt < PAUSE) return Promise.resolve();
    this.resolving ??= this.resolveAll().finally(() => (this.resolving = undefined));
    return this.resolving;
  }

  /** Adds new addresses, and removes those that the names no longer have when their connections are closed. */
  private async resolveAll(): Promise<void> {
    this.resolvedAt = performance.now();
    const resolved = await Promise.allSettled(this.baseUrls.map((url) => this.serversOf(url)));
    const found = new Map(resolved.flatMap((each) => (each.status === "fulfilled" ? each.value : [])));
    const failed = resolved.find((each) => each.status === "rejected");
    if (failed !== undefined && found.size === 0) throw new ConnectError(String(failed.reason.message), Code.Unavailable);
    const kept = [...this.servers].filter(([key, server]) => failed !== undefined || found.has(key) || server.isConnected);
    this.servers = new Map([...found, ...kept]);
  }

  private async serversOf(url: URL): Promise<[string, Server][]> {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = await dns.lookup(host, { all: true });
    return addresses.map((address) => {
      const key = `${url.host} ${address.address}`;
      return [key, this.servers.get(key) ?? new Server(url.origin, address, this.options)];
    });
  }
}
