/** Makes Express handlers idempotent by the header `Idempotency-Key`. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../client.js";
import { type HttpResponse, type IdempotencyOptions, applies, grouped, headerPairs, problem, respond } from "./shared.js";

export type { IdempotencyOptions } from "./shared.js";

/** A request, after its body was parsed. */
export interface ParsedRequest extends IncomingMessage {
  readonly originalUrl?: string | undefined;
  readonly body?: unknown;
}

/** A middleware of Express, or of another framework with the same convention. */
export type Middleware = (request: ParsedRequest, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Returns a middleware: `app.use(express.json(), idempotency(client))`. It stands behind the parsers of bodies.
 *
 * The first request with a key runs the handler, and its response is recorded. Each later one gets that response with the header
 * `Idempotent-Replayed: true`. While the first is in progress, others get 409; the same key with another request gets 422.
 */
export function idempotency(client: Client, options: IdempotencyOptions<ParsedRequest> = {}): Middleware {
  return (request, response, next) => {
    if (!applies(options, request)) return next();
    if (request.body === undefined && isWithBody(request)) {
      return send(response, problem(415, "the service has no parser for a body of this content type"));
    }
    const how = { account: options.account?.(request) ?? "", leaseMs: options.leaseMs };
    const answer = respond(client, request, request.body, how, () => capture(response, next));
    answer.then((sent) => send(response, sent), next);
  };
}

function isWithBody({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(grouped(headers))) response.setHeader(name, value);
  response.end(body);
}

/** Runs the handler; its response is sent after it is recorded. */
function capture(response: ServerResponse, next: () => void): Promise<HttpResponse> {
  const { write, end, writeHead, flushHeaders } = response;
  const restore = (): unknown => Object.assign(response, { write, end, writeHead, flushHeaders });
  const before = response.getHeaders();
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === "string")
      chunks.push(Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8"));
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const called = (rest: unknown[]): void =>
    rest.filter((each) => typeof each === "function").forEach((each) => process.nextTick(each));
  return new Promise((resolve, reject) => {
    const written = {
      flushHeaders: () => {},
      writeHead: (status: number, ...rest: unknown[]) => {
        response.statusCode = status;
        const headers = Object.entries(grouped(headerPairs((rest.at(-1) ?? {}) as Record<string, unknown>)));
        if (typeof rest.at(-1) === "object") headers.forEach(([name, values]) => response.setHeader(name, values));
        return response;
      },
      write: (chunk: unknown, ...rest: unknown[]) => {
        keep(chunk, rest[0]);
        called(rest);
        return true;
      },
      end: (...rest: unknown[]) => {
        keep(rest[0], rest[1]);
        const headers = headerPairs(response.getHeaders());
        restore();
        response.getHeaderNames().forEach((name) => response.removeHeader(name));
        for (const [name, value] of Object.entries(before)) if (value !== undefined) response.setHeader(name, value);
        called(rest);
        resolve({ status: response.statusCode, headers, body: Buffer.concat(chunks) });
        return response;
      },
    };
    Object.assign(response, written);
    try {
      next();
    } catch (error) {
      restore();
      reject(error);
    }
  });
}
