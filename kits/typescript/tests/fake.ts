/** A Hapax in this process that answers as a test says. */

import { type ServerHttp2Session, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type Client, connect } from "hapax";

/** The settings of a client of this machine, whatever the variables say. */
export const PLAIN = { tls: false, ca: "", apiKey: "" };

/** A client of a server with these methods; both end with the test. */
export async function fakeHapax(test: TestContext, routes: (router: ConnectRouter) => void): Promise<Client> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer(connectNodeAdapter({ routes }));
  server.on("session", (session: ServerHttp2Session) => sessions.add(session));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const client = connect({ ...PLAIN, server: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  test.after(() => {
    client.close();
    sessions.forEach((session) => session.destroy());
    server.close();
  });
  return client;
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
