/** Makes Fastify handlers idempotent by the header `Idempotency-Key`. */

import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../client.js";
import { type HttpResponse, type IdempotencyOptions, applies, grouped, headerPairs, respond } from "./shared.js";

export type { IdempotencyOptions } from "./shared.js";

interface Running {
  readonly answered: (response: HttpResponse) => void;
  readonly outcome: Promise<HttpResponse>;
}

/**
 * Returns a plugin: `app.register(idempotency(client))`. It applies to the routes that are registered after it.
 *
 * The first request with a key runs the handler, and its response is recorded. Each later one gets that response with the header
 * `Idempotent-Replayed: true`. While the first is in progress, others get 409; the same key with another request gets 422.
 */
export function idempotency(client: Client, options: IdempotencyOptions<FastifyRequest> = {}): FastifyPluginCallback {
  const running = new WeakMap<FastifyRequest, Running>();
  const plugin: FastifyPluginCallback = (app, _, registered) => {
    app.addHook("preHandler", (request, reply, done) => {
      if (!applies(options, request.raw)) return done();
      const how = { account: options.account?.(request) ?? "", leaseMs: options.leaseMs };
      const run = (): Promise<HttpResponse> =>
        new Promise((answered) => {
          running.set(request, { answered, outcome });
          done();
        });
      const outcome = respond(client, request.raw, request.body, how, run);
      const end = (send: () => unknown): unknown => running.has(request) || send();
      outcome.then(
        (response) => end(() => head(reply, response).send(response.body)),
        (error: Error) => end(() => done(error)),
      );
    });
    app.addHook("onSend", async (request, reply, payload) => {
      const handler = running.get(request);
      if (handler === undefined) return payload;
      const body = await bytes(payload);
      const own = { status: reply.statusCode, headers: headerPairs(reply.getHeaders()), body };
      handler.answered(own);
      const response = await handler.outcome;
      if (response !== own) {
        Object.keys(reply.getHeaders()).forEach((name) => reply.removeHeader(name));
        head(reply, response);
      }
      return response.body;
    });
    registered();
  };
  // the hooks are for the routes of the caller too
  return Object.assign(plugin, { [Symbol.for("skip-override")]: true });
}

function head(reply: FastifyReply, { status, headers }: HttpResponse): FastifyReply {
  return reply.code(status).headers(grouped(headers));
}

async function bytes(payload: unknown): Promise<Buffer> {
  if (payload === null || payload === undefined) return Buffer.alloc(0);
  if (typeof payload === "string" || payload instanceof Uint8Array) return Buffer.from(payload);
  const chunks: Buffer[] = [];
  for await (const chunk of payload as AsyncIterable<string | Uint8Array>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
