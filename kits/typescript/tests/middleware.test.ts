/** The middlewares of Express and Fastify. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type IncomingMessage, type RequestListener, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import express from "express";
import fastify from "fastify";
import { type Client, InProgress } from "hapax";
import { idempotency as expressIdempotency } from "hapax/express";
import { idempotency as fastifyIdempotency } from "hapax/fastify";
import { ClaimLostReason } from "hapax/v1/claim";
import { type BeginOperationRequest, type CompleteOperationResponseSchema, OperationService } from "hapax/v1/operation_service";
import { acquired, fakeHapax } from "./fake.js";

type Completed = MessageInitShape<typeof CompleteOperationResponseSchema>;

interface Response {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Serves POST below /shop, where the handler answers 201 `own`. Returns the port. */
type App = (test: TestContext, client: Client) => Promise<number>;

function listen(it: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  it.after(() => server.close());
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

const apps: Record<string, App> = {
  // a mounted router, which has a url of its own
  express: (it, client) => {
    const router = express.Router();
    router.use(express.text({ type: () => true }), expressIdempotency(client));
    router.post("/*path", (_, response) => void response.status(201).send("own"));
    return listen(it, express().use("/shop", router));
  },
  // a url that is rewritten before it is routed
  fastify: async (it, client) => {
    const app = fastify({ rewriteUrl: ({ url = "" }) => url.replace("/shop", "") });
    it.after(() => app.close());
    app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
    await app.register(fastifyIdempotency(client));
    app.post("/*", async (_, reply) => reply.code(201).send("own"));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  },
};

function post(port: number, path: string, keys: string | string[], body = "30"): Promise<Response> {
  const headers = { "Idempotency-Key": keys, "Content-Type": "text/plain", Connection: "close" };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
    });
    sent.on("error", reject).end(body);
  });
}

/** A Hapax that grants each operation, and answers its end with this. */
async function granting(it: TestContext, end: Completed, begun: BeginOperationRequest[] = []): Promise<Client> {
  return fakeHapax(it, ({ service }) =>
    service(OperationService, {
      beginOperation: (begin) => (begun.push(begin), acquired()),
      completeOperation: () => end,
      failOperation: () => ({ outcome: { case: "failed", value: {} } }),
    }),
  );
}

const COMPLETED: Completed = { outcome: { case: "completed", value: {} } };
const reason = ClaimLostReason.LEASE_LOST;

for (const [name, app] of Object.entries(apps)) {
  test(`${name}: given a holder that was overtaken, when the other has completed, then the client gets the recorded response`, async (it) => {
    const kept = { status: 202, headers: [["X-Of", "other"]], body: Buffer.from("other").toString("base64") };
    const replay = { result: { content: { case: "json", value: JSON.stringify(kept) } } } as const;
    const client = await granting(it, { outcome: { case: "claimLost", value: { reason, replay } } });
    const response = await post(await app(it, client), "/shop/pay", "k-1");
    assert.equal(response.status, 202);
    assert.equal(response.body, "other");
    assert.equal(response.headers["x-of"], "other");
    assert.equal(response.headers["idempotent-replayed"], "true");
  });

  test(`${name}: given a holder that was overtaken, when the other is in progress, then the client gets 409 and a time to wait`, async (it) => {
    const client = await granting(it, { outcome: { case: "claimLost", value: { reason } } });
    const response = await post(await app(it, client), "/shop/pay", "k-1");
    assert.equal(response.status, 409);
    assert.equal(response.headers["retry-after"], "1");
    assert.equal(response.headers["content-type"], "application/problem+json");
    assert.doesNotMatch(response.body, /own/);
  });

  test(`${name}: given a path and a query with percent-encoding, then both decide what a duplicate is, as they were sent`, async (it) => {
    const begun: BeginOperationRequest[] = [];
    const client = await granting(it, COMPLETED, begun);
    const response = await post(await app(it, client), "/shop/a%2Fb%20c?q=%20x", "k-1");
    assert.equal(response.status, 201);
    assert.equal(response.body, "own");
    assert.deepEqual(
      begun.map(({ operation }) => operation),
      ["POST /shop/a%2Fb%20c"],
    );
    const expected = createHash("sha256").update("q=%20x\n30").digest("hex");
    assert.equal(Buffer.from(begun[0]?.fingerprint ?? []).toString("hex"), expected);
  });

  test(`${name}: given two headers Idempotency-Key, or a path that is too long, then the request gets 400`, async (it) => {
    const begun: BeginOperationRequest[] = [];
    const port = await app(it, await granting(it, COMPLETED, begun));
    for (const keys of [
      ["k-1", "k-2"],
      ["k-1", "k-1"],
    ]) {
      const response = await post(port, "/shop/pay", keys);
      assert.equal(response.status, 400);
      assert.match(response.body, /one header Idempotency-Key \(had 2\)/);
    }
    const long = await post(port, `/shop/${"p".repeat(245)}`, "k-1");
    assert.equal(long.status, 400);
    assert.equal(begun.length, 0);
  });
}

test(
  "given a handler that throws an error of Hapax, then it goes on, and is not the outcome of the request",
  { timeout: 20_000 },
  async (it) => {
    const client = await granting(it, COMPLETED);
    const middleware = expressIdempotency(client);
    const port = await listen(it, (incoming, response) =>
      middleware(Object.assign(incoming, { body: "30" }), response, (error) => {
        if (error === undefined) throw new InProgress("another operation is in progress");
        response.writeHead(500).end((error as Error).message);
      }),
    );
    const response = await post(port, "/pay", "k-1");
    assert.equal(response.status, 500);
    assert.equal(response.body, "another operation is in progress");
  },
);
